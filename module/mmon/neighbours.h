/* SPDX-License-Identifier: GPL-2.0-only */
/* Which CPUs share a last-level cache. It is part of pmctrack.ko. */
#ifndef _PMCT_NEIGHBOURS_H
#define _PMCT_NEIGHBOURS_H

#include <linux/bitops.h>
#include <linux/cpumask.h>

/**
 * struct pmct_neighbours - the CPUs that share a cache with each CPU
 * @of: a bitmap for each CPU. It has the size of this machine, which is often much smaller than
 *	struct cpumask
 */
struct pmct_neighbours {
	unsigned long *of;
};

/* Returns the other CPUs, without @cpu itself. */
static inline const unsigned long *pmct_neighbours_of(const struct pmct_neighbours *n, int cpu)
{
	return n->of + (size_t)cpu * BITS_TO_LONGS(nr_cpu_ids);
}

int pmct_neighbours_find(struct pmct_neighbours *n);
void pmct_neighbours_free(struct pmct_neighbours *n);

#endif /* _PMCT_NEIGHBOURS_H */
