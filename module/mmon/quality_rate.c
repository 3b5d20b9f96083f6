// SPDX-License-Identifier: GPL-2.0-only
/* Computes Quality Time, see quality_rate.h. */
#include <linux/export.h>
#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/time64.h>

#include "mmon-common.h"
#include "quality_rate.h"

/* Two intervals are of one phase if their kinds differ by at most this, in percent. */
#define SAME_KIND	10
/* Fixed-point unit of ns for an event, and of misses for an event. */
#define SCALE		1000000U
/* Times for an event are within 0.001 ns and 1 ms. */
#define TIME_LEAST	(SCALE / 1000)
#define TIME_MOST	((u64)SCALE * NSEC_PER_MSEC)
/* Limit of the time for an event in a piece, so that the sums of products fit. */
#define SLOW		10000000000LL
/* Parts of others' lines are in 1 / WHOLE. */
#define WHOLE		65536
/*
 * Limits of the fall of the time for an event: in percent, and in ns for each miss (about half of a
 * memory's latency). They were chosen with simulated programs (Documentation/quality-time.md).
 */
#define FALL_MOST	15
#define MISS_NS		40
/* A rate is the mean of at most this many samples; older ones fade. */
#define MEAN_OF		8U
/* Time that does not fit is kept for the next intervals, up to this. */
#define CARRY_NS	(100 * NSEC_PER_MSEC)
/* Intervals that match no rate wait for one. After this CPU time, they take the nearest rate. */
#define PATIENCE_NS	(1000 * NSEC_PER_MSEC)
/* Longer times alone are cut to this, 11 days. */
#define LONGEST_NS	(1000000000ULL * NSEC_PER_MSEC)

/* Returns 0 if there are no instructions, or accesses are not counted. */
u32 pmct_quality_kind(const u64 *count)
{
	u64 instr = count[PMCT_QUALITY_INSTR] / 1000;

	return instr ? min_t(u64, div64_u64(count[PMCT_QUALITY_L1D], instr), U32_MAX) : 0;
}
EXPORT_SYMBOL_GPL(pmct_quality_kind);

static u32 apart(u32 one, u32 other)
{
	return one > other ? one - other : other - one;
}

static bool is_same_kind(u32 one, u32 other)
{
	return (u64)apart(one, other) * 100 <= (u64)max(one, other) * SAME_KIND;
}

/**
 * pmct_quality_find() - find the rate for what a thread has done
 * @rates: PMCT_QUALITY_KINDS rates that are known of the thread
 * @core_type: where the thread has done it
 * @kind: kind of what the thread has done
 * @any: if no rate is of that kind, take the nearest one
 *
 * Return: the rate, or NULL.
 */
struct pmct_quality_rate *pmct_quality_find(struct pmct_quality_rate *rates, u8 core_type,
					    u32 kind, bool any)
{
	struct pmct_quality_rate *best = NULL;
	unsigned int i;

	for (i = 0; i < PMCT_QUALITY_KINDS; i++) {
		if (!rates[i].nr || rates[i].core_type != core_type ||
		    !(any || is_same_kind(rates[i].kind, kind)))
			continue;
		if (!best || apart(rates[i].kind, kind) < apart(best->kind, kind))
			best = &rates[i];
	}
	return best;
}
EXPORT_SYMBOL_GPL(pmct_quality_find);

/**
 * pmct_quality_note() - add a measured rate
 * @rates: PMCT_QUALITY_KINDS rates that are known of the thread; updated
 * @rate: the new rate, of one sample
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

/* Time for an event, in 10^-6 ns, of pieces @from to @to - 1; 0: no events, or nonsense. */
static u64 time_of(const struct pmct_quality_part *piece, unsigned int from, unsigned int to,
		   enum pmct_quality_event event)
{
	u64 events = 0, ns = 0, time;

	for (; from < to; from++) {
		events += piece[from].count[event];
		ns += piece[from].ns;
	}
	if (!ns || !pmct_ratio(ns, events, SCALE, &time))
		return 0;
	return clamp_t(u64, time, TIME_LEAST, TIME_MOST);
}

