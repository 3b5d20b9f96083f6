// SPDX-License-Identifier: GPL-2.0-only
/*
 * The hot path: whose events does this CPU count, and how many are they?
 *
 * Counters run freely. A switch reads them once; the difference to the last
 * read belongs to the thread that leaves, and the value is the start of the
 * one that enters. Only a change of event set touches the configuration.
 *
 * Everything here runs on the CPU concerned with interrupts disabled. The
 * overflow interrupt is masked like the others, so it never lands inside.
 * (Where it is an NMI, the backend only defers it, see pmct_overflow().)
 */
#include <linux/jiffies.h>
#include <linux/lockdep.h>
#include <linux/math64.h>
#include <linux/rcupdate.h>
#include <linux/smp.h>

#include "../compat/clock.h"
#include "core.h"
#include "evset.h"
#include "hooks.h"

DEFINE_PER_CPU(struct pmct_cpu, pmct_cpu);

/*
 * Event-based sampling: the counter begins so many events short of its end
 * that it overflows when the thread's window is full. What comes late belongs
 * to the record (its sum stays true), and shortens the next window.
 */
static void pmct_ebs_account(struct pmct_cpu *cs, struct pmct_ctx *ctx,
			     const struct pmct_hwset *set, u64 delta, bool overflowed)
{
	ctx->ebs_left -= delta;
	if (ctx->ebs_left > 0 && !overflowed)
		return;
	/* Load it anew; a window may also be longer than the counter. */
	cs->set = NULL;
	if (ctx->ebs_left > 0)
		return;
	ctx->ebs_left += (div64_u64(-ctx->ebs_left, set->ebs) + 1) * set->ebs;
	pmct_sample_close(ctx, PMCTRACK_RECORD_EBS, 0);
	pmct_ctx_next_set(ctx);
}

/* Counters that can overflow: a wrap shows in the value, the flag, or both. */
static noinline void pmct_account_narrow(struct pmct_cpu *cs, struct pmct_ctx *ctx,
					 const struct pmct_hwset *set,
					 const u64 *last, const u64 *now, u64 overflow)
{
	u64 wrapped = 0;
	u64 ebs = 0;
	unsigned int i;

	for (i = 0; i < set->nr; i++) {
		u64 bit = BIT_ULL(set->counter[i]);
		u64 mask = set->mask[i];
		/* The register may be wider than the part that signals overflow. */
		u64 from = last[i] & mask;
		u64 to = now[i] & mask;
		u64 delta = pmct_delta(from, to, mask, overflow & bit);

		ctx->sum[i] += delta;
		if (i == set->ebs_index)
			ebs = delta;
		if ((overflow & bit) || to < from)
			wrapped |= bit;
	}
	/* Accounted: also a flag that was raised only after it was read. */
	if (wrapped)
		pmct_backend->overflow_clear(wrapped);
	if (!set->ebs)
		return;
	pmct_ebs_account(cs, ctx, set, ebs, wrapped & BIT_ULL(set->counter[set->ebs_index]));
	if (cs->saved) {
		/* It leaves: the thread that enters loads the rest of its own window. */
		cs->saved = false;
		pmct_sample_wake(ctx->session);
	}
}

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
	overflow = pmct_backend->read(set, now);
	if (unlikely(set->narrow))
		pmct_account_narrow(cs, ctx, set, last, now, overflow);
	else
		pmct_add(ctx->sum, last, now, set->nr);
}

/* Let the counter overflow with the last event of the window. */
static void pmct_ebs_load(const struct pmct_hwset *set, u64 left)
{
	u64 mask = set->mask[set->ebs_index];

	pmct_backend->write(set->counter[set->ebs_index], -min(left, mask / 2 + 1) & mask);
}

static noinline void pmct_read_start_narrow(struct pmct_cpu *cs, const struct pmct_ctx *ctx)
{
	const struct pmct_hwset *set = cs->set;
	u64 ebs = set->ebs ? BIT_ULL(set->counter[set->ebs_index]) : 0;

	/* Before the counter is loaded: a flag from then on is of this window. */
	if (ebs) {
		pmct_backend->overflow_clear(ebs);
		pmct_ebs_load(set, ctx->ebs_left);
	}
	pmct_backend->read(set, cs->last);
	/* After the read: a wrap in between then shows as a smaller value. */
	pmct_backend->overflow_clear(set->counters & ~ebs);
}

