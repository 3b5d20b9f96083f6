/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How far a thread got, in the time that it would have needed alone, window by window (section 3
 * of the paper on fair-progress scheduling). Pure.
 */
#ifndef _PMCT_PROGRESS_H
#define _PMCT_PROGRESS_H

#include "phase_predictor.h"

/* Phases that are predicted for the next window, the present one among them. */
#define PMCT_PROGRESS_LIKELY	3

/**
 * struct pmct_program - what is known of a program
 * @phases: its phases
 * @predictor: what they are followed by
 */
struct pmct_program {
	struct pmct_phases phases;
	struct pmct_predictor predictor;
};

/**
 * struct pmct_window - a window of a thread
 * @v: its addresses
 * @unsure: of the thread, by phase: what was estimated before speeds alone were known
 * @core_type: where it ran
 * @instr: its instructions
 * @cycles: its cycles
 * @ns: its time
 * @lines: lines that it moved from and to memory
 * @others: lines that others moved meanwhile
 * @sharers: of these, those who share its last-level cache
 * @looks: how often others were looked at
 * @intensive: how often somebody else moved many lines
 * @unknown: how often somebody ran of whom it is not known
 * @resumed: the thread was away from its CPU for long: its caches may be cold
 */
struct pmct_window {
	const struct pmct_phase_vector *v;
	struct pmct_unsure *unsure;
	unsigned int core_type;
	u64 instr;
	u64 cycles;
	u64 ns;
	u64 lines;
	u64 others;
	u64 sharers;
	u32 looks;
	u32 intensive;
	u32 unknown;
	bool resumed;
};

/**
 * enum pmct_contention - is a window valid, that is, hardly disturbed?
 * @PMCT_DISTURBED: no
 * @PMCT_UNKNOWN: it cannot be known
 * @PMCT_OWN_LOW: yes, it moves few lines itself (criterion 1)
 * @PMCT_SYSTEM_LOW: yes, all together move few (criterion 2), and those who share its cache
 *	hardly any: these take room in it
 * @PMCT_ONLY_ONE: yes, nobody else moves many (criterion 3)
 */
enum pmct_contention {
	PMCT_DISTURBED,
	PMCT_UNKNOWN,
	PMCT_OWN_LOW,
	PMCT_SYSTEM_LOW,
	PMCT_ONLY_ONE,
	PMCT_NR_CONTENTION,
};

/**
 * struct pmct_traffic - when is traffic low, and what does it do if it is not?
 * @peak: lines per ms that the memory moves at most; 0: unknown
 * @own: thousandths of it below which a thread's own are few (paper: 40)
 * @system: and those of all (paper: 333)
 * @typical: the part of its time that a disturbed window would have taken alone, as others' had
 *	it lately whose speed alone was known, in 1 / PMCT_PHASE_ONE; 0: none was known yet
 */
struct pmct_traffic {
	u64 peak;
	u32 own;
	u32 system;
	u32 typical;
};

/**
 * struct pmct_progress - a thread
 * @ns: time that it took, in all closed windows
 * @alone: time that it would have taken alone
 * @ratio: of these in the last window, in 1 / PMCT_PHASE_ONE
 * @windows: closed ones
 * @changes: of the phase
 * @foreseen: that were among the likely ones
 * @kinds: windows by enum pmct_contention
 * @pressure: of others on the last window
 * @phase: of the last window, or PMCT_NO_PHASE
 * @before: the phase before that
 * @known: the speed alone of @phase is from valid windows
 * @wanted: a phase that is likely next was seen twice at least, and its speed alone is not known
 *
 * Zero bytes but for pmct_progress_begin().
 */
struct pmct_progress {
	u64 ns;
	u64 alone;
	u32 ratio;
	u32 windows;
	u32 changes;
	u32 foreseen;
	u32 kinds[PMCT_NR_CONTENTION];
	u32 pressure;
	u8 phase;
	u8 before;
	bool known;
	bool wanted;
};

static inline bool pmct_contention_is_valid(enum pmct_contention kind)
{
	return kind >= PMCT_OWN_LOW;
}

void pmct_progress_begin(struct pmct_progress *p);
void pmct_progress_forget(struct pmct_progress *p);
void pmct_progress_charge(struct pmct_progress *p, u64 ns);
u64 pmct_progress_open(const struct pmct_progress *p, u64 ns);
u32 pmct_progress_traffic(const struct pmct_window *w, const struct pmct_traffic *t);
void pmct_progress_note_typical(struct pmct_traffic *t, const struct pmct_progress *p,
				enum pmct_contention kind);
enum pmct_contention pmct_progress_judge(const struct pmct_window *w, const struct pmct_traffic *t);
enum pmct_contention pmct_progress_window(struct pmct_progress *p, struct pmct_program *program,
					  const struct pmct_window *w,
					  const struct pmct_traffic *t);

#endif /* _PMCT_PROGRESS_H */