/**
 * struct line - a straight line through the last pieces of a sample
 * @sum_xx: sum of squares of x, times the number of pieces. x is what left_of() gives for the
 *	middle of a piece, minus the mean
 * @time: sum of products of x and the time for an event, likewise: how the time falls with x
 * @misses: the same for misses for an event
 */
struct line {
	u64 sum_xx;
	s64 time;
	s64 misses;
};

/* Misses for an event, in 1 / SCALE, of pieces @from to @to - 1. */
static u64 misses_of(const struct pmct_quality_part *piece, unsigned int from, unsigned int to,
		     enum pmct_quality_event event)
{
	u64 misses = 0, events = 0, ratio;

	for (; from < to; from++) {
		misses += piece[from].count[PMCT_QUALITY_LLC_MISSES];
		events += piece[from].count[event];
	}
	return pmct_ratio(misses, events, SCALE, &ratio) ? min_t(u64, ratio, SCALE) : 0;
}

/*
 * Compute which part of others' lines, in 1 / WHOLE, is still in the cache in the middle of each
 * piece. Each line that comes in replaces any of the cache's @lines.
 */
static void left_of(s64 *left, const struct pmct_quality_part *piece, unsigned int nr, u32 lines)
{
	s64 now = WHOLE, gone;
	unsigned int i;

	for (i = 0; i < nr; i++) {
		gone = div_u64(now * min_t(u64, piece[i].count[PMCT_QUALITY_LLC_MISSES], lines),
			       lines);
		left[i] = now - gone / 2;
		now -= gone;
	}
}

static s64 mean_of(const s64 *values, unsigned int from, unsigned int to)
{
	s64 sum = 0;
	unsigned int i;

	for (i = from; i < to; i++)
		sum += values[i];
	return div_s64(sum, to - from);
}

/* Draw a line through pieces @from to @to - 1. */
static void draw_line(struct line *line, const struct pmct_quality_part *piece, const s64 *left,
		      unsigned int from, unsigned int to, enum pmct_quality_event event)
{
	s64 sum = 0, n = to - from, x;
	unsigned int i;

	for (i = from; i < to; i++)
		sum += left[i];
	*line = (struct line){ };
	for (i = from; i < to; i++) {
		/* Times @n, because a rounded mean would give a slope to steady times. */
		x = n * left[i] - sum;
		line->sum_xx += div_u64(x * x, n);
		line->time += x * min_t(s64, time_of(piece, i, i + 1, event), SLOW);
		line->misses += x * (s64)misses_of(piece, i, i + 1, event);
	}
}

/*
 * Returns how far the time for an event will fall until no lines of others are left. @time is the
 * time at the end of the sample. It is expected to fall as in the second half of the sample. It
 * does not fall if misses do not fall, and it falls by at most what misses cost.
 */
static u64 fall(const struct pmct_quality_part *piece, unsigned int nr,
		enum pmct_quality_event event, u32 lines, u64 time)
{
	u64 most = time * FALL_MOST / 100, rest;
	s64 left[PMCT_QUALITY_PIECES];
	struct line line;

	if (nr < 6 || nr > PMCT_QUALITY_PIECES || !lines)
		return 0;
	left_of(left, piece, nr, lines);
	draw_line(&line, piece, left, nr / 2, nr, event);
	if (line.time <= 0 || line.misses <= 0)
		return 0;
	if (!pmct_ratio(line.time, line.sum_xx, mean_of(left, nr - nr / 4, nr), &rest))
		return line.sum_xx ? most : 0;
	return min3(rest, most, misses_of(piece, nr - nr / 4, nr, event) * MISS_NS);
}

/**
 * pmct_quality_measure() - measure how fast a thread is alone, from a sample
 * @rate: where the rate is stored
 * @piece: the sample, in the order of time, from when all others were held
 * @nr: number of pieces, of about the same length
 * @event: the event that is counted
 * @lines: lines of the last-level cache; 0: unknown
 *
 * At first, the cache holds lines of others. The rate without them is extrapolated from the end of
 * the sample.
 *
 * Return: false if there are too few pieces, or no events.
 */
