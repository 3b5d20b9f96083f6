// SPDX-License-Identifier: GPL-2.0-only
/* See quality_rate.h. */
#include <linux/export.h>
#include <linux/limits.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/time64.h>

#include "mmon-common.h"
#include "quality_rate.h"

/* Two intervals are of one phase if their kinds differ by no more than this, in percent. */
#define SAME_KIND	10
#define SMALL		100U
/* A rate that rises is followed no further than by so many times its last rise. */
#define RISES_MOST	2
/* A rate is the mean of so many samples, by and by. */
#define MEAN_OF		8U
/* Time that does not fit is kept for the intervals that follow, up to so much. */
#define CARRY_NS	(100 * NSEC_PER_MSEC)
/* No CPU is faster, in events per ms: squares of differences fit. */
#define RATE_MOST	(1000ULL * NSEC_PER_MSEC)
/* Longer times alone are as long as this one, 11 days. */
#define TIME_MOST	(1000000000ULL * NSEC_PER_MSEC)

/* 0 if there are no instructions, or nobody counts the others. */
struct pmct_quality_kind pmct_quality_kind(const u64 *count)
{
	u64 instr = max(count[PMCT_QUALITY_INSTR] / 100000, 1ULL);
	u64 accesses = div64_u64(count[PMCT_QUALITY_L1D], instr) / 100;

	return (struct pmct_quality_kind){
		.accesses = min_t(u64, accesses, U16_MAX),
		.misses = min_t(u64, div64_u64(count[PMCT_QUALITY_L1D_MISSES], instr), U16_MAX),
	};
}
EXPORT_SYMBOL_GPL(pmct_quality_kind);

/* In percent of the greater one; small numbers do not differ. */
static u32 apart(u32 one, u32 other)
{
	return one > other ? (one - other) * 100 / max(one, SMALL) :
			     (other - one) * 100 / max(other, SMALL);
}

static u32 kinds_apart(struct pmct_quality_kind one, struct pmct_quality_kind other)
{
	return max(apart(one.accesses, other.accesses), apart(one.misses, other.misses));
}

/**
 * pmct_quality_find() - the rate for what a thread has done
 * @rates: PMCT_QUALITY_KINDS that are known of it
 * @core_type: where it has done it
 * @kind: of what it has done
 * @any: if none is of that kind, the nearest one will do
 *
 * Return: the rate, or NULL.
 */
struct pmct_quality_rate *pmct_quality_find(struct pmct_quality_rate *rates, u8 core_type,
					    struct pmct_quality_kind kind, bool any)
{
	struct pmct_quality_rate *best = NULL;
	unsigned int i;

	for (i = 0; i < PMCT_QUALITY_KINDS; i++) {
		if (rates[i].nr && rates[i].core_type == core_type && (any || kinds_apart(rates[i].kind, kind) <= SAME_KIND) &&
		    (!best || kinds_apart(rates[i].kind, kind) < kinds_apart(best->kind, kind)))
			best = &rates[i];
	}
	return best;
}
EXPORT_SYMBOL_GPL(pmct_quality_find);

/**
 * pmct_quality_note() - a rate was measured
 * @rates: PMCT_QUALITY_KINDS that are known of the thread; updated
 * @rate: the new one, of one sample
 */
void pmct_quality_note(struct pmct_quality_rate *rates, const struct pmct_quality_rate *rate)
{
	struct pmct_quality_rate *r = pmct_quality_find(rates, rate->core_type, rate->kind,
							    false);
	unsigned int i;

	if (r) {
		r->nr = min(r->nr + 1U, MEAN_OF);
		r->per_ms = div_u64(r->per_ms * (r->nr - 1) + rate->per_ms, r->nr);
		r->kind = rate->kind;
		r->sampled_ns = rate->sampled_ns;
		return;
	}
	r = rates;
	for (i = 1; i < PMCT_QUALITY_KINDS; i++) {
		if (rates[i].sampled_ns < r->sampled_ns)
			r = &rates[i];
	}
	*r = *rate;
	r->nr = 1;
}
EXPORT_SYMBOL_GPL(pmct_quality_note);

