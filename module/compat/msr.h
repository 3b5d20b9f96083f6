/* SPDX-License-Identifier: GPL-2.0-only */
/* <asm/msr.h> of Linux 6.16 and later, where 64-bit accessors have a q. */
#ifndef _PMCT_COMPAT_MSR_H
#define _PMCT_COMPAT_MSR_H

#include <asm/msr.h>

#ifndef rdmsrq
#define rdmsrq		rdmsrl
#define wrmsrq		wrmsrl
#define rdmsrq_safe	rdmsrl_safe
#define wrmsrq_safe	wrmsrl_safe
#endif

static __always_inline u64 pmct_rdmsr(u32 msr)
{
	u64 value;

	rdmsrq(msr, value);
	return value;
}

static __always_inline void pmct_wrmsr(u32 msr, u64 value)
{
	wrmsrq(msr, value);
}

/* The kernel's own function uses paravirt calls; the backends refuse machines that need these. */
static __always_inline u64 pmct_rdpmc(u32 index)
{
	u32 low, high;

	asm volatile("rdpmc" : "=a" (low), "=d" (high) : "c" (index));
	return low | (u64)high << 32;
}

#endif /* _PMCT_COMPAT_MSR_H */
