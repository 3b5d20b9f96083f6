/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Chooses the CPUs of programs: first those that the program had, then their neighbours, in the
 * same last-level cache, or at least in the same node. On hybrid machines, fast CPUs come first:
 * they go to the programs that gain most by them.
 */
#ifndef QOSD_PLACE_H
#define QOSD_PLACE_H

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>

#include "core_types.h"

/**
 * struct place - the CPUs of a program
 * @wanted: number of CPUs, at least 1
 * @worth: worth for the program of a CPU of each core type, the fastest first: 1, and less
 * @is_known: @worth was estimated for this program
 * @cpus: CPUs that it had; afterwards, CPUs that it gets
 */
struct place {
	unsigned int wanted;
	double worth[CORE_TYPES_MOST];
	bool is_known;
	cpu_set_t cpus;
};

/**
 * struct topology - where CPUs are
 * @cache: for each CPU: the first CPU that shares its last-level cache, and is in its node
 * @node: for each CPU: the first CPU in its memory node
 * @type: core type of each CPU, 0 for the fastest
 * @types: number of core types, at least 1
 */
struct topology {
	int cache[CPU_SETSIZE];
	int node[CPU_SETSIZE];
	unsigned char type[CPU_SETSIZE];
	unsigned int types;
};

/*
 * Fill @t as hwloc has it, but with one core type only. CPUs of which nothing is known are in one
 * cache, or in one node.
 */
void place_topology(struct topology *t);
/* Choose CPUs so that each has as few programs as possible: one, if there are enough CPUs. */
void place_all(const cpu_set_t *machine, const struct topology *t, struct place *place, size_t n);
/*
 * Give one program a faster CPU instead of one of its own. The faster CPU is free, or is that of a
 * program that loses less, which then gets the slower one. Returns false if nothing is to be
 * gained.
 */
bool place_faster(const cpu_set_t *machine, const struct topology *t, struct place *place, size_t n);

#endif /* QOSD_PLACE_H */