bool pmct_quality_measure(struct pmct_quality_rate *rate, const struct pmct_quality_part *piece,
			  unsigned int nr, enum pmct_quality_event event, u32 lines)
{
	u64 count[PMCT_QUALITY_NR] = { }, time;
	unsigned int i, e;

	if (nr < PMCT_QUALITY_LEAST)
		return false;
	time = time_of(piece, nr - nr / 4, nr, event);
	if (!time)
		return false;
	time -= fall(piece, nr, event, lines, time);
	rate->per_ms = div64_u64(SCALE * (u64)NSEC_PER_MSEC, time);
	for (i = 0; i < nr; i++) {
		for (e = 0; e < PMCT_QUALITY_NR; e++)
			count[e] += piece[i].count[e];
	}
	rate->kind = pmct_quality_kind(count);
	return true;
}
EXPORT_SYMBOL_GPL(pmct_quality_measure);

/* Time alone for @events, in ns. */
static u64 time_alone(u64 events, u64 per_ms)
{
	u64 ns;

	return pmct_ratio(events, per_ms, NSEC_PER_MSEC, &ns) ? min(ns, LONGEST_NS) : LONGEST_NS;
}

/**
 * pmct_quality_add() - add an interval beside others
 * @q: the thread; updated
 * @events: events in the interval
 * @cpu_ns: CPU time of the interval
 * @per_ms: rate alone, not 0
 *
 * No interval has more Quality Time than CPU time. What does not fit is kept for later intervals.
 * So no time is lost by a rate that is a little too high in one interval, and too low in the next.
 *
 * Return: the Quality Time of the interval, in ns.
 */
u64 pmct_quality_add(struct pmct_quality *q, u64 events, u64 cpu_ns, u64 per_ms)
{
	s64 wanted = time_alone(events, per_ms) + q->carry_ns;
	u64 got;

	cpu_ns = min_t(u64, cpu_ns, LONGEST_NS);
	got = clamp_t(s64, wanted, 0, cpu_ns);
	q->carry_ns = clamp_t(s64, wanted - (s64)got, -(s64)CARRY_NS, CARRY_NS);
	q->quality_ns += got;
	q->cpu_ns += cpu_ns;
	return got;
}
EXPORT_SYMBOL_GPL(pmct_quality_add);

/**
 * pmct_quality_explain() - turn what waits into Quality Time
 * @a: the thread; updated
 * @event: the event that is counted
 * @now: take any rate, even if @a has not waited for long
 *
 * What waits takes the rate of its kind, or the nearest one. If there is none, it goes on waiting.
 */
void pmct_quality_explain(struct pmct_quality_account *a, enum pmct_quality_event event, bool now)
{
	bool any = now || a->waiting.ns > PATIENCE_NS;
	const struct pmct_quality_rate *rate =
		pmct_quality_find(a->rate, a->core_type, pmct_quality_kind(a->waiting.count), any);

	if (!rate)
		return;
	pmct_quality_add(&a->q, a->waiting.count[event], a->waiting.ns, rate->per_ms);
	a->rated_ns = rate->sampled_ns;
	a->waiting = (struct pmct_quality_part){ };
}
EXPORT_SYMBOL_GPL(pmct_quality_explain);

/**
 * pmct_quality_use() - note the core type of a thread
 * @a: the thread; updated
 * @core_type: where the thread is
 * @event: the event that is counted
 *
 * If the core type has changed, what waits was done on the last one. It is explained now, or never.
 */
void pmct_quality_use(struct pmct_quality_account *a, u8 core_type, enum pmct_quality_event event)
{
	if (a->core_type == core_type)
		return;
	pmct_quality_explain(a, event, true);
	a->waiting = (struct pmct_quality_part){ };
	a->core_type = core_type;
}
EXPORT_SYMBOL_GPL(pmct_quality_use);

/**
 * pmct_quality_see() - add what the thread has done since the last call
 * @a: the thread; updated
 * @all: all that the thread has done
 */
void pmct_quality_see(struct pmct_quality_account *a, const struct pmct_quality_part *all)
{
	unsigned int i;

	/* If a record was lost, nothing is known of its interval. */
	for (i = 0; i < PMCT_QUALITY_NR && all->ns >= a->seen.ns; i++)
		a->waiting.count[i] += all->count[i] - a->seen.count[i];
	if (all->ns >= a->seen.ns)
		a->waiting.ns += all->ns - a->seen.ns;
	a->seen = *all;
}
EXPORT_SYMBOL_GPL(pmct_quality_see);
