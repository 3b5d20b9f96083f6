/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Logarithms to base 2 and powers of 2, in fixed point of 16 bits. Pure, any context.
 *
 * The kernel's intlog2() is available to modules only since Linux 6.6, and has no inverse.
 */
#ifndef _PMCT_FIXED_LOG_H
#define _PMCT_FIXED_LOG_H

#include <linux/kernel.h>
#include <linux/log2.h>
#include <linux/types.h>

#define PMCT_LOG_BITS	16
#define PMCT_LOG_ONE	65536

/**
 * pmct_log2() - a logarithm that is defined for 0
 * @value: the number
 *
 * Return: log2(@value + 1) * 2^16, within 0.0011 * 2^16.
 */
static inline u32 pmct_log2(u32 value)
{
	u64 n = (u64)value + 1;
	unsigned int whole = ilog2(n);
	u32 f = (n << PMCT_LOG_BITS >> whole) - PMCT_LOG_ONE;
	u32 bent = f * (PMCT_LOG_ONE - f) >> PMCT_LOG_BITS;

	/* log2(1 + f) = f + f (1 - f) (0.42087 - 0.15639 f): least squares. */
	return (whole << PMCT_LOG_BITS) + f +
	       (bent * (27582 - (10249 * f >> PMCT_LOG_BITS)) >> PMCT_LOG_BITS);
}

/**
 * pmct_exp2() - a power of 2
 * @log: the logarithm, times 2^16
 *
 * Return: 2^(@log / 2^16), rounded down, within 0.02 %; 0 if it is below 1; U32_MAX if it is
 * larger.
 */
static inline u32 pmct_exp2(s64 log)
{
	u32 f = log & (PMCT_LOG_ONE - 1);
	u32 bent = f * (PMCT_LOG_ONE - f) >> PMCT_LOG_BITS;
	u64 power;

	if (log < 0)
		return 0;
	if (log >= 32LL << PMCT_LOG_BITS)
		return U32_MAX;
	/* 2^f = 1 + f - f (1 - f) (0.30407 + 0.07913 f): least squares. */
	power = PMCT_LOG_ONE + f -
		(bent * (19928 + (5186 * f >> PMCT_LOG_BITS)) >> PMCT_LOG_BITS);
	return power << (log >> PMCT_LOG_BITS) >> PMCT_LOG_BITS;
}

#endif /* _PMCT_FIXED_LOG_H */
