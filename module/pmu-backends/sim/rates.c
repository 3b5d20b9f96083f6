// SPDX-License-Identifier: GPL-2.0-only
/*
 * Computes how fast a thread is, and how often events happen, from its core, its share of each
 * cache and the load of the memory. Numbers in comments are those of the equations in
 * Documentation/simulation.md.
 */
#include <linux/minmax.h>

#include "rates.h"

#define MILLION		1000000ULL

/* A memory controller is never busier than this, in thousandths. Other requests wait. */
#define MEM_BUSY_MAX	980
/* Steps of the search for a memory's latency; each halves the error. */
#define MEM_SEARCH	14

/*
 * Variation
 */

/* log2 of the instructions between two bends of a rate: about 1 ms, 20 ms and 0.5 s. */
static const u8 pmct_sim_bends[PMCT_SIM_BENDS] = { 20, 25, 30 };

/* Turns consecutive numbers into unrelated numbers. */
static u64 pmct_sim_hash(u64 value)
{
	value = (value ^ (value >> 32)) * 0xd6e8feb86659fd93ULL;
	value = (value ^ (value >> 29)) * 0x9fb21c651e98df25ULL;
	return value ^ (value >> 32);
}

/* Returns the value at a bend, from 0 to 2000. */
static s32 pmct_sim_at_bend(u64 seed, u64 number)
{
	return pmct_sim_hash(pmct_sim_hash(seed) ^ pmct_sim_hash(number)) % 2001;
}

/* Returns a value from -1000 to 1000, linear between bends. */
static s64 pmct_sim_between(struct pmct_sim_bend *b, u64 seed, u64 position, unsigned int shift)
{
	s64 part = (position & ((1ULL << shift) - 1)) >> (shift - 10);
	u64 before = position >> shift;

	if (b->number != before + 1) {
		b->from = before && b->number == before ? b->to : pmct_sim_at_bend(seed, before);
		b->number = before + 1;
		b->to = pmct_sim_at_bend(seed, b->number);
	}
	return b->from + (b->to - b->from) * part / 1024 - 1000;
}

/*
 * (1) Returns the factor of a rate, in thousandths. It depends only on the position in the program,
 * not on when it is asked for.
 */
static u64 pmct_sim_vary(struct pmct_sim_thread *t, const struct pmct_sim_phase *p,
			 enum pmct_sim_channel channel)
{
	s64 sum = 0;
	unsigned int i;

	if (!p->wander)
		return 1000;
	for (i = 0; i < PMCT_SIM_BENDS; i++)
		sum += pmct_sim_between(&t->bend[channel][i], t->seed + channel * 16 + i,
					t->count[PMCT_SIM_INSTR], pmct_sim_bends[i]);
	return 1000 + sum * (s64)p->wander / (1000 * PMCT_SIM_BENDS);
}

/*
 * Code
 */

/* All programs execute the first blocks: a library. */
#define PMCT_SIM_LIBRARY	64

/**
 * pmct_sim_ip() - the instruction at which a thread is
 * @t: the thread
 *
 * (13) It depends only on the position in the program, as rates do.
 *
 * Return: an address.
 */
u64 pmct_sim_ip(const struct pmct_sim_thread *t)
{
	const struct pmct_sim_phase *p = pmct_sim_phase_of(t);
	u64 drawn = pmct_sim_hash(t->seed ^ pmct_sim_hash(t->count[PMCT_SIM_INSTR]));
	u32 share = (u16)drawn, block;

	if (!(drawn >> 60))
		block = share * PMCT_SIM_LIBRARY >> 16;
	else
		block = PMCT_SIM_LIBRARY + p->code + ((u64)share * share * p->blocks >> 32);
	return PMCT_SIM_TEXT + (u64)block * PMCT_SIM_BLOCK + (drawn >> 16 & 15) * 4;
}

/*
 * Rates
 */

