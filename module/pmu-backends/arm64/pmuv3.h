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

#define PMUV3_CYCLES		0	/* our number of the cycle counter */

#define PMUV3_PMCR_E		BIT(0)	/* counters enabled */
#define PMUV3_PMCR_LC		BIT(6)	/* cycle counter overflows at 64 bits */
#define PMUV3_PMCR_LP		BIT(7)	/* event counters too (PMUv3p5) */
#define PMUV3_PMCR_N		GENMASK(15, 11)	/* number of event counters */

#define PMUV3_TYPER_P		BIT(31)	/* not at EL1 */
#define PMUV3_TYPER_U		BIT(30)	/* not at EL0 */
#define PMUV3_TYPER_NSH		BIT(27)	/* also at EL2 */

#define PMUV3_DFR0_PMUVER	GENMASK(11, 8)
#define PMUV3_VER_NONE		0x0
#define PMUV3_VER_IMPDEF	0xf
#define PMUV3_VER_P1		0x4	/* 16-bit event numbers */
#define PMUV3_VER_P5		0x6	/* 64-bit event counters */

#define PMUV3_EVENT_CPU_CYCLES	0x11
#define PMUV3_EVENT_CHAIN	0x1e	/* carries of the neighbour, useless alone */

static inline u32 pmuv3_to_hw(u32 counters)
{
	return ror32(counters, 1);
}

static inline u32 pmuv3_from_hw(u32 bits)
{
	return rol32(bits, 1);
}

/* Event counters have a register each: no index can be computed. */
#define PMUV3_EACH(op)							\
	op(0) op(1) op(2) op(3) op(4) op(5) op(6) op(7) op(8) op(9)	\
	op(10) op(11) op(12) op(13) op(14) op(15) op(16) op(17) op(18)	\
	op(19) op(20) op(21) op(22) op(23) op(24) op(25) op(26) op(27)	\
	op(28) op(29) op(30)

#define PMUV3_TYPER_CASE(n)						\
	case (n) + 1: write_sysreg(config, pmevtyper##n##_el0); break;

static inline void pmuv3_write_typer(unsigned int counter, u64 config)
{
	switch (counter) {
	case PMUV3_CYCLES: write_sysreg(config, pmccfiltr_el0); break;
	PMUV3_EACH(PMUV3_TYPER_CASE)
	}
}

#define PMUV3_CNTR_CASE(n)						\
	case (n) + 1: write_sysreg(value, pmevcntr##n##_el0); break;

static inline void pmuv3_write_counter(unsigned int counter, u64 value)
{
	switch (counter) {
	case PMUV3_CYCLES: write_sysreg(value, pmccntr_el0); break;
	PMUV3_EACH(PMUV3_CNTR_CASE)
	}
}

#endif /* _PMCT_PMUV3_H */
