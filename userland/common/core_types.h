/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The core types of this machine, as PMCTrack's kernel module names them. */
#ifndef CORE_TYPES_H
#define CORE_TYPES_H

#include <sched.h>
#include <stdbool.h>

#define CORE_TYPES_MOST	4
#define CORE_TYPES_CPUS	1024

/**
 * struct core_type - a core type
 * @index: its index in /proc/pmc/info
 * @name: name of its PMU
 * @cpus: its CPUs that are online
 */
struct core_type {
	unsigned int index;
	char name[32];
	cpu_set_t cpus;
};

/**
 * struct core_types - the core types of a machine
 * @nr: number of core types that have CPUs online
 * @fastest: index of the fastest type, also if core_types_keep() has left it out
 * @type: the core types, the fastest first
 */
struct core_types {
	unsigned int nr;
	unsigned int fastest;
	struct core_type type[CORE_TYPES_MOST];
};

/*
 * Read the core types from @info (/proc/pmc/info). @fastest is the name of the fastest type. NULL:
 * the type for which the kernel gives the greatest capacity, or the first. Returns 0, or -1 after
 * telling the user what is wrong.
 */
int core_types_read(struct core_types *m, const char *info, const char *fastest);

/* The rank of @cpu's type; the last rank if no type has @cpu. */
unsigned int core_types_rank(const struct core_types *m, unsigned int cpu);

/*
 * The index of the speedup factor for a type that is not the fastest of the machine. The factors of
 * monitoring modules are for all types of /proc/pmc/info except the fastest, numbered from 0.
 */
unsigned int core_types_other(const struct core_types *m, unsigned int rank);

/* True if both have the same types in the same order, whatever CPUs these have. */
bool core_types_are_alike(const struct core_types *one, const struct core_types *other);

/* Keep only these CPUs, and the types that have some of them. */
void core_types_keep(struct core_types *m, const cpu_set_t *cpus);

/*
 * Find the core types of these CPUs without PMCTrack, by the kernel's capacities. Names are "". If
 * there are no capacities, all CPUs are of one type.
 */
void core_types_guess(struct core_types *m, const cpu_set_t *cpus);
/* Find the core types of @cpus by @capacity, an array for all CORE_TYPES_CPUS CPUs. */
void core_types_group(struct core_types *m, const cpu_set_t *cpus, const unsigned int *capacity);

/* The kernel's capacity of a CPU of this type, up to 1024; 0: the kernel does not say. */
unsigned int core_types_capacity(const struct core_type *type);

#endif /* CORE_TYPES_H */
