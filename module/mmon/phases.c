// SPDX-License-Identifier: GPL-2.0-only
/* Finds the phases of a program, see phases.h. */
#include <linux/bits.h>
#include <linux/export.h>
#include <linux/kernel.h>
#include <linux/log2.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/string.h>

#include "mmon-common.h"
#include "phases.h"

/* A window's weight in its phase's means is at least 1 / OLDEST, because programs change. */
#define OLDEST		32U
/*
 * How far a window of a phase may be from the phase's mean, beyond chance: 0.15 of at most 2. It
 * was chosen with other profiles than the results, see Documentation/fair-progress.md.
 */
#define SLACK		(PMCT_PHASE_ONE * 15 / 100)
/* Chance counts as its mean plus this many standard deviations. */
#define SIGMAS		4
/* sqrt(2 / pi) and sqrt(1 - 2 / pi), in thousandths, for |x| of a normal distribution. */
#define MEAN_OF_ABS	798
#define SIGMA_OF_ABS	603

#define UNSURE_SHIFT	10
/* Fixed-point unit of ratios of times, which are below 256. */
#define RATIO_SCALE	BIT(24)
/* Differences of pressure up to this mean nothing. */
#define SAME_PRESSURE	5
/* After this many valid windows under more pressure, more pressure is accepted. */
#define PATIENCE	32

static u32 share_of(const struct pmct_phase_vector *v, unsigned int i, u32 unit)
{
	return min(v->count[i] * unit, PMCT_PHASE_ONE - 1);
}

/**
 * pmct_phase_distance() - Manhattan distance of a window from a phase's mean
 * @phase: the phase
 * @v: the window, of at least one address
 *
 * Return: 0 to 2 * PMCT_PHASE_ONE.
 */
u32 pmct_phase_distance(const struct pmct_phase *phase, const struct pmct_phase_vector *v)
{
	u32 unit = PMCT_PHASE_ONE / v->nr;
	u32 sum = 0;
	unsigned int i;

	for (i = 0; i < PMCT_PHASE_BUCKETS; i++) {
		u32 share = share_of(v, i, unit);

		sum += share > phase->mean[i] ? share - phase->mean[i] : phase->mean[i] - share;
	}
	return sum;
}
EXPORT_SYMBOL_GPL(pmct_phase_distance);

/**
 * pmct_phase_limit() - largest distance of a phase's window from the phase's mean
 * @phase: the phase, seen at least once
 * @nr: number of addresses of the window
 *
 * If each of n addresses falls into a bucket with probability p, the bucket's part is off by
 * sqrt(2 p / (pi n)) on average. The mean of m windows is off by 1 / sqrt(m) of that.
 *
 * Return: a distance.
 */
u32 pmct_phase_limit(const struct pmct_phase *phase, unsigned int nr)
{
	u64 m = min(phase->seen, OLDEST);
	/* sqrt((1 + 1/m) / n), in 1 / 2^16. */
	u64 of_one = int_sqrt64(div64_u64((m + 1) << 32, m * nr));
	u64 chance = (u64)phase->spread * of_one * MEAN_OF_ABS / 1000 >> 16;
	u64 sigma = of_one * SIGMA_OF_ABS / 1000;

	return min_t(u64, chance + SIGMAS * sigma + SLACK, 2 * PMCT_PHASE_ONE);
}
EXPORT_SYMBOL_GPL(pmct_phase_limit);

/**
 * pmct_phases_find() - find the phase of a window, if it is known
 * @phases: phases of the program
 * @v: the window
 * @last: the phase of the last window, or PMCT_NO_PHASE. It is tried first. If the window is as
 *	near to it as windows are on average, it is accepted, and others are not tried
 *
 * Return: its number, or PMCT_NO_PHASE.
 */
u8 pmct_phases_find(const struct pmct_phases *phases, const struct pmct_phase_vector *v, u8 last)
{
	u32 distance, least = U32_MAX;
	u8 i, nearest = PMCT_NO_PHASE;

	if (v->nr < PMCT_PHASE_LEAST)
		return PMCT_NO_PHASE;
	if (last != PMCT_NO_PHASE && phases->phase[last].seen) {
		distance = pmct_phase_distance(&phases->phase[last], v);
		if (distance + SLACK <= pmct_phase_limit(&phases->phase[last], v->nr))
			return last;
	}
	for (i = 0; i < PMCT_PHASES; i++) {
		if (!phases->phase[i].seen)
			continue;
		distance = pmct_phase_distance(&phases->phase[i], v);
		if (distance < least) {
			least = distance;
			nearest = i;
		}
	}
	if (nearest == PMCT_NO_PHASE ||
	    least > pmct_phase_limit(&phases->phase[nearest], v->nr))
		return PMCT_NO_PHASE;
	return nearest;
}
EXPORT_SYMBOL_GPL(pmct_phases_find);