/* Take start values of the set on the hardware, for the thread that enters. */
static __always_inline void pmct_read_start(struct pmct_cpu *cs, const struct pmct_ctx *ctx)
{
	cs->clock = pmct_clock();
	if (unlikely(cs->set->narrow))
		pmct_read_start_narrow(cs, ctx);
	else
		pmct_backend->read(cs->set, cs->last);
}

static void pmct_set_deadline(struct pmct_ctx *ctx)
{
	unsigned long period = ctx->session->period;
	unsigned long late = jiffies - ctx->deadline;

	/* Keep the phase: a thread that slept through periods skips them. */
	ctx->deadline += (late / period + 1) * period;
}

static noinline void pmct_period_end(struct pmct_ctx *ctx)
{
	pmct_sample_close(ctx, PMCTRACK_RECORD_TICK, 0);
	pmct_ctx_next_set(ctx);
	pmct_set_deadline(ctx);
}

static __always_inline bool pmct_period_over(const struct pmct_ctx *ctx)
{
	return time_after_eq(jiffies, ctx->deadline) && ctx->session->period;
}

/* The thread comes from CPUs of another type: its set there was another one. */
static noinline void pmct_change_core_type(struct pmct_cpu *cs, struct pmct_ctx *ctx)
{
	/* The record is of now, not of the last read here. */
	cs->clock = pmct_clock();
	if (ctx->clock)
		pmct_sample_close(ctx, PMCTRACK_RECORD_MIGRATION, 0);
	pmct_ctx_use_core_type(ctx, cs->core_type);
}

/* pmc_ops::pmcs_save_callback */
void pmct_sched_out(void *data, int cpu)
{
	struct pmct_cpu *cs = this_cpu_ptr(&pmct_cpu);
	struct pmct_ctx *ctx = data;

	/*
	 * Its session ended on another CPU after its flag was looked at, or
	 * began there, and pmct_enter_on_cpu() has not come yet.
	 */
	if (unlikely(!ctx || cs->ctx != ctx))
		return;
	cs->saved = true;
	pmct_account(cs, ctx);
	if (unlikely(pmct_period_over(ctx)))
		pmct_period_end(ctx);
}

/* The hardware does not hold what @ctx needs. */
static noinline void pmct_change_set(struct pmct_cpu *cs, struct pmct_ctx *ctx)
{
	if (ctx->set->core_type != cs->core_type)
		pmct_change_core_type(cs, ctx);
	if (cs->set != ctx->set) {
		cs->set = ctx->set;
		if (cs->set->nr)
			pmct_backend->program(cs->set);
	}
	pmct_read_start(cs, ctx);
}

/* @saved: the values at the last read are start values, too. */
static __always_inline void pmct_enter(struct pmct_cpu *cs, struct pmct_ctx *ctx, bool saved)
{
	cs->ctx = ctx;
	/* The same set implies the same core type: a set is for one. */
	if (unlikely(cs->set != ctx->set))
		pmct_change_set(cs, ctx);
	else if (!saved)
		pmct_read_start(cs, ctx);
}

/* pmc_ops::pmcs_restore_callback */
void pmct_sched_in(void *ctx, int cpu)
{
	struct pmct_cpu *cs = this_cpu_ptr(&pmct_cpu);
	bool saved = cs->saved;

	cs->saved = false;
	if (ctx)
		pmct_enter(cs, ctx, saved);
	else
		cs->ctx = NULL;
}

/* pmc_ops::pmcs_tbs_tick */
void pmct_tick(void *data, int cpu)
{
	struct pmct_cpu *cs = this_cpu_ptr(&pmct_cpu);
	struct pmct_ctx *ctx = data;
	bool over;

	/* As in pmct_sched_out(). */
	if (unlikely(!ctx || cs->ctx != ctx))
		return;
	over = pmct_period_over(ctx);
	if (likely(!over && !ctx->set->narrow))
		return;
	pmct_account(cs, ctx);
	if (over)
		pmct_period_end(ctx);
	if (unlikely(cs->set != ctx->set))
		pmct_change_set(cs, ctx);
	pmct_sample_wake(ctx->session);
}