/* (2) Misses per million accesses of a thread that has @has of a cache. */
static u64 pmct_sim_curve_at(const struct pmct_sim_curve *c, u64 has)
{
	u64 kib256 = has / PMCT_SIM_LINES_PER_KIB;	/* KiB times 256 */
	u64 from, to;
	unsigned int i;

	for (i = 1; i < c->nr; i++) {
		from = (u64)c->kib[i - 1] * PMCT_SIM_PART;
		to = (u64)c->kib[i] * PMCT_SIM_PART;
		if (kib256 < to)
			return c->ppm[i - 1] -
			       (u64)(c->ppm[i - 1] - c->ppm[i]) * (kib256 - from) / (to - from);
	}
	return c->ppm[c->nr - 1];
}

static void pmct_sim_rates_events(struct pmct_sim_thread *t,
				  const struct pmct_sim_phase *p, u64 l2, u64 llc, u64 *event)
{
	u64 tlb = pmct_sim_vary(t, p, PMCT_SIM_VARY_TLB);
	u64 misses;

	event[PMCT_SIM_INSTR] = MILLION;
	event[PMCT_SIM_BRANCHES] = p->branches;
	event[PMCT_SIM_COND_BRANCHES] = p->cond_branches;
	event[PMCT_SIM_BRANCH_MISSES] =
		p->branch_misses * pmct_sim_vary(t, p, PMCT_SIM_VARY_BRANCH) / 1000;
	event[PMCT_SIM_L1D] = p->l1d;
	event[PMCT_SIM_ITLB_MISSES] = p->itlb_misses * tlb / 1000;
	event[PMCT_SIM_DTLB_MISSES] = p->dtlb_misses * tlb / 1000;
	event[PMCT_SIM_L1D_MISSES] =
		p->l1d_misses * pmct_sim_vary(t, p, PMCT_SIM_VARY_DATA) / 1000;
	event[PMCT_SIM_L2_MISSES] =
		event[PMCT_SIM_L1D_MISSES] * pmct_sim_curve_at(&p->l2, l2) / MILLION;
	misses = event[PMCT_SIM_L2_MISSES] * pmct_sim_curve_at(&p->llc, llc) / MILLION *
		 pmct_sim_vary(t, p, PMCT_SIM_VARY_LLC) / 1000;
	event[PMCT_SIM_LLC_MISSES] = min(misses, event[PMCT_SIM_L2_MISSES]);
	event[PMCT_SIM_MEM_LINES] =
		event[PMCT_SIM_LLC_MISSES] * (1000 + p->write_backs) / 1000;
}

static void pmct_sim_rates_time(struct pmct_sim_thread *t, const struct pmct_sim_phase *p,
				const struct pmct_sim_core_type *core, u32 llc_ps,
				struct pmct_sim_rates *r)
{
	u64 ilp = p->ilp * pmct_sim_vary(t, p, PMCT_SIM_VARY_ILP) / 1000;
	u64 mlp = 1000 + (p->mlp - 1000ULL) * core->overlap / 1000;
	u64 *event = r->event;
	u64 decode = (u64)p->front_end * core->front_end / 1000;
	u64 issue, fetch, data, llc_hits;

	ilp = max(ilp * core->ilp_used / 1000, 1ULL);
	/* (3) */
	issue = 1000 * MILLION / core->width + 1000 * MILLION / ilp;
	fetch = decode + event[PMCT_SIM_BRANCH_MISSES] * core->branch_cycles +
		event[PMCT_SIM_ITLB_MISSES] * core->walk_cycles;
	data = event[PMCT_SIM_DTLB_MISSES] * core->walk_cycles +
	       (event[PMCT_SIM_L1D_MISSES] - event[PMCT_SIM_L2_MISSES]) * core->l2_cycles;
	llc_hits = event[PMCT_SIM_L2_MISSES] - event[PMCT_SIM_LLC_MISSES];
	/* (4) */
	r->core_ps = (issue + fetch + data) * MILLION / core->mhz +
		     llc_hits * llc_ps * 1000 / mlp;
	r->mem_waits = event[PMCT_SIM_LLC_MISSES] * MILLION / mlp;
	event[PMCT_SIM_STALLS_FETCH] = fetch;
	event[PMCT_SIM_STALLS_DATA] = issue + fetch;
}

