// SPDX-License-Identifier: GPL-2.0-or-later
#ifndef PMCT_SHIM_BITS_H
#define PMCT_SHIM_BITS_H

#define BIT(n)		(1UL << (n))
#define BIT_ULL(n)	(1ULL << (n))

#endif /* PMCT_SHIM_BITS_H */
