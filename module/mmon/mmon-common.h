/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Arithmetic that monitoring modules share. It is part of pmctrack.ko. All functions are
 * pure and may be called in any callback.
 */
#ifndef _PMCT_MMON_COMMON_H
#define _PMCT_MMON_COMMON_H

#include <linux/types.h>

/* Ratios of metrics (enum pmct_metric) have three decimal places. */
#define PMCT_RATIO_SCALE	1000
/* The new value's weight in an average is 1 / 2^PMCT_AVERAGE_SHIFT at least. */
#define PMCT_AVERAGE_SHIFT	3
/* Larger values count as this one in an average. */
#define PMCT_AVERAGE_MAX	(U64_MAX >> PMCT_AVERAGE_SHIFT)

/**
 * struct pmct_average - an exponential average; empty if all is 0
 * @sum: the average times 2^PMCT_AVERAGE_SHIFT, so that small steps are not rounded away
 * @nr: number of values, up to 2^PMCT_AVERAGE_SHIFT
 *
 * The average of the first values is their mean. A module can keep an average in the data of a
 * thread, because zero bytes are an empty average.
 */
struct pmct_average {
	u64 sum;
	u32 nr;
};

bool pmct_ratio(u64 part, u64 whole, u32 scale, u64 *result);
u64 pmct_average_value(const struct pmct_average *average);
void pmct_average_add(struct pmct_average *average, u64 value);
bool pmct_average_guard(struct pmct_average *average, u64 value, unsigned int percent);

#endif /* _PMCT_MMON_COMMON_H */
