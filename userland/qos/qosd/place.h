/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which CPUs does a program get? Those that it had, and then neighbours: in the same last-level
 * cache, or at least in the same node. On hybrid machines fast ones first: they go to programs that
 * gain more by them than others do.
 */
#ifndef QOSD_PLACE_H
#define QOSD_PLACE_H

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>

#include "core_types.h"

/**
 * struct place - a program
 * @wanted: CPUs, at least 1
 * @worth: for it, of a CPU of each core type, the fastest first: 1, and less
 * @is_known: somebody has estimated that for this program
 * @cpus: that it had; afterwards, that it gets
 */
struct place {
	unsigned int wanted;
	double worth[CORE_TYPES_MOST];
	bool is_known;
	cpu_set_t cpus;
};

/**
 * struct topology - where CPUs are
 * @cache: the first CPU that shares each one's last-level cache, and is in its node
 * @node: the first CPU in each one's memory node
 * @type: core type of each, 0 for the fastest
 * @types: how many there are, 1 at least
 */
struct topology {
	int cache[CPU_SETSIZE];
	int node[CPU_SETSIZE];
	unsigned char type[CPU_SETSIZE];
	unsigned int types;
};

/* As hwloc has it, but for core types: one. What is not known is one cache, or one node. */
void place_topology(struct topology *t);
/* CPUs have as few programs as possible: one, if there are enough. */
void place_all(const cpu_set_t *machine, const struct topology *t, struct place *place, size_t n);
/*
 * One program has a faster CPU instead of one of its own: one that nobody has, or that of a program
 * that loses less, which has the slower one then. False: nothing was to be gained.
 */
bool place_faster(const cpu_set_t *machine, const struct topology *t, struct place *place, size_t n);

#endif /* QOSD_PLACE_H */
