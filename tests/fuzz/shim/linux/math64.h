// SPDX-License-Identifier: GPL-2.0-or-later
#ifndef PMCT_SHIM_MATH64_H
#define PMCT_SHIM_MATH64_H

#include <linux/types.h>

static inline u64 div_u64(u64 dividend, u32 divisor)
{
	return dividend / divisor;
}

static inline u64 div64_u64(u64 dividend, u64 divisor)
{
	return dividend / divisor;
}

static inline u64 div64_u64_rem(u64 dividend, u64 divisor, u64 *rest)
{
	*rest = dividend % divisor;
	return dividend / divisor;
}

static inline s64 div_s64(s64 dividend, s32 divisor)
{
	return dividend / divisor;
}

static inline u64 mul_u64_u32_div(u64 a, u32 b, u32 divisor)
{
	return (u64)((unsigned __int128)a * b / divisor);
}

static inline u64 mul_u64_u32_shr(u64 a, u32 b, unsigned int shift)
{
	return (u64)((unsigned __int128)a * b >> shift);
}

static inline u64 mul_u64_u64_div_u64(u64 a, u64 b, u64 divisor)
{
	return (u64)((unsigned __int128)a * b / divisor);
}

/* Returns the largest number whose square is not larger than @x. */
static inline u32 int_sqrt64(u64 x)
{
	u64 root = 0, bit;

	for (bit = 1ULL << 31; bit; bit >>= 1) {
		if ((root | bit) * (root | bit) <= x)
			root |= bit;
	}
	return (u32)root;
}

static inline unsigned long int_sqrt(unsigned long x)
{
	return int_sqrt64(x);
}

#endif /* PMCT_SHIM_MATH64_H */
