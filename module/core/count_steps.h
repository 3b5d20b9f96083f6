/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The steps of the hot path, shared by its files. All of them run on the CPU concerned, with
 * interrupts disabled.
 */
#ifndef _PMCT_COUNT_STEPS_H
#define _PMCT_COUNT_STEPS_H

#include "../compat/clock.h"
#include "narrow.h"
#include "objects.h"
#include "owner.h"
#include "turn.h"

/* Program the set of @ctx, which the hardware does not hold, and take start values. */
void pmct_change_set(struct pmct_cpu *cs, struct pmct_ctx *ctx);
/* Do what a thread that has entered needs beside counting, see enum pmct_on_switch. */
void pmct_entered(struct pmct_cpu *cs, struct pmct_ctx *ctx);
/* Give the counters to the context of a system-wide session, if there is one. */
void pmct_enter_base(struct pmct_cpu *cs);
/* Other software wrote the registers: drop what was counted since the last read. */
void pmct_disturbed(struct pmct_cpu *cs, struct pmct_ctx *ctx);

/* Add two counters at a time. If their number is odd, the last addition also covers unused room. */
static __always_inline void pmct_add(u64 *__restrict sum, const u64 *__restrict last,
				     const u64 *__restrict now, unsigned int nr)
{
	const u64 *end = now + nr;

	while (now < end) {
		u64 first = now[0] - last[0];
		u64 second = now[1] - last[1];

		now += 2;
		last += 2;
		sum[0] += first;
		sum[1] += second;
		sum += 2;
	}
}

/* Add counters of fewer than 64 bits. */
static __always_inline void pmct_add_wrapping(u64 *__restrict sum, const u64 *__restrict last,
					      const u64 *__restrict now,
					      const struct pmct_hwset *set)
{
	unsigned int i;

	for (i = 0; i < set->nr; i++)
		sum[i] += (now[i] - last[i]) & set->mask[i];
}

/* Account: add what was counted since the last read to the open interval of @ctx. */
static __always_inline void pmct_account(struct pmct_cpu *cs, struct pmct_ctx *ctx)
{
	const struct pmct_hwset *set = cs->set;
	u64 clock = pmct_clock();
	u64 *last = cs->last;
	u64 *now = cs->next;
	u64 overflow;

	ctx->clock += clock - cs->clock;
	cs->clock = clock;
	cs->last = now;
	cs->next = last;
	overflow = static_call(pmct_owner_read)(set, now);
	if (!set->wraps)
		pmct_add(ctx->sum, last, now, set->nr);
	else if (likely(!set->narrow))
		pmct_add_wrapping(ctx->sum, last, now, set);
	else
		pmct_account_narrow(cs, ctx, set, last, now, overflow);
}

/*
 * Check that no other software wrote the registers of this CPU, which count for @ctx. Called before
 * an account, at ticks and before most records. Not called at each switch, because it would cost
 * more than the read.
 */
static inline void pmct_verify(struct pmct_cpu *cs, struct pmct_ctx *ctx)
{
	if (pmct_backend->intact && !cs->unverifiable && cs->set->nr &&
	    unlikely(!pmct_backend->intact(cs->set)))
		pmct_disturbed(cs, ctx);
}

/* Take start values of the set on the hardware, for the thread that enters. */
static __always_inline void pmct_read_start(struct pmct_cpu *cs, struct pmct_ctx *ctx)
{
	cs->clock = pmct_clock();
	if (unlikely(cs->set->narrow))
		pmct_read_start_narrow(cs, ctx);
	else
		static_call(pmct_owner_read)(cs->set, cs->last);
}

/* @start_read: see pmct_cpu_take_start(). */
static __always_inline void pmct_enter(struct pmct_cpu *cs, struct pmct_ctx *ctx, bool start_read)
{
	cs->ctx = ctx;
	/* The same set implies the same core type, because a set is for one core type. */
	if (unlikely(!pmct_cpu_holds(cs, ctx)))
		pmct_change_set(cs, ctx);
	else if (!start_read)
		pmct_read_start(cs, ctx);
}

/* The thread leaves this CPU, and no monitored thread enters. */
static __always_inline void pmct_leave(struct pmct_cpu *cs)
{
	if (unlikely(cs->base))
		pmct_enter_base(cs);
	else
		cs->ctx = NULL;
}

/*
 * True if the context this CPU counts for is the running one. A thread whose
 * delivery was disabled by another CPU may have left this one without an account.
 */
static inline bool pmct_is_here(const struct pmct_cpu *cs)
{
	return cs->ctx && (!cs->ctx->task || cs->ctx->task == current);
}

#endif /* _PMCT_COUNT_STEPS_H */
