/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Phases of a program: parts of its execution that spend their instructions in the same code
 * (section 3.2 of the paper on fair-progress scheduling). Everything here is pure.
 *
 * A window is a fixed number of sampled addresses, and so a fixed number of instructions. Therefore
 * the same program has the same windows however slow it is. The vector of a window says how many of
 * the addresses lie in each of PMCT_PHASE_BUCKETS buckets of code. A window belongs to the phase
 * with the nearest mean vector, if the distance is not larger than chance explains.
 */
#ifndef _PMCT_PHASES_H
#define _PMCT_PHASES_H

#include <linux/types.h>
#include <uapi/linux/pmctrack_programs.h>

/*
 * Phases of programs with some hundred blocks of code look alike in a few buckets. With 64 buckets,
 * no two phases of the simulated programs are told apart.
 */
#define PMCT_PHASE_BITS		9
#define PMCT_PHASE_BUCKETS	PMCTRACK_PHASE_BUCKETS	/* 2^PMCT_PHASE_BITS */
/* Number of phases of a program that are remembered. PMCT_NO_PHASE is not a phase. */
#define PMCT_PHASES		PMCTRACK_PHASES
#define PMCT_NO_PHASE		PMCTRACK_NO_PHASE
/* Speeds are in cycles for this many instructions. */
#define PMCT_PHASE_INSTR	0x100000U
/* Shares of a mean vector add up to this. */
#define PMCT_PHASE_ONE		0x10000U
/* Addresses of a window: fewer than the first number are not enough, more are left out. */
#define PMCT_PHASE_LEAST	64
#define PMCT_PHASE_ADDRESSES	320

/**
 * struct pmct_phase_vector - addresses of a window
 * @nr: number of addresses, up to PMCT_PHASE_ADDRESSES
 * @count: addresses in each bucket; it saturates
 */
struct pmct_phase_vector {
	u16 nr;
	u8 count[PMCT_PHASE_BUCKETS];
};

/**
 * struct pmct_unsure - what was estimated for a thread before the speed alone of a phase on a core
 *	type was known
 * @born: pmct_phase::born of the phase
 * @instr: instructions, in units of 1024
 * @alone: estimated cycles alone for @instr, in the same units
 * @ns: the time of @alone, in the same units. The clock's rate may be another one afterwards
 */
struct pmct_unsure {
	u32 born;
	u32 instr;
	u32 alone;
	u32 ns;
};

/**
 * struct pmct_phase - a phase
 * @seen: number of windows; 0: there is no such phase
 * @born: number of the first window, by pmct_phases::windows; it identifies the phase
 * @last: number of the last window
 * @spread: sum of the square roots of the parts, times 2^16: how much chance there is in a vector
 * @mean: part of the addresses in each bucket, in 1 / PMCT_PHASE_ONE
 * @speed: by core type
 */
struct pmct_phase {
	u32 seen;
	u32 born;
	u32 last;
	u32 spread;
	u16 mean[PMCT_PHASE_BUCKETS];
	struct pmctrack_phase_speed speed[PMCTRACK_MAX_CORE_TYPES];
};

/**
 * struct pmct_phases - the phases of a program
 * @windows: number of windows that were classified
 * @forgotten: number of phases whose place another phase took
 * @phase: by number
 */
struct pmct_phases {
	u32 windows;
	u32 forgotten;
	struct pmct_phase phase[PMCT_PHASES];
};

/**
 * struct pmct_phase_run - how a window of a phase ran
 * @core_type: where it ran
 * @instr: its instructions
 * @cycles: its cycles
 * @ns: its time
 * @valid: it was hardly disturbed
 * @pressure: pressure of others, in any unit
 * @typical: if nothing better is known: the part of its cycles that a disturbed window would have
 *	taken alone, in 1 / PMCT_PHASE_ONE
 */
struct pmct_phase_run {
	unsigned int core_type;
	u64 instr;
	u64 cycles;
	u64 ns;
	bool valid;
	u16 pressure;
	u32 typical;
};

/**
 * pmct_phase_add() - add a sampled address to a window
 * @v: vector of the window
 * @block: number of the address's block of code, in any numbering
 */
static inline void pmct_phase_add(struct pmct_phase_vector *v, u32 block)
{
	/* The hash puts neighbouring blocks into different buckets. */
	u8 *count = &v->count[(block * 0x9e3779b1U) >> (32 - PMCT_PHASE_BITS)];

	if (v->nr >= PMCT_PHASE_ADDRESSES)
		return;
	v->nr++;
	*count += *count < U8_MAX;
}

u32 pmct_phase_distance(const struct pmct_phase *phase, const struct pmct_phase_vector *v);
u32 pmct_phase_limit(const struct pmct_phase *phase, unsigned int nr);
u8 pmct_phases_find(const struct pmct_phases *phases, const struct pmct_phase_vector *v, u8 last);
u8 pmct_phases_classify(struct pmct_phases *phases, const struct pmct_phase_vector *v, u8 last,
			u8 *forgotten);
void pmct_phase_find_spread(struct pmct_phase *phase);
u64 pmct_phase_run(struct pmct_phase *phase, const struct pmct_phase_run *run,
		   struct pmct_unsure *unsure, s64 *corrected);

#endif /* _PMCT_PHASES_H */