/* Add a window to the mean with the weight 1 / @weight. */
static void move_mean(struct pmct_phase *phase, const struct pmct_phase_vector *v, s32 weight)
{
	u32 unit = PMCT_PHASE_ONE / v->nr;
	unsigned int i;

	for (i = 0; i < PMCT_PHASE_BUCKETS; i++) {
		s32 step = share_of(v, i, unit) - phase->mean[i];

		phase->mean[i] += (step + (step > 0 ? weight / 2 : -weight / 2)) / weight;
	}
}

/* Update pmct_phase::spread after a change of pmct_phase::mean. */
void pmct_phase_find_spread(struct pmct_phase *phase)
{
	unsigned int i;

	phase->spread = 0;
	for (i = 0; i < PMCT_PHASE_BUCKETS; i++)
		phase->spread += int_sqrt((u32)phase->mean[i] << 16);
}

/* Returns a free place, or the place of a phase that has not been seen for a long time. */
static u8 find_place(struct pmct_phases *phases, u8 *forgotten)
{
	u32 age, oldest = 0;
	u8 i, place = 0;

	for (i = 0; i < PMCT_PHASES; i++) {
		const struct pmct_phase *phase = &phases->phase[i];

		if (!phase->seen)
			return i;
		/* A phase that was seen once may never come again. */
		age = (phases->windows - phase->last) / min(phase->seen, OLDEST);
		if (age >= oldest) {
			oldest = age;
			place = i;
		}
	}
	phases->forgotten++;
	*forgotten = place;
	return place;
}

/**
 * pmct_phases_classify() - find a window's phase, or begin a new one, and learn from the window
 * @phases: phases of the program
 * @v: the window
 * @last: the phase of the thread's last window, or PMCT_NO_PHASE
 * @forgotten: the phase whose place a new phase takes, or PMCT_NO_PHASE
 *
 * Return: the phase; PMCT_NO_PHASE if the window has too few addresses.
 */
u8 pmct_phases_classify(struct pmct_phases *phases, const struct pmct_phase_vector *v, u8 last,
			u8 *forgotten)
{
	struct pmct_phase *phase;
	u8 i;

	*forgotten = PMCT_NO_PHASE;
	if (v->nr < PMCT_PHASE_LEAST)
		return PMCT_NO_PHASE;
	i = pmct_phases_find(phases, v, last);
	phases->windows++;
	if (i == PMCT_NO_PHASE) {
		i = find_place(phases, forgotten);
		memset(&phases->phase[i], 0, sizeof(phases->phase[i]));
		phases->phase[i].born = phases->windows;
	}
	phase = &phases->phase[i];
	phase->seen++;
	phase->last = phases->windows;
	move_mean(phase, v, min(phase->seen, OLDEST));
	/* The spread hardly changes later. */
	if (phase->seen <= OLDEST || phase->seen % OLDEST == 0)
		pmct_phase_find_spread(phase);
	return i;
}
EXPORT_SYMBOL_GPL(pmct_phases_classify);

/* Add a value to a mean of @nr values. The oldest values fade. */
static void add_to_mean(u32 *mean, u16 *nr, u32 value)
{
	s64 step = (s64)value - *mean;

	if (*nr < OLDEST)
		++*nr;
	*mean += div_s64(step + (step > 0 ? *nr / 2 : -(*nr / 2)), *nr);
}

static void add_alone(struct pmctrack_phase_speed *speed, u32 cpi)
{
	u64 off;

	add_to_mean(&speed->alone, &speed->valid, cpi);
	off = cpi > speed->alone ? cpi - speed->alone : speed->alone - cpi;
	off = div_u64(off * 1000, speed->alone ?: 1);
	off = min(off, 10000ULL);
	if (speed->valid > 1)
		speed->variance += div_s64((s64)(off * off) - speed->variance, speed->valid - 1);
}

/*
 * Learn from a valid window. A window under less pressure is nearer to the truth, so it replaces
 * the others. But an old speed may be wrong today, so more pressure is accepted in the end.
 */
