/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The core types of this machine, as PMCTrack's kernel module names them. */
#ifndef SCHEDULERS_MACHINE_H
#define SCHEDULERS_MACHINE_H

#include <sched.h>
#include <stdbool.h>

#define MACHINE_TYPES	4
#define MACHINE_CPUS	1024

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
 * struct machine - what CPUs there are
 * @nr: number of core types that have CPUs online
 * @type: the fastest first
 */
struct machine {
	unsigned int nr;
	struct core_type type[MACHINE_TYPES];
};

/*
 * Read it from @info (/proc/pmc/info). @fastest is the name of the fastest type, or NULL: the one
 * that the kernel's capacities of CPUs say, or the first. The user is told what is wrong.
 * Returns 0 or -1.
 */
int machine_read(struct machine *m, const char *info, const char *fastest);

/* The rank of @cpu, or the last one. */
unsigned int machine_rank(const struct machine *m, unsigned int cpu);

#endif /* SCHEDULERS_MACHINE_H */
