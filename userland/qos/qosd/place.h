/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which CPUs does a program get? Those that it had, and then neighbours: in the same last-level
 * cache, or at least in the same node.
 */
#ifndef QOSD_PLACE_H
#define QOSD_PLACE_H

#include <sched.h>
#include <stddef.h>

/**
 * struct place - a program
 * @wanted: CPUs, at least 1
 * @cpus: that it had; afterwards, that it gets
 */
struct place {
	unsigned int wanted;
	cpu_set_t cpus;
};

/**
 * struct topology - where CPUs are
 * @cache: last-level cache of each, as a number
 * @node: memory node of each
 */
struct topology {
	int cache[CPU_SETSIZE];
	int node[CPU_SETSIZE];
};

/* As hwloc has it. What is not known is 0. */
void place_topology(struct topology *t);
/* CPUs have as few programs as possible: one, if there are enough. */
void place_all(const cpu_set_t *machine, const struct topology *t, struct place *place, size_t n);

#endif /* QOSD_PLACE_H */