/**
 * pmct_sim_rates_memory() - add what depends on the memory's latency
 * @core: core type on which the thread runs
 * @mem_ps: the latency
 * @r: rates of pmct_sim_rates(); complete afterwards. To be called once only
 */
void pmct_sim_rates_memory(const struct pmct_sim_core_type *core, u64 mem_ps,
			   struct pmct_sim_rates *r)
{
	u64 busy = r->event[PMCT_SIM_STALLS_DATA];

	r->ps = max(r->core_ps + r->mem_waits * mem_ps / 1000, 1ULL);
	r->event[PMCT_SIM_CYCLES] = r->ps * core->mhz / MILLION;
	r->event[PMCT_SIM_STALLS_DATA] =
		r->event[PMCT_SIM_CYCLES] - min(busy, r->event[PMCT_SIM_CYCLES]);
}

/* (5) Lines per ms that a thread with these rates requests from memory of this latency. */
static u64 pmct_sim_traffic(const struct pmct_sim_rates *r, u64 mem_ps)
{
	return r->event[PMCT_SIM_MEM_LINES] * 1000 * MILLION /
	       max(r->core_ps + r->mem_waits * mem_ps / 1000, 1ULL);
}

/* (6) The latency of a memory that is asked for @lines per ms. */
static u64 pmct_sim_queue(const struct pmct_sim_node *node, u64 lines)
{
	u64 busy = min(lines * PMCT_SIM_LINE / node->mem_mbs, (u64)MEM_BUSY_MAX);

	return node->mem_ps + node->mem_ps * busy * busy / (1000 - busy) / 2000;
}

/**
 * pmct_sim_latency() - (7) the latency that is caused by the requests at this same latency
 * @node: the memory
 * @rates: rates of the threads that use it
 * @nr: number of threads
 *
 * Return: ps.
 */
u64 pmct_sim_latency(const struct pmct_sim_node *node,
		     const struct pmct_sim_rates *const *rates, unsigned int nr)
{
	u64 low = node->mem_ps;
	u64 high = pmct_sim_queue(node, ~0ULL / PMCT_SIM_LINE);
	unsigned int i, n;
	u64 middle, lines;

	for (n = 0; n < MEM_SEARCH; n++) {
		middle = (low + high) / 2;
		lines = 0;
		for (i = 0; i < nr; i++)
			lines += pmct_sim_traffic(rates[i], middle);
		if (pmct_sim_queue(node, lines) > middle)
			low = middle;
		else
			high = middle;
	}
	return low;
}

/**
 * pmct_sim_rates() - compute rates, without what depends on the memory's latency
 * @m: the machine
 * @type: core type
 * @cluster: cluster whose last-level cache is used
 * @t: the thread
 * @l2: what the thread has of its private cache
 * @llc: what the thread has of the last-level cache
 * @r: where the rates are stored; pmct_sim_rates_memory() completes them
 */
void pmct_sim_rates(const struct pmct_sim_machine *m, unsigned int type, unsigned int cluster,
		    struct pmct_sim_thread *t, u64 l2, u64 llc, struct pmct_sim_rates *r)
{
	const struct pmct_sim_phase *p = pmct_sim_phase_of(t);

	pmct_sim_rates_events(t, p, l2, llc, r->event);
	pmct_sim_rates_time(t, p, &m->type[type], m->cluster[cluster].llc_ps, r);
	/* (8) */
	r->mem_pj = r->event[PMCT_SIM_MEM_LINES] * m->mem_pj;
	r->pj = (u64)m->type[type].instr_pj * p->energy * 1000 +
		r->event[PMCT_SIM_L2_MISSES] * m->llc_pj + r->mem_pj;
}
