// SPDX-License-Identifier: GPL-2.0-or-later
#ifndef PMCT_SHIM_LOG2_H
#define PMCT_SHIM_LOG2_H

#define ilog2(n)	(63 - __builtin_clzll(n))

#endif /* PMCT_SHIM_LOG2_H */
