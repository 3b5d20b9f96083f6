/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The cheapest clock of the machine, for intervals on one CPU: get_cycles(),
 * and its frequency, for which no common interface exists.
 */
#ifndef _PMCT_COMPAT_CLOCK_H
#define _PMCT_COMPAT_CLOCK_H

#include <linux/timex.h>
#include <linux/types.h>

#if defined(CONFIG_ARM64)
#include <asm/arch_timer.h>

static inline u32 pmct_clock_hz(void)
{
	return arch_timer_get_cntfrq();
}
#else
#error "pmctrack: no clock for this architecture"
#endif

/* Differences only make sense between two reads on the same CPU. */
static __always_inline u64 pmct_clock(void)
{
	return get_cycles();
}

#endif /* _PMCT_COMPAT_CLOCK_H */
