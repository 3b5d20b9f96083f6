/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Detects that the machine has slept. CLOCK_MONOTONIC stands still meanwhile, and hardware may go
 * on, or lose its state.
 */
#ifndef _PMCT_ASLEEP_H
#define _PMCT_ASLEEP_H

#include <linux/timekeeping.h>

/* Returns for how long the machine has slept since it was booted. Hot. */
static inline u64 pmct_asleep_ns(void)
{
	return ktime_get_boot_fast_ns() - ktime_get_mono_fast_ns();
}

/* The clocks are read one after the other, so that small differences mean nothing. */
static inline bool pmct_has_slept(u64 before, u64 now)
{
	return (s64)(now - before) > NSEC_PER_MSEC;
}

#endif /* _PMCT_ASLEEP_H */
