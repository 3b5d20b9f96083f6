// SPDX-License-Identifier: GPL-2.0-or-later
#include "place.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include <hwloc.h>

/*
 * Weights for the choice of a CPU, each heavier than all before it. For a CPU: free CPUs in its
 * node, in its cache; the program's own CPUs in its node, in its cache. Against a CPU: that it is
 * slow, that other programs have it.
 */
#define FREE_IN_NODE 1L
#define FREE_IN_CACHE 2L
#define OWN_IN_NODE (4L * CPU_SETSIZE)
#define OWN_IN_CACHE (2L * CPU_SETSIZE * OWN_IN_NODE)
#define SLOW (2L * CPU_SETSIZE * OWN_IN_CACHE)
#define OTHERS (2L * CORE_TYPES_MOST * SLOW)
/* Two programs exchange CPUs if one gains so much more than the other loses, as a part of a CPU. */
#define GAIN 0.1

/* Returns the first of these CPUs; CPUs that are not known count as CPU 0. */
static int first_of(hwloc_const_bitmap_t cpus)
{
	int first = cpus ? hwloc_bitmap_first(cpus) : 0;

	return first > 0 && first < CPU_SETSIZE ? first : 0;
}

/* Returns the first CPU of a cache. If nodes share a cache, each node has its part of it. */
static int cache_of(hwloc_topology_t hw, hwloc_obj_t cpu, hwloc_const_bitmap_t node)
{
	static const hwloc_obj_type_t kinds[] = {HWLOC_OBJ_L5CACHE, HWLOC_OBJ_L4CACHE, HWLOC_OBJ_L3CACHE,
						 HWLOC_OBJ_L2CACHE};
	hwloc_bitmap_t both = hwloc_bitmap_alloc();
	hwloc_obj_t cache = NULL;
	int first;
	size_t i;

	for (i = 0; !cache && i < sizeof(kinds) / sizeof(*kinds); i++)
		cache = hwloc_get_ancestor_obj_by_type(hw, kinds[i], cpu);
	if (cache && both)
		hwloc_bitmap_and(both, cache->cpuset, node);
	first = first_of(cache ? both : node);
	hwloc_bitmap_free(both);
	return first;
}

static void place_cpu(struct topology *t, hwloc_topology_t hw, hwloc_obj_t cpu)
{
	hwloc_bitmap_t node = hwloc_bitmap_alloc();

	if (node && cpu->nodeset && cpu->os_index < CPU_SETSIZE) {
		hwloc_cpuset_from_nodeset(hw, node, cpu->nodeset);
		t->node[cpu->os_index] = first_of(node);
		t->cache[cpu->os_index] = cache_of(hw, cpu, node);
	}
	hwloc_bitmap_free(node);
}

void place_topology(struct topology *t)
{
	hwloc_topology_t hw;
	hwloc_obj_t cpu = NULL;

	memset(t, 0, sizeof(*t));
	t->types = 1;
	if (hwloc_topology_init(&hw))
		return;
	/* CPUs that qosd may not use are included, because programs may use them. */
	hwloc_topology_set_flags(hw, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED);
	if (!hwloc_topology_load(hw)) {
		while ((cpu = hwloc_get_next_obj_by_type(hw, HWLOC_OBJ_PU, cpu)))
			place_cpu(t, hw, cpu);
	}
	hwloc_topology_destroy(hw);
}

/**
 * struct group_cpus - CPUs of a cache, or of a node
 * @own: number of CPUs that the program has
 * @free: number of CPUs that no program has
 */
struct group_cpus {
	long own, free;
};

static void count_cpus(const cpu_set_t *machine, int end, const struct topology *t, const unsigned int *used,
		       const cpu_set_t *mine, struct group_cpus *cache, struct group_cpus *node)
{
	bool own, unused;
	int cpu;

	memset(cache, 0, (size_t)end * sizeof(*cache));
	memset(node, 0, (size_t)end * sizeof(*node));
	for (cpu = 0; cpu < end; cpu++) {
		if (!CPU_ISSET(cpu, machine))
			continue;
		own = CPU_ISSET(cpu, mine);
		unused = !own && !used[cpu];
		cache[t->cache[cpu]].own += own;
		cache[t->cache[cpu]].free += unused;
		node[t->node[cpu]].own += own;
		node[t->node[cpu]].free += unused;
	}
}

/*
 * Returns the best further CPU for a program: few other programs have it, and it is near many of
 * the program's own.
 */
static int best_cpu(const cpu_set_t *machine, int end, const struct topology *t,
		    const unsigned int *used, const cpu_set_t *mine)
{
	/* A cache or node is counted at its first CPU, which is less than @end. */
	struct group_cpus cache[CPU_SETSIZE], node[CPU_SETSIZE];
	const struct group_cpus *c, *n;
	int cpu, best = -1;
	long merit, most = LONG_MIN;

	count_cpus(machine, end, t, used, mine, cache, node);
	for (cpu = 0; cpu < end; cpu++) {
		if (!CPU_ISSET(cpu, machine) || CPU_ISSET(cpu, mine))
			continue;
		c = &cache[t->cache[cpu]];
		n = &node[t->node[cpu]];
		merit = -OTHERS * used[cpu] - SLOW * t->type[cpu] + OWN_IN_CACHE * c->own +
			OWN_IN_NODE * (n->own - c->own) + FREE_IN_CACHE * c->free + FREE_IN_NODE * (n->free - c->free);
		if (merit > most) {
			most = merit;
			best = cpu;
		}
	}
	return best;
}

