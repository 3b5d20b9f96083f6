/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * <asm/apic.h>: modules cannot use apic_read() and apic_write() since the static calls of Linux
 * 6.6. This code reads from the local APIC how it is accessed.
 */
#ifndef _PMCT_COMPAT_APIC_H
#define _PMCT_COMPAT_APIC_H

#include <asm/apic.h>

#include "msr.h"

static inline bool pmct_apic_is_x2apic(void)
{
	return pmct_rdmsr(MSR_IA32_APICBASE) & X2APIC_ENABLE;
}

static inline u32 pmct_apic_read(u32 reg)
{
	if (pmct_apic_is_x2apic())
		return pmct_rdmsr(APIC_BASE_MSR + (reg >> 4));
	return native_apic_mem_read(reg);
}

static inline void pmct_apic_write(u32 reg, u32 value)
{
	if (pmct_apic_is_x2apic())
		pmct_wrmsr(APIC_BASE_MSR + (reg >> 4), value);
	else
		native_apic_mem_write(reg, value);
}

#endif /* _PMCT_COMPAT_APIC_H */
