// SPDX-License-Identifier: GPL-2.0-or-later
/* Just enough of the kernel for the simulated machine and regression models in user space. */
#ifndef PMCT_SHIM_MINMAX_H
#define PMCT_SHIM_MINMAX_H

#define min(a, b)	((a) < (b) ? (a) : (b))
#define max(a, b)	((a) > (b) ? (a) : (b))
#define clamp(value, low, high)	min(max(value, low), high)
#define min_t(type, a, b)	min((type)(a), (type)(b))
#define min3(a, b, c)	min(min(a, b), c)
#define clamp_t(type, value, low, high)	clamp((type)(value), (type)(low), (type)(high))

#endif /* PMCT_SHIM_MINMAX_H */