/*
 * Keep the CPUs that the program had, if it still wants them and no other program has them. Slow
 * CPUs are given back first.
 */
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

/**
 * struct turn - a program that chooses CPUs
 * @worth: worth of a CPU of the slowest type: the program that loses most by these chooses first
 */
struct turn {
	struct place *place;
	double worth;
};

/* Programs that lose the same keep their order. */
static int by_loss(const void *one, const void *other)
{
	const struct turn *a = one, *b = other;

	if (a->worth != b->worth)
		return a->worth < b->worth ? -1 : 1;
	return a->place < b->place ? -1 : a->place > b->place;
}

void place_all(const cpu_set_t *machine, const struct topology *t, struct place *place, size_t n)
{
	struct turn *turn = calloc(n ? n : 1, sizeof(*turn));
	unsigned int used[CPU_SETSIZE] = {0};
	int cpu, end = end_of(machine);
	size_t i;

	for (i = 0; i < n; i++)
		keep(machine, end, t, used, &place[i]);
	for (i = 0; turn && i < n; i++)
		turn[i] = (struct turn){&place[i], place[i].worth[t->types ? t->types - 1 : 0]};
	if (turn)
		qsort(turn, n, sizeof(*turn), by_loss);
	for (i = 0; i < n; i++) {
		struct place *p = turn ? turn[i].place : &place[i];

		while (CPU_COUNT(&p->cpus) < (int)p->wanted) {
			cpu = best_cpu(machine, end, t, used, &p->cpus);
			if (cpu < 0)
				break;
			CPU_SET(cpu, &p->cpus);
			used[cpu]++;
		}
	}
	free(turn);
}

/**
 * struct own - CPUs that a program has alone, or that no program has
 * @cpu: one of each core type; -1: there is none
 */
struct own {
	int cpu[CORE_TYPES_MOST];
};

/* Find CPUs in @cpus that @many programs have, one of each core type. */
static struct own own_of(const cpu_set_t *machine, const struct topology *t, const unsigned int *used, int end,
			 const cpu_set_t *cpus, unsigned int many)
{
	struct own own;
	unsigned int type;
	int cpu;

	for (type = 0; type < CORE_TYPES_MOST; type++)
		own.cpu[type] = -1;
	for (cpu = 0; cpu < end; cpu++)
		if (CPU_ISSET(cpu, cpus) && CPU_ISSET(cpu, machine) && used[cpu] == many && own.cpu[t->type[cpu]] < 0)
			own.cpu[t->type[cpu]] = cpu;
	return own;
}

/**
 * struct exchange - of a slower CPU of a program for a faster one
 * @taker: the program that gets the faster CPU
 * @giver: the program that has the faster CPU; NULL: none has it
 * @gain: what the taker gains beyond what the giver loses, as a part of a CPU
 */
struct exchange {
	struct place *taker, *giver;
	int slow, fast;
	double gain;
};

/* Store the best exchange between these two programs, if it is better than @best. */
static void better_exchange(struct exchange *best, struct place *taker, const struct own *slow,
			    struct place *giver, const struct own *fast)
{
	unsigned int s, f;
	double gain;

	if (giver && (!taker->is_known || !giver->is_known))
		return;
	for (s = CORE_TYPES_MOST; s-- > 1;) {
		for (f = 0; f < s; f++) {
			if (slow->cpu[s] < 0 || fast->cpu[f] < 0)
				continue;
			gain = taker->worth[f] - taker->worth[s];
			if (giver)
				gain -= giver->worth[f] - giver->worth[s];
			if (gain > best->gain)
				*best = (struct exchange){taker, giver, slow->cpu[s], fast->cpu[f], gain};
		}
	}
}

static void give(struct place *taker, int slow, int fast)
{
	CPU_CLR(slow, &taker->cpus);
	CPU_SET(fast, &taker->cpus);
}

/* A faster CPU that is free is taken first, also if nothing is known of the program. */
static struct exchange best_exchange(const struct own *unused, const struct own *own, struct place *place, size_t n)
{
	struct exchange best = {.gain = -1e-9};
	size_t i, k;

	for (i = 0; i < n; i++)
		better_exchange(&best, &place[i], &own[i], NULL, unused);
	if (best.taker)
		return best;
	best.gain = GAIN;
	for (i = 0; i < n; i++)
		for (k = 0; k < n; k++)
			better_exchange(&best, &place[i], &own[i], &place[k], &own[k]);
	return best;
}

bool place_faster(const cpu_set_t *machine, const struct topology *t, struct place *place, size_t n)
{
	struct own unused, *own = t->types > 1 && n ? calloc(n, sizeof(*own)) : NULL;
	unsigned int used[CPU_SETSIZE] = {0};
	int cpu, end = end_of(machine);
	struct exchange best;
	size_t i;

	if (!own)
		return false;
	for (i = 0; i < n; i++)
		for (cpu = 0; cpu < end; cpu++)
			used[cpu] += !!CPU_ISSET(cpu, &place[i].cpus);
	for (i = 0; i < n; i++)
		own[i] = own_of(machine, t, used, end, &place[i].cpus, 1);
	unused = own_of(machine, t, used, end, machine, 0);
	best = best_exchange(&unused, own, place, n);
	if (best.taker)
		give(best.taker, best.slow, best.fast);
	if (best.giver)
		give(best.giver, best.fast, best.slow);
	free(own);
	return best.taker;
}
