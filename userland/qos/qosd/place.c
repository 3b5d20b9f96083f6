// SPDX-License-Identifier: GPL-2.0-or-later
#include "place.h"

#include <limits.h>
#include <stdbool.h>
#include <string.h>

#include <hwloc.h>

/*
 * What speaks for a CPU, weightier from one to the next: CPUs that are free in its
 * node, in its cache; the program's own ones in its node, in its cache; that it is of the type that
 * is best for the program; and against it, that others have it.
 */
#define FREE_IN_NODE 1L
#define FREE_IN_CACHE 2L
#define OWN_IN_NODE (4L * CPU_SETSIZE)
#define OWN_IN_CACHE (2L * CPU_SETSIZE * OWN_IN_NODE)
#define TYPE (2L * CPU_SETSIZE * OWN_IN_CACHE)
#define OTHERS (2L * CORE_TYPES_MOST * TYPE)
/* Two programs exchange CPUs of different types if one gains so much more by that, in CPUs. */
#define GAIN 0.1

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
	t->types = 1;
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

double place_worth(const struct topology *t, const double *worth, const cpu_set_t *cpus)
{
	double sum = 0;
	int cpu;

	for (cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, cpus))
			sum += worth[t->type[cpu]];
	return sum;
}

/* What a program loses on a slow CPU. */
static double loss(const struct topology *t, const struct place *p)
{
	return t->types > 1 ? p->worth[0] - p->worth[t->types - 1] : 0;
}

/* Does it gain more by fast CPUs than programs do on average? If all are alike, yes. */
static bool is_for_fast(const struct topology *t, const struct place *place, size_t n, size_t one)
{
	double sum = 0;
	size_t i;

	for (i = 0; i < n; i++)
		sum += loss(t, &place[i]);
	return loss(t, &place[one]) >= sum / (double)n - 1e-9;
}

/* The best CPU for one more of a program: with few others, of the right type, and near its own. */
static int best_cpu(const cpu_set_t *machine, int end, const struct topology *t,
		    const unsigned int *used, const cpu_set_t *mine, bool fast)
{
	int cpu, other, best = -1;
	long merit, most = LONG_MIN;

	for (cpu = 0; cpu < end; cpu++) {
		if (!CPU_ISSET(cpu, machine) || CPU_ISSET(cpu, mine))
			continue;
		merit = -OTHERS * used[cpu] + (fast ? -TYPE : TYPE) * t->type[cpu];
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

/* What it had, if nobody else has it, as far as it wants it: CPUs of the wrong type go first. */
static void keep(const cpu_set_t *machine, int end, const struct topology *t, unsigned int *used,
		 struct place *p, bool fast)
{
	double sum = 0, worth;
	int rank, type, cpu;

	for (cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, &p->cpus) && (!CPU_ISSET(cpu, machine) || used[cpu]))
			CPU_CLR(cpu, &p->cpus);
	for (rank = 0; rank < (int)t->types; rank++) {
		type = fast ? rank : (int)t->types - 1 - rank;
		worth = p->worth[type];
		for (cpu = 0; cpu < end; cpu++) {
			if (!CPU_ISSET(cpu, &p->cpus) || t->type[cpu] != type)
				continue;
			if (sum <= 0 || sum + (1 - PLACE_STEP) * worth <= p->wanted) {
				used[cpu]++;
				sum += worth;
			} else {
				CPU_CLR(cpu, &p->cpus);
			}
		}
	}
}

/* One of its CPUs of a type; -1: none that is its alone. */
static int one_of(const struct topology *t, const unsigned int *used, const struct place *p, bool fastest)
{
	int cpu;

	for (cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, &p->cpus) && used[cpu] == 1 && (t->type[cpu] == 0) == fastest &&
		    (fastest || t->type[cpu] == t->types - 1))
			return cpu;
	return -1;
}

/* One exchange at a time: each makes two programs move. */
static void exchange(const struct topology *t, const unsigned int *used, struct place *place, size_t n)
{
	size_t i, k;

	for (i = 0; t->types > 1 && i < n; i++) {
		for (k = 0; k < n; k++) {
			int slow = one_of(t, used, &place[i], false), fast = one_of(t, used, &place[k], true);

			if (slow < 0 || fast < 0 || loss(t, &place[i]) < loss(t, &place[k]) + GAIN)
				continue;
			CPU_CLR(slow, &place[i].cpus);
			CPU_SET(fast, &place[i].cpus);
			CPU_CLR(fast, &place[k].cpus);
			CPU_SET(slow, &place[k].cpus);
			return;
		}
	}
}

void place_all(const cpu_set_t *machine, const struct topology *t, struct place *place, size_t n)
{
	unsigned int used[CPU_SETSIZE] = {0};
	int cpu, end = CPU_SETSIZE;
	double sum;
	size_t i;

	while (end && !CPU_ISSET(end - 1, machine))
		end--;
	for (i = 0; i < n; i++)
		keep(machine, end, t, used, &place[i], is_for_fast(t, place, n, i));
	for (i = 0; i < n; i++) {
		bool fast = is_for_fast(t, place, n, i);
		double least = place[i].worth[t->types - 1];

		sum = place_worth(t, place[i].worth, &place[i].cpus);
		while (sum <= 0 || sum + PLACE_STEP * least <= place[i].wanted) {
			cpu = best_cpu(machine, end, t, used, &place[i].cpus, fast);
			if (cpu < 0 || (sum > 0 && sum + PLACE_STEP * place[i].worth[t->type[cpu]] > place[i].wanted))
				break;
			CPU_SET(cpu, &place[i].cpus);
			used[cpu]++;
			sum += place[i].worth[t->type[cpu]];
		}
	}
	exchange(t, used, place, n);
}
