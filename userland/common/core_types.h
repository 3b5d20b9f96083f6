/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The core types of this machine, as PMCTrack's kernel module names them. */
#ifndef CORE_TYPES_H
#define CORE_TYPES_H

#include <sched.h>
#include <stdbool.h>

#define CORE_TYPES_MOST	4
#define CORE_TYPES_CPUS	1024

/**
 * struct core_type - CPUs of a kind
 * @index: in /proc/pmc/info
 * @name: of their PMU
 * @cpus: which ones, of those that are online
 */
struct core_type {
	unsigned int index;
	char name[32];
	cpu_set_t cpus;
};

/**
 * struct core_types - what CPUs there are
 * @nr: number of core types that have CPUs online
 * @fastest: index of the fastest of these, also if core_types_keep() has left it out
 * @type: the fastest first
 */
struct core_types {
	unsigned int nr;
	unsigned int fastest;
	struct core_type type[CORE_TYPES_MOST];
};

/*
 * Read it from @info (/proc/pmc/info). @fastest is the name of the fastest type, or NULL: the one
 * that the kernel's capacities of CPUs say, or the first. The user is told what is wrong.
 * Returns 0 or -1.
 */
int core_types_read(struct core_types *m, const char *info, const char *fastest);

/* The rank of @cpu, or the last one. */
unsigned int core_types_rank(const struct core_types *m, unsigned int cpu);

/*
 * Which of the speedup factors of monitoring modules is about a type that is not the fastest of the
 * machine: those count all types of /proc/pmc/info but the fastest, from 0.
 */
unsigned int core_types_other(const struct core_types *m, unsigned int rank);

/* The same types in the same order, whatever CPUs they have. */
bool core_types_are_alike(const struct core_types *one, const struct core_types *other);

/* Only these CPUs, and the types that have some of them. */
void core_types_keep(struct core_types *m, const cpu_set_t *cpus);

/*
 * The same without PMCTrack, of these CPUs, by the kernel's capacities: names are "". Without
 * capacities, all are of one type.
 */
void core_types_guess(struct core_types *m, const cpu_set_t *cpus);
/* By these capacities, of all CPUs there can be. */
void core_types_group(struct core_types *m, const cpu_set_t *cpus, const unsigned int *capacity);

/* The kernel's capacity of such a CPU, up to 1024; 0: it does not say. */
unsigned int core_types_capacity(const struct core_type *type);

#endif /* CORE_TYPES_H */