/**
 * pmct_overflow() - a counter interrupt
 *
 * A backend for which this may be an NMI must not call it from there, but
 * keep the flag and mask the interrupt until overflow_clear(): the next tick
 * or switch accounts for it.
 *
 * Return: whether a counter had overflowed.
 */
bool pmct_overflow(void)
{
	struct pmct_cpu *cs = this_cpu_ptr(&pmct_cpu);
	u64 pending = pmct_backend->overflow_pending();
	struct pmct_ctx *ctx = cs->ctx;
	const struct pmct_hwset *set;

	lockdep_assert_irqs_disabled();

	if (!pending)
		return false;
	set = cs->set;
	if (ctx && (pending & set->counters)) {
		pmct_account(cs, ctx);
		pending &= ~(u64)set->counters;
		if (cs->set != ctx->set)
			pmct_change_set(cs, ctx);
	}
	if (pending)
		pmct_backend->overflow_clear(pending);
	return true;
}

static __always_inline void pmct_begin(struct pmct_ctx *ctx)
{
	ctx->state = PMCT_CTX_COUNTING;
	ctx->deadline = jiffies + ctx->session->period;
	pmct_enter(this_cpu_ptr(&pmct_cpu), ctx, false);
	pmct_hooks_enable(current);
}

/* Current, whose context this is, has executed a program. Hook, process context. */
void pmct_count_begin(struct pmct_ctx *ctx)
{
	struct pmct_session *s = ctx->session;

	/* The session may be ending: no CPU may learn of a context that it took. */
	raw_spin_lock_irq(&s->lock);
	if (ctx->listed)
		pmct_begin(ctx);
	raw_spin_unlock_irq(&s->lock);
}

/* Current, whose context this is, ends: its last record. Process context. */
void pmct_count_end(struct pmct_ctx *ctx, u16 record_flags)
{
	struct pmct_cpu *cs;

	local_irq_disable();
	cs = this_cpu_ptr(&pmct_cpu);
	pmct_hooks_disable(current);
	if (cs->ctx == ctx) {
		pmct_account(cs, ctx);
		cs->ctx = NULL;
	} else {
		cs->clock = pmct_clock();
	}
	if (ctx->state == PMCT_CTX_COUNTING || ctx->merged || record_flags)
		pmct_sample_close(ctx, PMCTRACK_RECORD_EXIT, record_flags);
	local_irq_enable();
}

/*
 * The context of current, if it is of @s. Another session's may be going
 * away; that of @s stays while the caller keeps the session.
 */
static __always_inline struct pmct_ctx *pmct_self(const struct pmct_session *s)
{
	struct pmct_ctx *ctx;

	rcu_read_lock();
	ctx = pmct_hooks_ctx(current);
	if (ctx && ctx->session != s)
		ctx = NULL;
	rcu_read_unlock();
	return ctx;
}

/**
 * pmct_count_start() - current starts to be counted
 * @s: the session, which the caller keeps from being released
 *
 * Context: process context.
 * Return: 0, -ESRCH if @s does not monitor current, -EALREADY.
 */
long pmct_count_start(struct pmct_session *s)
{
	struct pmct_ctx *ctx = pmct_self(s);

	if (!ctx)
		return -ESRCH;
	if (ctx->state == PMCT_CTX_COUNTING)
		return -EALREADY;
	local_irq_disable();
	pmct_begin(ctx);
	local_irq_enable();
	return 0;
}

/**
 * pmct_count_stop() - current stops to be counted, and its interval is closed
 * @s: the session, which the caller keeps from being released
 *
 * Context: process context.
 * Return: 0, -ESRCH if @s does not monitor current, -EALREADY.
 */