/* Events per ms in pieces @from to @to - 1; 0: none. */
static u64 rate_of(const struct pmct_quality_part *piece, unsigned int from, unsigned int to,
		   enum pmct_quality_event event)
{
	u64 events = 0, ns = 0, rate;

	for (; from < to; from++) {
		events += piece[from].count[event];
		ns += piece[from].ns;
	}
	return pmct_ratio(events, ns, NSEC_PER_MSEC, &rate) ? min(rate, RATE_MOST) : 0;
}

/*
 * Where the rate is going that was @one, @two and @three in equal times: caches that fill make it
 * approach its end by the same factor each time, so the rest is a geometric series.
 */
static u64 approached(u64 one, u64 two, u64 three)
{
	s64 first = two - one, second = three - two;
	u64 most = RISES_MOST * second;

	if (second <= 0)
		return three;
	/* Noise, or it does not rise more and more slowly yet. */
	if (second >= first)
		return three + most;
	return three + min(div64_u64((u64)second * second, first - second), most);
}

/**
 * pmct_quality_measure() - how fast a thread is alone, from a sample
 * @rate: where it goes
 * @piece: the sample, in the order of time, from when all others stood still
 * @nr: pieces, of about the same length
 * @event: what is counted
 *
 * The caches hold what others used at first: the rate at the end is followed on to where it goes.
 *
 * Return: false: too few pieces, or no events.
 */
bool pmct_quality_measure(struct pmct_quality_rate *rate, const struct pmct_quality_part *piece,
			  unsigned int nr, enum pmct_quality_event event)
{
	u64 count[PMCT_QUALITY_NR] = { }, one, two, three;
	unsigned int third = nr / 3, i, e;

	if (!third)
		return false;
	one = rate_of(piece, nr - 3 * third, nr - 2 * third, event);
	two = rate_of(piece, nr - 2 * third, nr - third, event);
	three = rate_of(piece, nr - third, nr, event);
	rate->per_ms = approached(one, two, three);
	for (i = 0; i < nr; i++) {
		for (e = 0; e < PMCT_QUALITY_NR; e++)
			count[e] += piece[i].count[e];
	}
	rate->kind = pmct_quality_kind(count);
	return rate->per_ms;
}
EXPORT_SYMBOL_GPL(pmct_quality_measure);

/* Time alone for so many events, in ns. */
static u64 time_alone(u64 events, u64 per_ms)
{
	u64 ns;

	return pmct_ratio(events, per_ms, NSEC_PER_MSEC, &ns) ? min(ns, TIME_MOST) : TIME_MOST;
}

/**
 * pmct_quality_add() - an interval beside others
 * @q: the thread; updated
 * @events: in the interval
 * @cpu_ns: its CPU time
 * @per_ms: rate alone, not 0
 *
 * No interval has more Quality Time than CPU time. A rate that is a little wrong, one way in one
 * interval and the other way in the next, is not to lose time by that, so what does not fit is
 * kept for later ones.
 *
 * Return: the Quality Time of the interval, in ns.
 */
u64 pmct_quality_add(struct pmct_quality *q, u64 events, u64 cpu_ns, u64 per_ms)
{
	s64 wanted = time_alone(events, per_ms) + q->carry_ns;
	u64 got;

	cpu_ns = min_t(u64, cpu_ns, TIME_MOST);
	got = clamp_t(s64, wanted, 0, cpu_ns);
	q->carry_ns = clamp_t(s64, wanted - (s64)got, -(s64)CARRY_NS, CARRY_NS);
	q->quality_ns += got;
	q->cpu_ns += cpu_ns;
	return got;
}
EXPORT_SYMBOL_GPL(pmct_quality_add);
