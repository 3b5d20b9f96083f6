// SPDX-License-Identifier: GPL-2.0-or-later
#ifndef PMCT_SHIM_BITMAP_H
#define PMCT_SHIM_BITMAP_H

#include <linux/bits.h>

#define GENMASK_ULL(h, l)	(~0ULL >> (63 - (h)) & ~0ULL << (l))

#define test_bit(n, map)	((map)[(n) / (8 * sizeof(long))] >> (n) % (8 * sizeof(long)) & 1)
#define hweight32(x)	((unsigned int)__builtin_popcount(x))

#endif /* PMCT_SHIM_BITMAP_H */
