/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The cheapest clock of the machine, for intervals on one CPU, and its frequency. Differences are
 * meaningful only between two reads on the same CPU.
 */
#ifndef _PMCT_COMPAT_CLOCK_H
#define _PMCT_COMPAT_CLOCK_H

#include <linux/timex.h>
#include <linux/types.h>

#if defined(CONFIG_ARM64)
#include <asm/arch_timer.h>

static inline void pmct_clock_init(void)
{
}

static inline u64 pmct_clock_hz(void)
{
	return arch_timer_get_cntfrq();
}

/* get_cycles() without its barriers, because an error of a few instructions is acceptable. */
static __always_inline u64 pmct_clock(void)
{
	if (unlikely(has_erratum_handler(read_cntvct_el0)))
		return get_cycles();
	return read_sysreg(cntvct_el0);
}
#elif defined(CONFIG_X86)
#include <linux/jump_label.h>
#include <linux/sched/clock.h>
#include <linux/time64.h>
#include <asm/cpufeature.h>
#include <asm/tsc.h>

/* Off if the time-stamp counter follows the CPU's frequency. */
DECLARE_STATIC_KEY_TRUE(pmct_clock_tsc);

static inline void pmct_clock_init(void)
{
	if (!boot_cpu_has(X86_FEATURE_CONSTANT_TSC) || !tsc_khz)
		static_branch_disable(&pmct_clock_tsc);
}

static inline u64 pmct_clock_hz(void)
{
	return static_branch_likely(&pmct_clock_tsc) ? tsc_khz * 1000ULL : NSEC_PER_SEC;
}

static __always_inline u64 pmct_clock(void)
{
	if (static_branch_likely(&pmct_clock_tsc))
		return rdtsc();
	return local_clock();
}
#else
#error "pmctrack: no clock for this architecture"
#endif

#endif /* _PMCT_COMPAT_CLOCK_H */
