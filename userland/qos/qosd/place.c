// SPDX-License-Identifier: GPL-2.0-or-later
#include "place.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include <hwloc.h>

/*
 * What speaks for a CPU, weightier from one to the next: CPUs that are free in its node, in its
 * cache; the program's own ones in its node, in its cache; and against it, that it is slow, that
 * others have it.
 */
#define FREE_IN_NODE 1L
#define FREE_IN_CACHE 2L
#define OWN_IN_NODE (4L * CPU_SETSIZE)
#define OWN_IN_CACHE (2L * CPU_SETSIZE * OWN_IN_NODE)
#define SLOW (2L * CPU_SETSIZE * OWN_IN_CACHE)
#define OTHERS (2L * CORE_TYPES_MOST * SLOW)
/* Two programs exchange CPUs if one of them gains so much more by that, as a part of a CPU. */
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

/* The best CPU for one more of a program: with few others, and near many of its own. */
static int best_cpu(const cpu_set_t *machine, int end, const struct topology *t,
		    const unsigned int *used, const cpu_set_t *mine)
{
	int cpu, other, best = -1;
	long merit, most = LONG_MIN;

	for (cpu = 0; cpu < end; cpu++) {
		if (!CPU_ISSET(cpu, machine) || CPU_ISSET(cpu, mine))
			continue;
		merit = -OTHERS * used[cpu] - SLOW * t->type[cpu];
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

/* What it had, as far as it still wants it, and nobody else has it: slow ones go first. */
static void keep(const cpu_set_t *machine, int end, const struct topology *t, unsigned int *used, struct place *p)
{
	cpu_set_t had = p->cpus;
	unsigned int type, kept = 0;
	int cpu;

	CPU_ZERO(&p->cpus);
	for (type = 0; type < (t->types ? t->types : 1); type++) {
		for (cpu = 0; cpu < end && kept < p->wanted; cpu++) {
			if (t->type[cpu] != type || !CPU_ISSET(cpu, &had) || !CPU_ISSET(cpu, machine) || used[cpu])
				continue;
			CPU_SET(cpu, &p->cpus);
			used[cpu]++;
			kept++;
		}
	}
}

static int end_of(const cpu_set_t *machine)
{
	int end = CPU_SETSIZE;

	while (end && !CPU_ISSET(end - 1, machine))
		end--;
	return end;
}

/* Who loses most by slow CPUs chooses first; otherwise, in the order in which they stand. */
static int by_loss(const void *one, const void *other)
{
	const struct place *a = *(struct place *const *)one, *b = *(struct place *const *)other;

	if (a->loss != b->loss)
		return a->loss < b->loss ? 1 : -1;
	return a < b ? -1 : a > b;
}

void place_all(const cpu_set_t *machine, const struct topology *t, struct place *place, size_t n)
{
	unsigned int used[CPU_SETSIZE] = {0};
	int cpu, end = end_of(machine);
	struct place **order = calloc(n ? n : 1, sizeof(*order));
	size_t i;

	for (i = 0; i < n; i++)
		keep(machine, end, t, used, &place[i]);
	for (i = 0; order && i < n; i++)
		order[i] = &place[i];
	if (order)
		qsort(order, n, sizeof(*order), by_loss);
	for (i = 0; i < n; i++) {
		struct place *p = order ? order[i] : &place[i];

		while (CPU_COUNT(&p->cpus) < (int)p->wanted) {
			cpu = best_cpu(machine, end, t, used, &p->cpus);
			if (cpu < 0)
				break;
			CPU_SET(cpu, &p->cpus);
			used[cpu]++;
		}
	}
	free(order);
}

/**
 * struct ends - of the CPUs that a program has alone
 * @slow: one of the slowest; -1: it has none
 * @fast: one of the fastest
 */
struct ends {
	int slow, fast;
};

static struct ends ends_of(const cpu_set_t *machine, const struct topology *t, const unsigned int *used, int end,
			   const struct place *p)
{
	struct ends e = {-1, -1};
	int cpu;

	for (cpu = 0; cpu < end; cpu++) {
		if (!CPU_ISSET(cpu, &p->cpus) || !CPU_ISSET(cpu, machine) || used[cpu] != 1)
			continue;
		if (e.slow < 0 || t->type[cpu] > t->type[e.slow])
			e.slow = cpu;
		if (e.fast < 0 || t->type[cpu] < t->type[e.fast])
			e.fast = cpu;
	}
	return e;
}

/* The fastest one that nobody has. */
static int free_cpu(const cpu_set_t *machine, int end, const struct topology *t, const unsigned int *used)
{
	int cpu, best = -1;

	for (cpu = 0; cpu < end; cpu++)
		if (CPU_ISSET(cpu, machine) && !used[cpu] && (best < 0 || t->type[cpu] < t->type[best]))
			best = cpu;
	return best;
}

/* So much more does one gain than the other loses, as far as is known of both; 0: too little. */
static double gain(const struct place *place, const struct ends *ends, const struct topology *t, size_t i, size_t k)
{
	double more = place[i].loss - place[k].loss;

	if (ends[i].slow < 0 || ends[k].fast < 0 || t->type[ends[k].fast] >= t->type[ends[i].slow])
		return 0;
	return place[i].is_known && place[k].is_known && more > GAIN ? more : 0;
}

/* Whoever loses most on a CPU that is slower than one that nobody has; NULL: nobody. */
static struct place *taker_of(const struct topology *t, int unused, const struct ends *ends, struct place *place, size_t n)
{
	struct place *taker = NULL;
	size_t i;

	for (i = 0; unused >= 0 && i < n; i++)
		if (ends[i].slow >= 0 && t->type[unused] < t->type[ends[i].slow] &&
		    (!taker || place[i].loss > taker->loss))
			taker = &place[i];
	return taker;
}

static void give(struct place *taker, int slow, int fast)
{
	CPU_CLR(slow, &taker->cpus);
	CPU_SET(fast, &taker->cpus);
}

static bool exchange(const struct topology *t, const struct ends *ends, struct place *place, size_t n)
{
	size_t i, k, taker = 0, giver = 0;
	double most = 0;

	for (i = 0; i < n; i++) {
		for (k = 0; k < n; k++) {
			if (gain(place, ends, t, i, k) <= most)
				continue;
			most = gain(place, ends, t, i, k);
			taker = i;
			giver = k;
		}
	}
	if (most <= 0)
		return false;
	give(&place[taker], ends[taker].slow, ends[giver].fast);
	give(&place[giver], ends[giver].fast, ends[taker].slow);
	return true;
}

bool place_faster(const cpu_set_t *machine, const struct topology *t, struct place *place, size_t n)
{
	struct ends *ends = t->types > 1 && n ? calloc(n, sizeof(*ends)) : NULL;
	unsigned int used[CPU_SETSIZE] = {0};
	int cpu, end = end_of(machine), unused;
	struct place *taker;
	size_t i;
	bool changed;

	if (!ends)
		return false;
	for (i = 0; i < n; i++)
		for (cpu = 0; cpu < end; cpu++)
			used[cpu] += !!CPU_ISSET(cpu, &place[i].cpus);
	for (i = 0; i < n; i++)
		ends[i] = ends_of(machine, t, used, end, &place[i]);
	unused = free_cpu(machine, end, t, used);
	taker = taker_of(t, unused, ends, place, n);
	if (taker)
		give(taker, ends[taker - place].slow, unused);
	changed = taker || exchange(t, ends, place, n);
	free(ends);
	return changed;
}