long pmct_count_stop(struct pmct_session *s)
{
	struct pmct_ctx *ctx = pmct_self(s);
	struct pmct_cpu *cs;

	if (!ctx)
		return -ESRCH;
	if (ctx->state != PMCT_CTX_COUNTING)
		return -EALREADY;

	local_irq_disable();
	cs = this_cpu_ptr(&pmct_cpu);
	pmct_hooks_disable(current);
	pmct_account(cs, ctx);
	cs->ctx = NULL;
	ctx->state = PMCT_CTX_STOPPED;
	pmct_sample_close(ctx, PMCTRACK_RECORD_SELF, 0);
	if (unlikely(s->rotates))
		pmct_ctx_next_set(ctx);
	local_irq_enable();
	return 0;
}

/* Nobody is counted on this CPU, and what is in its registers is unknown. */
void pmct_count_forget_cpu(void)
{
	struct pmct_cpu *cs = this_cpu_ptr(&pmct_cpu);

	lockdep_assert_irqs_disabled();

	cs->ctx = NULL;
	cs->set = NULL;
	cs->saved = false;
}

/* The core is going to lose power: what its counters hold is taken now. */
void pmct_count_power_down(void)
{
	struct pmct_cpu *cs = this_cpu_ptr(&pmct_cpu);

	lockdep_assert_irqs_disabled();

	/* Mostly the idle thread runs, but a suspend is entered by its writer. */
	if (cs->ctx)
		pmct_account(cs, cs->ctx);
}

/* It has power again, or kept it: nothing in its registers is known. */
void pmct_count_power_up(void)
{
	struct pmct_cpu *cs = this_cpu_ptr(&pmct_cpu);
	struct pmct_ctx *ctx = cs->ctx;

	pmct_count_forget_cpu();
	if (ctx)
		pmct_enter(cs, ctx, false);
}

void pmct_count_init(void)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		struct pmct_cpu *cs = per_cpu_ptr(&pmct_cpu, cpu);

		cs->last = cs->values[0];
		cs->next = cs->values[1];
	}
}

static void pmct_enter_on_cpu(void *session)
{
	struct pmct_cpu *cs = this_cpu_ptr(&pmct_cpu);
	struct pmct_ctx *ctx = pmct_hooks_ctx(current);

	if (ctx && ctx->session == session && cs->ctx != ctx)
		pmct_enter(cs, ctx, false);
}

/*
 * Threads of @s whose delivery was enabled from here may be on a CPU already:
 * they enter it now. All others do when they are switched to.
 */
void pmct_count_enter_session(struct pmct_session *s)
{
	on_each_cpu(pmct_enter_on_cpu, s, true);
}

static void pmct_drop_on_cpu(void *session)
{
	struct pmct_cpu *cs = this_cpu_ptr(&pmct_cpu);

	/* Counting for another session: then the set is that session's too. */
	if (cs->ctx && cs->ctx->session != session)
		return;
	/* Still running. One that left without a save was read before. */
	if (cs->ctx && cs->ctx->task == current)
		pmct_account(cs, cs->ctx);
	/* Its sets are going to be freed, and others may get their address. */
	pmct_count_forget_cpu();
}

/*
 * No CPU counts for a thread of @s when this returns, and none has one of its
 * sets on the hardware. The threads' hooks have been disabled before.
 */
void pmct_count_drop_session(struct pmct_session *s)
{
	on_each_cpu(pmct_drop_on_cpu, s, true);
}

/*
 * The last record of a thread that no CPU counts any more, and whose task is
 * still held. Process context.
 */
void pmct_count_close_detached(struct pmct_ctx *ctx)
{
	struct pmct_cpu *cs;

	local_irq_disable();
	cs = this_cpu_ptr(&pmct_cpu);
	/* The record is of now, by the clock of the last read here. */
	if (cs->ctx)
		pmct_account(cs, cs->ctx);
	else
		cs->clock = pmct_clock();
	pmct_sample_close(ctx, PMCTRACK_RECORD_DETACH, 0);
	/* It was the account that wanted it. */
	if (cs->ctx && cs->set != cs->ctx->set)
		pmct_change_set(cs, cs->ctx);
	local_irq_enable();
}
