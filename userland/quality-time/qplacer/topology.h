/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which CPUs share a last-level cache. */
#ifndef QPLACER_TOPOLOGY_H
#define QPLACER_TOPOLOGY_H

#include <sched.h>

#include "qplacer/anneal.h"

struct topology {
	unsigned int nr;
	cpu_set_t cpus[ANNEAL_CACHES];
	unsigned int room[ANNEAL_CACHES];	/* CPUs of each */
};

/*
 * Read the last-level caches of the online CPUs that this process may use: from /proc/pmc/info on a
 * simulated machine, otherwise from /sys. Returns 0; -ENOENT: the kernel does not say; -E2BIG: more
 * than ANNEAL_CACHES.
 */
int topology_read(struct topology *t);

#endif /* QPLACER_TOPOLOGY_H */
