/* SPDX-License-Identifier: GPL-2.0-only */
/* Which event set comes next, and which set the hardware of a CPU holds. */
#ifndef _PMCT_TURN_H
#define _PMCT_TURN_H

#include <linux/percpu.h>

#include "ebs_limit.h"
#include "objects.h"

/**
 * struct pmct_cpu - what the hardware of a CPU is doing
 * @ctx: context whose events are counted; NULL: none
 * @base: a system-wide session's context of this CPU, or NULL. It is counted while no monitored
 *	thread is here
 * @set: set that the hardware holds; NULL: unknown. See pmct_cpu_holds().
 * @start_read: the values at the last read are the start values of the thread that enters in the
 *	present switch. See pmct_cpu_take_start().
 * @core_type: of this CPU
 * @clock: clock at the last read
 * @time_clock: clock when @time_ns was taken
 * @time_ns: CLOCK_MONOTONIC, read from time to time
 * @unverifiable: a register of this CPU does not hold what is written to it. Comparing it is
 *	useless, so pmct_verify() is off on this CPU
 * @ebs: time that samples by events may take here
 * @last: counter values at the last read
 * @next: room for the next values; @last and @next are swapped at each read
 * @values: memory of @last and @next
 *
 * Belongs to its CPU, with interrupts disabled. Other CPUs may look at @ctx and @set, and call
 * pmct_cpu_forget_set().
 */
struct pmct_cpu {
	struct pmct_ctx *ctx;
	struct pmct_ctx *base;
	const struct pmct_hwset *set;
	bool start_read;
	bool unverifiable;
	u8 core_type;
	u64 clock;
	u64 time_clock;
	u64 time_ns;
	struct pmct_ebs_limit ebs;
	u64 *last;
	u64 *next;
	u64 values[2][PMCTRACK_MAX_COUNTERS];
};

DECLARE_PER_CPU(struct pmct_cpu, pmct_cpu);

/* True if the hardware holds the set of @ctx. If not, call pmct_change_set(). */
static __always_inline bool pmct_cpu_holds(const struct pmct_cpu *cs, const struct pmct_ctx *ctx)
{
	return cs->set == ctx->set;
}

/*
 * Mark the contents of the hardware as unknown or unsuitable. The next set is then programmed, even
 * if it is the same. The values of the present set must have been accounted for.
 */
static __always_inline void pmct_cpu_invalidate(struct pmct_cpu *cs)
{
	cs->set = NULL;
}

/*
 * Another CPU is going to free @set, with which nothing is counted any more. Another set may get
 * the same address. If the owner has programmed another set meanwhile, that set stays.
 */
static inline void pmct_cpu_forget_set(struct pmct_cpu *cs, const struct pmct_hwset *set)
{
	(void)cmpxchg(&cs->set, set, NULL);
}

/*
 * The first half of a switch reads the counters for the thread that leaves. If the next thread has
 * the same set, these values are its start values.
 */
static __always_inline void pmct_cpu_offer_start(struct pmct_cpu *cs)
{
	cs->start_read = true;
}

/* The thread that enters has to take start values of its own. */
static __always_inline void pmct_cpu_withdraw_start(struct pmct_cpu *cs)
{
	cs->start_read = false;
}

/* The second half of a switch: true if there are start values. Called once per switch. */
static __always_inline bool pmct_cpu_take_start(struct pmct_cpu *cs)
{
	bool start_read = cs->start_read;

	cs->start_read = false;
	return start_read;
}

void pmct_turn_init(void);
void pmct_ctx_use_core_type(struct pmct_ctx *ctx, u8 core_type);
void pmct_ctx_next_set(struct pmct_ctx *ctx);

#endif /* _PMCT_TURN_H */
