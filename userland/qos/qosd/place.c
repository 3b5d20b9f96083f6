// SPDX-License-Identifier: GPL-2.0-or-later
#include "place.h"

#include <limits.h>
#include <stdbool.h>
#include <string.h>

#include <hwloc.h>

/*
 * What speaks for a CPU, weightier from one to the next: CPUs that are free in its
 * node, in its cache; the program's own ones in its node, in its cache; and against it, that others
 * have it.
 */
#define FREE_IN_NODE 1L
#define FREE_IN_CACHE 2L
#define OWN_IN_NODE (4L * CPU_SETSIZE)
#define OWN_IN_CACHE (2L * CPU_SETSIZE * OWN_IN_NODE)
#define OTHERS (2L * CPU_SETSIZE * OWN_IN_CACHE)

static int cache_of(hwloc_topology_t hw, hwloc_obj_t cpu)
{
	static const hwloc_obj_type_t kinds[] = {HWLOC_OBJ_L5CACHE, HWLOC_OBJ_L4CACHE, HWLOC_OBJ_L3CACHE,
						 HWLOC_OBJ_L2CACHE};
	hwloc_obj_t cache;
	size_t i;

	for (i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		cache = hwloc_get_ancestor_obj_by_type(hw, kinds[i], cpu);
		if (cache)
			return 1 + (int)cache->logical_index;
	}
	return 0;
}

void place_topology(struct topology *t)
{
	hwloc_topology_t hw;
	hwloc_obj_t cpu = NULL;

	memset(t, 0, sizeof(*t));
	if (hwloc_topology_init(&hw))
		return;
	/* Those that we may not use, others may. */
	hwloc_topology_set_flags(hw, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED);
	if (!hwloc_topology_load(hw)) {
		while ((cpu = hwloc_get_next_obj_by_type(hw, HWLOC_OBJ_PU, cpu))) {
			if (cpu->os_index >= CPU_SETSIZE)
				continue;
			t->cache[cpu->os_index] = cache_of(hw, cpu);
			t->node[cpu->os_index] = cpu->nodeset ? hwloc_bitmap_first(cpu->nodeset) : 0;
		}
	}
	hwloc_topology_destroy(hw);
}

/* The best CPU for one more of a program: with few others, and near many of its own. */
static int best_cpu(const cpu_set_t *machine, int end, const struct topology *t,
		    const unsigned int *used, const cpu_set_t *mine)
{
	int cpu, other, best = -1;
	long merit, most = LONG_MIN;

	for (cpu = 0; cpu < end; cpu++) {
		if (!CPU_ISSET(cpu, machine) || CPU_ISSET(cpu, mine))
			continue;
		merit = -OTHERS * used[cpu];
		for (other = 0; other < end; other++) {
			bool in_cache = t->cache[other] == t->cache[cpu];

			if (!CPU_ISSET(other, machine) || t->node[other] != t->node[cpu])
				continue;
			if (CPU_ISSET(other, mine))
				merit += in_cache ? OWN_IN_CACHE : OWN_IN_NODE;
			else if (!used[other])
				merit += in_cache ? FREE_IN_CACHE : FREE_IN_NODE;
		}
		if (merit > most) {
			most = merit;
			best = cpu;
		}
	}
	return best;
}

void place_all(const cpu_set_t *machine, const struct topology *t, struct place *place, size_t n)
{
	unsigned int used[CPU_SETSIZE] = {0};
	int cpu, end = CPU_SETSIZE;
	size_t i;

	while (end && !CPU_ISSET(end - 1, machine))
		end--;
	/* What each had, as far as it still wants it, and nobody else has it. */
	for (i = 0; i < n; i++) {
		unsigned int kept = 0;

		for (cpu = 0; cpu < CPU_SETSIZE; cpu++) {
			if (!CPU_ISSET(cpu, &place[i].cpus))
				continue;
			if (kept < place[i].wanted && CPU_ISSET(cpu, machine) && !used[cpu]) {
				used[cpu]++;
				kept++;
			} else {
				CPU_CLR(cpu, &place[i].cpus);
			}
		}
	}
	for (i = 0; i < n; i++) {
		while (CPU_COUNT(&place[i].cpus) < (int)place[i].wanted) {
			cpu = best_cpu(machine, end, t, used, &place[i].cpus);
			if (cpu < 0)
				break;
			CPU_SET(cpu, &place[i].cpus);
			used[cpu]++;
		}
	}
}