static void learn_alone(struct pmctrack_phase_speed *speed, u32 cpi, u32 pressure)
{
	if (!speed->valid || pressure * 2 + SAME_PRESSURE < speed->pressure) {
		speed->alone = cpi;
		speed->valid = 1;
		speed->variance = 0;
		speed->pressure = pressure;
		speed->ignored = 0;
	} else if (pressure <= speed->pressure * 2U + SAME_PRESSURE) {
		add_alone(speed, cpi);
		speed->pressure = min_t(u32, speed->pressure, pressure);
		speed->ignored = 0;
	} else if (++speed->ignored >= PATIENCE) {
		speed->pressure = min_t(u32, speed->pressure * 5U / 4 + 1, U16_MAX);
		speed->ignored = 0;
	}
}

static u64 cycles_of(u64 instr, u32 cpi)
{
	return mul_u64_u32_div(instr, cpi, PMCT_PHASE_INSTR);
}

/*
 * The speed alone is known now. Returns the error of what was estimated before, in ns. It takes
 * away at most what was estimated.
 */
static s64 correct(const struct pmctrack_phase_speed *speed, struct pmct_unsure *unsure)
{
	u64 better = cycles_of((u64)unsure->instr << UNSURE_SHIFT, speed->alone);
	u64 taken = (u64)unsure->alone << UNSURE_SHIFT;
	u64 ns = (u64)unsure->ns << UNSURE_SHIFT;
	u64 ratio;

	*unsure = (struct pmct_unsure){ .born = unsure->born };
	if (!pmct_ratio(better, taken, RATIO_SCALE, &ratio))
		return 0;
	ratio = min_t(u64, ratio, U32_MAX);
	return (s64)mul_u64_u32_shr(ns, ratio, ilog2(RATIO_SCALE)) - (s64)ns;
}

/* A window that would overflow the sums is left out, and is not corrected later. */
static void remember(struct pmct_unsure *unsure, const struct pmct_phase_run *run, u64 alone)
{
	u64 instr = unsure->instr + (run->instr >> UNSURE_SHIFT), ratio, ns;
	u64 cycles = unsure->alone + (alone >> UNSURE_SHIFT);

	if (!pmct_ratio(alone, run->cycles, RATIO_SCALE, &ratio))
		return;
	ns = mul_u64_u32_shr(run->ns, min_t(u64, ratio, RATIO_SCALE), ilog2(RATIO_SCALE));
	ns = unsure->ns + (ns >> UNSURE_SHIFT);
	if (instr > U32_MAX || cycles > U32_MAX || ns > U32_MAX)
		return;
	unsure->instr = instr;
	unsure->alone = cycles;
	unsure->ns = ns;
}

/**
 * pmct_phase_run() - learn from a window how fast its phase is, and estimate its cycles alone
 * @phase: the phase
 * @run: how the window ran; at most 2^48 instructions, cycles and ns
 * @unsure: earlier answers for this thread and phase on this core type
 * @corrected: what must be added to the time of earlier answers, in ns
 *
 * This is Table 1 of the paper. Before the first valid window, the speed alone is the mean of all
 * other windows, times what is typical (the paper: 1). Afterwards, it is the mean of the valid
 * windows. When it becomes known, earlier answers are corrected. Means are of cycles, not of IPC,
 * because windows together take the sum of their cycles.
 *
 * No thread is slower alone, so the answer is at most the cycles of @run. A valid window under as
 * little pressure as those of the mean is its own measure. If the answer were the smaller one of
 * its cycles and of the mean, chance would make progress too small.
 *
 * Return: cycles.
 */
u64 pmct_phase_run(struct pmct_phase *phase, const struct pmct_phase_run *run,
		   struct pmct_unsure *unsure, s64 *corrected)
{
	struct pmctrack_phase_speed *speed = &phase->speed[run->core_type];
	u64 alone, cpi;

	*corrected = 0;
	if (unsure->born != phase->born)
		*unsure = (struct pmct_unsure){ .born = phase->born };
	if (!pmct_ratio(run->cycles, run->instr, PMCT_PHASE_INSTR, &cpi) || !cpi)
		return run->cycles;
	cpi = min_t(u64, cpi, S32_MAX);
	if (run->valid)
		learn_alone(speed, cpi, run->pressure);
	else
		add_to_mean(&speed->beside, &speed->other, cpi);
	if (!speed->valid) {
		alone = min(run->cycles, cycles_of(run->instr, speed->beside));
		alone = mul_u64_u32_shr(alone, run->typical, ilog2(PMCT_PHASE_ONE));
		remember(unsure, run, alone);
		return alone;
	}
	*corrected = correct(speed, unsure);
	if (run->valid && run->pressure <= speed->pressure * 2U + SAME_PRESSURE)
		return run->cycles;
	return min(run->cycles, cycles_of(run->instr, speed->alone));
}
EXPORT_SYMBOL_GPL(pmct_phase_run);
