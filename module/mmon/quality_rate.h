/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Arithmetic of Quality Time (Documentation/quality-time.md): computes time alone from what was
 * counted alone and beside others. Pure, and may be called in any context.
 */
#ifndef _PMCT_QUALITY_RATE_H
#define _PMCT_QUALITY_RATE_H

#include <linux/types.h>

/* The most pieces of a sample alone, and the fewest that make it useful. */
#define PMCT_QUALITY_PIECES	16
#define PMCT_QUALITY_LEAST	4

/**
 * enum pmct_quality_event - events that Quality Time is computed from
 * @PMCT_QUALITY_INSTR: instructions
 * @PMCT_QUALITY_L1D: accesses to the first-level data cache
 * @PMCT_QUALITY_LLC_MISSES: misses of the last-level cache
 * @PMCT_QUALITY_NR: number of events
 */
enum pmct_quality_event {
	PMCT_QUALITY_INSTR,
	PMCT_QUALITY_L1D,
	PMCT_QUALITY_LLC_MISSES,
	PMCT_QUALITY_NR
};

/**
 * struct pmct_quality_part - part of what a thread has done
 * @count: events, by enum pmct_quality_event
 * @ns: CPU time
 */
struct pmct_quality_part {
	u64 count[PMCT_QUALITY_NR];
	u64 ns;
};

/**
 * struct pmct_quality_rate - how fast a thread is alone
 * @per_ms: events per ms, a mean of the last samples
 * @sampled_ns: when it was measured last
 * @kind: kind of the phase: accesses to the first-level data cache per 1000 instructions; others do
 *	not change this ratio
 * @nr: number of samples in the mean; 0: unknown
 * @core_type: where it was measured
 */
struct pmct_quality_rate {
	u64 per_ms;
	u64 sampled_ns;
	u32 kind;
	u16 nr;
	u8 core_type;
};

/* Number of kinds of phases that are known of a thread. A new kind replaces the oldest one. */
#define PMCT_QUALITY_KINDS	3

/**
 * struct pmct_quality - Quality Time of a thread, since the module met it
 * @quality_ns: Quality Time
 * @cpu_ns: CPU time that @quality_ns explains
 * @carry_ns: time alone that did not fit between 0 and the CPU time of an interval
 */
struct pmct_quality {
	u64 quality_ns;
	u64 cpu_ns;
	s64 carry_ns;
};

/**
 * struct pmct_quality_account - the account of a thread
 * @q: Quality Time so far
 * @rate: rates alone, one for each kind of phase
 * @seen: all that the thread did up to the last tick
 * @waiting: the part of @seen that no rate explains yet
 * @rated_ns: when the last used rate was measured; 0: none was used
 * @core_type: core type on which @waiting was done
 */
struct pmct_quality_account {
	struct pmct_quality q;
	struct pmct_quality_rate rate[PMCT_QUALITY_KINDS];
	struct pmct_quality_part seen;
	struct pmct_quality_part waiting;
	u64 rated_ns;
	u8 core_type;
};

u32 pmct_quality_kind(const u64 *count);
void pmct_quality_note(struct pmct_quality_rate *rates, const struct pmct_quality_rate *rate);
struct pmct_quality_rate *pmct_quality_find(struct pmct_quality_rate *rates, u8 core_type,
					    u32 kind, bool any);
bool pmct_quality_measure(struct pmct_quality_rate *rate, const struct pmct_quality_part *piece,
			  unsigned int nr, enum pmct_quality_event event, u32 lines);
u64 pmct_quality_add(struct pmct_quality *q, u64 events, u64 cpu_ns, u64 per_ms);
void pmct_quality_explain(struct pmct_quality_account *a, enum pmct_quality_event event, bool now);
void pmct_quality_use(struct pmct_quality_account *a, u8 core_type, enum pmct_quality_event event);
void pmct_quality_see(struct pmct_quality_account *a, const struct pmct_quality_part *all);

#endif /* _PMCT_QUALITY_RATE_H */
