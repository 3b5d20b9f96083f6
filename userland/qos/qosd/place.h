/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which CPUs does a program get? Those that it had, and then neighbours: in the same last-level
 * cache, or at least in the same node. On hybrid machines, a program that gains more by fast CPUs
 * than others do gets these first, and others get slow ones.
 */
#ifndef QOSD_PLACE_H
#define QOSD_PLACE_H

#include <sched.h>
#include <stddef.h>

#include "core_types.h"

/* CPUs are not taken or given for less than this part of what one is worth. */
#define PLACE_STEP 0.6

/**
 * struct place - a program
 * @wanted: CPUs of the fastest type, or as much of others
 * @worth: of a CPU of each type for it, the fastest first: 1, and less
 * @cpus: that it had; afterwards, that it gets: one at least, and so many that one more or one less
 *	would be no better
 */
struct place {
	double wanted;
	double worth[CORE_TYPES_MOST];
	cpu_set_t cpus;
};

/**
 * struct topology - where CPUs are
 * @cache: last-level cache of each, as a number
 * @node: memory node of each
 * @type: core type of each, 0 for the fastest
 * @types: how many there are, 1 at least
 */
struct topology {
	int cache[CPU_SETSIZE];
	int node[CPU_SETSIZE];
	unsigned char type[CPU_SETSIZE];
	unsigned int types;
};

/* As hwloc has it, but for core types. What is not known is 0. */
void place_topology(struct topology *t);
/* What CPUs are worth for a program. */
double place_worth(const struct topology *t, const double *worth, const cpu_set_t *cpus);
/* CPUs have as few programs as possible: one, if there are enough. */
void place_all(const cpu_set_t *machine, const struct topology *t, struct place *place, size_t n);

#endif /* QOSD_PLACE_H */
