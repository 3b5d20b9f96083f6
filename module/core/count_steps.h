/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The steps of the hot path, which its files share. All of them on the CPU
 * concerned, with interrupts disabled.
 */
#ifndef _PMCT_COUNT_STEPS_H
#define _PMCT_COUNT_STEPS_H

#include "../compat/clock.h"
#include "narrow.h"
#include "objects.h"
#include "owner.h"
#include "turn.h"

/* The hardware does not hold what @ctx needs. */
void pmct_change_set(struct pmct_cpu *cs, struct pmct_ctx *ctx);
/* What else there is to do for a thread that has entered, see enum pmct_on_switch. */
void pmct_entered(struct pmct_cpu *cs, struct pmct_ctx *ctx);
/* The CPU's own context has the counters. */
void pmct_enter_base(struct pmct_cpu *cs);
/* Registers do not hold what is written to them: nothing can be learned from that. */
extern bool pmct_unverifiable;
/* The registers are not what they were: what was counted since the last read is nothing. */
void pmct_disturbed(struct pmct_cpu *cs, struct pmct_ctx *ctx);

/* Two at a time: an odd last one takes along a lane that nobody looks at. */
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

/* The same where counters have fewer than 64 bits. */
static __always_inline void pmct_add_wrapping(u64 *__restrict sum, const u64 *__restrict last,
					      const u64 *__restrict now,
					      const struct pmct_hwset *set)
{
	unsigned int i;

	for (i = 0; i < set->nr; i++)
		sum[i] += (now[i] - last[i]) & set->mask[i];
}

/* Bring the interval of the thread on this CPU up to now. */
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
 * Before the counters of @ctx, which are on this CPU, are accounted for: are they
 * still ours? Not at each switch: at ticks, and before most records.
 */
static inline void pmct_verify(struct pmct_cpu *cs, struct pmct_ctx *ctx)
{
	if (pmct_backend->intact && !READ_ONCE(pmct_unverifiable) && cs->set->nr &&
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
	/* The same set implies the same core type: a set is for one. */
	if (unlikely(!pmct_cpu_holds(cs, ctx)))
		pmct_change_set(cs, ctx);
	else if (!start_read)
		pmct_read_start(cs, ctx);
}

/* No monitored thread is on this CPU any more. */
static __always_inline void pmct_leave(struct pmct_cpu *cs)
{
	if (unlikely(cs->base))
		pmct_enter_base(cs);
	else
		cs->ctx = NULL;
}

/*
 * Is whom this CPU counts for still here? A thread whose delivery was disabled
 * from elsewhere may have left without a save.
 */
static inline bool pmct_is_here(const struct pmct_cpu *cs)
{
	return cs->ctx && (!cs->ctx->task || cs->ctx->task == current);
}

#endif /* _PMCT_COUNT_STEPS_H */
