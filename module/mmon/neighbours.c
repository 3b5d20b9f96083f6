// SPDX-License-Identifier: GPL-2.0-only
/* Which CPUs share a last-level cache. */
#include <linux/slab.h>
#include <pmctrack/mmon.h>

#include "neighbours.h"

/**
 * pmct_neighbours_find() - find the CPUs that share caches
 * @n: where they are stored
 *
 * Context: monitoring_module::enable.
 * Return: 0 or -ENOMEM.
 */
int pmct_neighbours_find(struct pmct_neighbours *n)
{
	const size_t longs = BITS_TO_LONGS(nr_cpu_ids);
	int cpu, other;

	n->of = kvcalloc((size_t)nr_cpu_ids * longs, sizeof(*n->of), GFP_KERNEL);
	if (!n->of)
		return -ENOMEM;
	for_each_possible_cpu(cpu) {
		for_each_possible_cpu(other) {
			if (other != cpu &&
			    pmct_mmon_cache_domain(other) == pmct_mmon_cache_domain(cpu))
				__set_bit(other, n->of + cpu * longs);
		}
	}
	return 0;
}
EXPORT_SYMBOL_GPL(pmct_neighbours_find);

void pmct_neighbours_free(struct pmct_neighbours *n)
{
	kvfree(n->of);
	n->of = NULL;
}
EXPORT_SYMBOL_GPL(pmct_neighbours_free);
