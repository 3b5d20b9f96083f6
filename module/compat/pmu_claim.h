/* SPDX-License-Identifier: GPL-2.0-only */
/* Taking the arm64 counters from perf, with the hook of the kernel patch. */
#ifndef _PMCT_COMPAT_PMU_CLAIM_H
#define _PMCT_COMPAT_PMU_CLAIM_H

#include <linux/pmctrack.h>

#if !defined(CONFIG_PMCTRACK) || !defined(CONFIG_ARM_PMU)
#error "pmctrack: the arm64 backend needs a kernel with CONFIG_PMCTRACK and CONFIG_ARM_PMU"
#endif

static inline int pmct_pmu_claim(irqreturn_t (*overflow)(void))
{
	return pmcs_pmu_claim(overflow);
}

/* See pmcs_pmu_user_access(): rights of user mode that KVM does not restore. */
static inline void pmct_pmu_user_access(u64 rights)
{
	pmcs_pmu_user_access(rights);
}

static inline void pmct_pmu_release(void)
{
	pmcs_pmu_release();
}

#endif /* _PMCT_COMPAT_PMU_CLAIM_H */
