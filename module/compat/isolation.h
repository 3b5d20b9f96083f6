/* SPDX-License-Identifier: GPL-2.0-only */
/* cpu_is_isolated(), from Linux 6.2 on; before 7.0 it ignores CPUs that are only without ticks. */
#ifndef _PMCT_COMPAT_ISOLATION_H
#define _PMCT_COMPAT_ISOLATION_H

#include <linux/sched/isolation.h>
#include <linux/tick.h>

/* True if @cpu must not be disturbed, by a kernel parameter or by a cpuset. */
static inline bool pmct_cpu_is_isolated(int cpu)
{
#ifdef PMCT_HAVE_CPU_IS_ISOLATED
	if (cpu_is_isolated(cpu))
		return true;
#endif
	return !housekeeping_test_cpu(cpu, HK_TYPE_DOMAIN) || tick_nohz_full_cpu(cpu);
}

#endif /* _PMCT_COMPAT_ISOLATION_H */
