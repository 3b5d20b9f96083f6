/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The cheapest clock of the machine, for intervals on one CPU, and its
 * frequency. Differences only make sense between two reads on the same CPU.
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

/* get_cycles() without its barriers: a few instructions early or late are well. */
static __always_inline u64 pmct_clock(void)
{
	if (unlikely(has_erratum_handler(read_cntvct_el0)))
		return get_cycles();
	return read_sysreg(cntvct_el0);
}
#else
#error "pmctrack: no clock for this architecture"
#endif

#endif /* _PMCT_COMPAT_CLOCK_H */
