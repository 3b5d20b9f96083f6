/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ARM PMUv3 registers (ARM DDI 0487, "The Performance Monitors Extension").
 *
 * Counter numbers of PMCTrack: 0 is the cycle counter, N + 1 is event counter
 * N. In the bit masks of the architecture, bit 31 is the cycle counter.
 */
#ifndef _PMCT_PMUV3_H
#define _PMCT_PMUV3_H

#include <linux/bitfield.h>
#include <linux/bitops.h>
#include <asm/sysreg.h>
#include <pmctrack/backend.h>

#define PMUV3_CYCLES		0	/* our number of the cycle counter */
#define PMUV3_COMMON_EVENTS	64	/* 0 to 0x3f, and again from 0x4000 */
#define PMUV3_MAX_CODE_P0	0x3ff	/* of the first version, PMUv3 */
#define PMUV3_MAX_CODE		0xffff	/* since PMUv3p1 */

#define PMUV3_PMCR_E		BIT(0)	/* counters enabled */
#define PMUV3_PMCR_LC		BIT(6)	/* cycle counter overflows at 64 bits */
#define PMUV3_PMCR_LP		BIT(7)	/* event counters too (PMUv3p5) */
#define PMUV3_PMCR_N		GENMASK(15, 11)	/* number of event counters */

#define PMUV3_TYPER_P		BIT(31)	/* not at EL1 */
#define PMUV3_TYPER_U		BIT(30)	/* not at EL0 */
#define PMUV3_TYPER_NSH		BIT(27)	/* also at EL2 */

#define PMUV3_USERENR_CR	BIT(2)	/* user mode reads the cycle counter */
#define PMUV3_USERENR_ER	BIT(3)	/* and the event counters */

#define PMUV3_DFR0_PMUVER	GENMASK(11, 8)
#define PMUV3_VER_NONE		0x0
#define PMUV3_VER_IMPDEF	0xf
#define PMUV3_VER_P1		0x4	/* 16-bit event numbers */
#define PMUV3_VER_P5		0x6	/* 64-bit event counters */

#define PMUV3_EVENT_CPU_CYCLES	0x11
#define PMUV3_EVENT_CHAIN	0x1e	/* carries of the neighbour, useless alone */

/**
 * struct pmuv3_type - a CPU model
 * @type: the core type, for the core
 * @midr: identifies the model
 * @version: PMUv3 version (ID_AA64DFR0_EL1.PMUVer)
 * @common: implemented events 0 to 0x3f
 * @extended: implemented events 0x4000 to 0x403f
 */
struct pmuv3_type {
	struct pmct_core_type type;
	u32 midr;
	unsigned int version;
	DECLARE_BITMAP(common, PMUV3_COMMON_EVENTS);
	DECLARE_BITMAP(extended, PMUV3_COMMON_EVENTS);
};

static inline u32 pmuv3_to_hw(u32 counters)
{
	return ror32(counters, 1);
}

static inline u32 pmuv3_from_hw(u32 bits)
{
	return rol32(bits, 1);
}

/* Each event counter has a register of its own. These functions reach any of them by number. */
static inline void pmuv3_select(unsigned int counter)
{
	write_sysreg(counter - 1, pmselr_el0);
	isb();
}

static inline void pmuv3_write_type(unsigned int counter, u64 config)
{
	if (counter == PMUV3_CYCLES) {
		write_sysreg(config, pmccfiltr_el0);
		return;
	}
	pmuv3_select(counter);
	write_sysreg(config, pmxevtyper_el0);
}

static inline u64 pmuv3_read_type(unsigned int counter)
{
	if (counter == PMUV3_CYCLES)
		return read_sysreg(pmccfiltr_el0);
	pmuv3_select(counter);
	return read_sysreg(pmxevtyper_el0);
}

static inline void pmuv3_write_counter(unsigned int counter, u64 value)
{
	pmuv3_select(counter);
	write_sysreg(value, pmxevcntr_el0);
}

static inline u64 pmuv3_read_counter(unsigned int counter)
{
	pmuv3_select(counter);
	return read_sysreg(pmxevcntr_el0);
}

#endif /* _PMCT_PMUV3_H */
