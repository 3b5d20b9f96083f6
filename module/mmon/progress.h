/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Progress of a thread: the time that its execution would have needed alone, window by window
 * (section 3 of the paper on fair-progress scheduling). Pure.
 */
#ifndef _PMCT_PROGRESS_H
#define _PMCT_PROGRESS_H

#include "phase_predictor.h"

/* Number of phases that are predicted for the next window, including the present one. */
#define PMCT_PROGRESS_LIKELY	3

/**
 * struct pmct_program - what is known of a program
 * @phases: its phases
 * @predictor: what follows each phase
 */
struct pmct_program {
	struct pmct_phases phases;
	struct pmct_predictor predictor;
};

/**
 * struct pmct_window - a window of a thread
 * @v: its addresses
 * @unsure: by core type and phase: what was estimated for the thread before speeds alone were
 *	known
 * @core_type: where the thread ran
 * @instr: its instructions
 * @cycles: its cycles
 * @ns: its time
 * @lines: lines that the thread moved from and to memory
 * @others: lines that others moved meanwhile
 * @sharers: the part of @others that shares the thread's last-level cache
 * @looks: how often others were looked at
 * @intensive: at how many looks another process moved many lines
 * @unknown: at how many looks the traffic of others was unknown
 * @resumed: the thread was away from its CPU for long: its caches may be cold
 */
struct pmct_window {
	const struct pmct_phase_vector *v;
	struct pmct_unsure (*unsure)[PMCT_PHASES];
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
 * @PMCT_OWN_LOW: yes, the thread itself moves few lines (criterion 1)
 * @PMCT_SYSTEM_LOW: yes, all threads together move few lines (criterion 2), and those that share
 *	the cache hardly any, because they take room in it
 * @PMCT_ONLY_ONE: yes, no other process moves many lines (criterion 3)
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
 * struct pmct_traffic - limits of low traffic, and the effect of higher traffic
 * @peak: lines per ms that the memory moves at most; 0: unknown
 * @own: a thread's traffic is low below this, in thousandths of @peak (paper: 40)
 * @system: the traffic of all threads is low below this, in thousandths of @peak (paper: 333)
 * @typical: the part of its time that a disturbed window would have taken alone, from recent
 *	windows whose speed alone was known, in 1 / PMCT_PHASE_ONE; 0: none was known yet
 */
struct pmct_traffic {
	u64 peak;
	u32 own;
	u32 system;
	u32 typical;
};

/**
 * struct pmct_progress - progress of a thread
 * @ns: time of all closed windows
 * @alone: time that the closed windows would have taken alone
 * @ratio: @alone over @ns in the last window, in 1 / PMCT_PHASE_ONE
 * @windows: number of closed windows
 * @changes: changes of the phase
 * @foreseen: changes to a phase that was predicted
 * @kinds: windows by enum pmct_contention
 * @pressure: pressure of others on the last window
 * @phase: phase of the last window, or PMCT_NO_PHASE
 * @before: the phase before @phase
 * @known: the speed alone of @phase is from valid windows
 * @wanted: a phase that is likely next was seen twice at least, and its speed alone is not known
 *
 * All members are zero, except those that pmct_progress_begin() sets.
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
