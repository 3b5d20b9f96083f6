/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Phases of a program: pieces of its execution that spend their instructions in the same code
 * (section 3.2 of the paper on fair-progress scheduling). Everything here is pure.
 *
 * A window is so many sampled addresses, which is so many instructions: the same program has the
 * same windows however slow it is. Its vector says how many of the addresses lie in each of
 * PMCT_PHASE_BUCKETS buckets of code. A window belongs to the phase whose mean vector is the
 * nearest, if that is not farther than chance would have it.
 */
#ifndef _PMCT_PHASES_H
#define _PMCT_PHASES_H

#include <linux/types.h>
#include <uapi/linux/pmctrack.h>

/*
 * Phases of programs with some hundred blocks of code look alike in a few buckets: with 64 of
 * them, no two phases of the simulated programs are told apart.
 */
#define PMCT_PHASE_BITS		9
#define PMCT_PHASE_BUCKETS	512U	/* 2 to the power of that */
/* Phases of a program that are remembered; PMCT_NO_PHASE is no number of one. */
#define PMCT_PHASES		24
#define PMCT_NO_PHASE		U8_MAX
/* Speeds are cycles for so many instructions. */
#define PMCT_PHASE_INSTR	0x100000U
/* Shares of a mean vector add up to this. */
#define PMCT_PHASE_ONE		0x10000U
/* Addresses of a window: fewer than the first number say nothing, more are left out. */
#define PMCT_PHASE_LEAST	64
#define PMCT_PHASE_ADDRESSES	320

/**
 * struct pmct_phase_vector - addresses of a window
 * @nr: how many, up to PMCT_PHASE_ADDRESSES
 * @count: in each bucket, at most
 */
struct pmct_phase_vector {
	u16 nr;
	u8 count[PMCT_PHASE_BUCKETS];
};

/**
 * struct pmct_phase_speed - how fast a phase is on CPUs of some type
 * @valid: windows in @alone
 * @other: windows in @beside
 * @pressure: of others on the windows in @alone, at least
 * @ignored: windows since the last one in @alone that others pressed more
 * @alone: mean cycles per PMCT_PHASE_INSTR of the valid windows with the least pressure
 * @beside: of windows that are not valid
 * @variance: of @alone: mean square of the difference, in thousandths of @alone
 *
 * Means are of at most the last 32 windows, or so.
 */
struct pmct_phase_speed {
	u16 valid;
	u16 other;
	u16 pressure;
	u16 ignored;
	u32 alone;
	u32 beside;
	u32 variance;
};

/**
 * struct pmct_unsure - of a thread: what was estimated before its phase's speed alone was known
 * @born: of the phase
 * @instr: instructions, in units of 1024
 * @alone: cycles alone that were taken for these, likewise
 */
struct pmct_unsure {
	u32 born;
	u32 instr;
	u32 alone;
};

/**
 * struct pmct_phase - a phase
 * @seen: windows, 0: there is no such phase
 * @born: number of the first one, by pmct_phases::windows; another phase has another number
 * @last: number of the last one
 * @spread: sum of the roots of the parts, times 2^16: how much chance there is in a vector
 * @mean: part of the addresses in each bucket, in 1 / PMCT_PHASE_ONE
 * @speed: by core type
 */
struct pmct_phase {
	u32 seen;
	u32 born;
	u32 last;
	u32 spread;
	u16 mean[PMCT_PHASE_BUCKETS];
	struct pmct_phase_speed speed[PMCTRACK_MAX_CORE_TYPES];
};

/**
 * struct pmct_phases - the phases of a program
 * @windows: that were classified
 * @forgotten: phases whose place another one took
 * @phase: by number
 */
struct pmct_phases {
	u32 windows;
	u32 forgotten;
	struct pmct_phase phase[PMCT_PHASES];
};

/**
 * struct pmct_phase_run - how a window of a phase ran
 * @core_type: where
 * @instr: its instructions
 * @cycles: its cycles
 * @valid: hardly anybody disturbed it
 * @pressure: of others, in any unit
 * @typical: the part of its cycles that a disturbed window would have taken alone, in
 *	1 / PMCT_PHASE_ONE, if nothing better is known
 */
struct pmct_phase_run {
	unsigned int core_type;
	u64 instr;
	u64 cycles;
	bool valid;
	u16 pressure;
	u32 typical;
};

/**
 * pmct_phase_add() - a sampled address
 * @v: vector of the window
 * @block: number of the address's block of code, whatever numbers these
 */
static inline void pmct_phase_add(struct pmct_phase_vector *v, u32 block)
{
	/* Neighbours are in buckets of their own. */
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
u64 pmct_phase_run(struct pmct_phase *phase, const struct pmct_phase_run *run,
		   struct pmct_unsure *unsure, s64 *corrected);

#endif /* _PMCT_PHASES_H */
