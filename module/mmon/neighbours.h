/* SPDX-License-Identifier: GPL-2.0-only */
/* Which CPUs share a last-level cache. It is part of pmctrack.ko. */
#ifndef _PMCT_NEIGHBOURS_H
#define _PMCT_NEIGHBOURS_H

#include <linux/bitops.h>
#include <linux/cpumask.h>

/**
 * struct pmct_neighbours - of each CPU, those that share its cache
 * @of: a bitmap for each CPU, of the size of this machine, which is often much less than that of
 *	struct cpumask
 */
struct pmct_neighbours {
	unsigned long *of;
};

/* The others, not the CPU itself. */
static inline const unsigned long *pmct_neighbours_of(const struct pmct_neighbours *n, int cpu)
{
	return n->of + (size_t)cpu * BITS_TO_LONGS(nr_cpu_ids);
}

int pmct_neighbours_find(struct pmct_neighbours *n);
void pmct_neighbours_free(struct pmct_neighbours *n);

#endif /* _PMCT_NEIGHBOURS_H */
