/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which CPUs does a program get? Those that it had, and then neighbours in the same cache. */
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

/* The last-level cache of each CPU, as a number: that of its first CPU. @of has CPU_SETSIZE. */
void place_caches(const char *sys, int *of);
/* CPUs have as few programs as possible: one, if there are enough. */
void place_all(const cpu_set_t *machine, const int *cache, struct place *place, size_t n);

#endif /* QOSD_PLACE_H */
