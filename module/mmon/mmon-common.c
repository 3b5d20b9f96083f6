// SPDX-License-Identifier: GPL-2.0-only
/* Arithmetic that monitoring modules share: ratios, averages, the phase guard. */
#include <linux/export.h>
#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/minmax.h>

#include "mmon-common.h"

/**
 * pmct_ratio() - a ratio as a fixed-point number
 * @part: numerator
 * @whole: denominator
 * @scale: the value of 1 in the result, for example PMCT_RATIO_SCALE
 * @result: @part * @scale / @whole, rounded down
 *
 * No intermediate product overflows. If @part times @scale has more than 64 bits, the relative
 * error is at most 2^-30.
 *
 * Return: false if @whole is 0, or the result has more than 64 bits.
 */
bool pmct_ratio(u64 part, u64 whole, u32 scale, u64 *result)
{
	u64 quotient, rest;

	if (!whole)
		return false;
	if (part <= div_u64(U64_MAX, scale ?: 1)) {
		*result = div64_u64(part * scale, whole);
		return true;
	}
	quotient = div64_u64_rem(part, whole, &rest);
	/* Shift both. Only the lost bits change their ratio. */
	while (rest > div_u64(U64_MAX, scale)) {
		rest >>= 1;
		whole >>= 1;
	}
	rest = div64_u64(rest * scale, whole);
	if (quotient > div_u64(U64_MAX - rest, scale))
		return false;
	*result = quotient * scale + rest;
	return true;
}
EXPORT_SYMBOL_GPL(pmct_ratio);

/**
 * pmct_average_value() - the value of an average
 * @average: the average
 *
 * Return: the average, rounded down; 0 if it is empty.
 */
u64 pmct_average_value(const struct pmct_average *average)
{
	return average->sum >> PMCT_AVERAGE_SHIFT;
}
EXPORT_SYMBOL_GPL(pmct_average_value);

/**
 * pmct_average_add() - add a value to an average
 * @average: the average
 * @value: the value, which counts as PMCT_AVERAGE_MAX if it is larger
 */
void pmct_average_add(struct pmct_average *average, u64 value)
{
	u64 scaled = min_t(u64, value, PMCT_AVERAGE_MAX) << PMCT_AVERAGE_SHIFT;

	if (average->nr < 1 << PMCT_AVERAGE_SHIFT)
		average->nr++;
	if (scaled >= average->sum)
		average->sum += div_u64(scaled - average->sum, average->nr);
	else
		average->sum -= div_u64(average->sum - scaled, average->nr);
}
EXPORT_SYMBOL_GPL(pmct_average_add);

/**
 * pmct_average_guard() - add a value to an average; begin a new average in a new phase
 * @average: the average of the phase, for example of IPC
 * @value: the value of the last sample
 * @percent: largest distance of a value of the same phase from the average, in percent of the
 *	average
 *
 * Samples of two phases must not be combined (paper on PMCTrack, Fig. 7). When a phase begins, the
 * average starts anew with @value. The module then drops what it has collected in the phase before.
 *
 * Return: true if a new phase has begun. The first value does not begin a new phase.
 */
bool pmct_average_guard(struct pmct_average *average, u64 value, unsigned int percent)
{
	u64 mean = pmct_average_value(average);
	u64 distance, limit;
	bool changed;

	value = min_t(u64, value, PMCT_AVERAGE_MAX);
	distance = value > mean ? value - mean : mean - value;
	/* A limit that cannot be represented is never exceeded. */
	changed = average->nr && pmct_ratio(mean, 100, percent, &limit) && distance > limit;
	if (changed)
		*average = (struct pmct_average) {};
	pmct_average_add(average, value);
	return changed;
}
EXPORT_SYMBOL_GPL(pmct_average_guard);
