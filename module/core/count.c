// SPDX-License-Identifier: GPL-2.0-only
/*
 * The hot path: which context does this CPU count for, and how many events are there?
 *
 * Counters run freely. A switch reads them once. The difference to the last read belongs to the
 * thread that leaves, and the value is the start value of the thread that enters. The configuration
 * is written only if the event set changes.
 *
 * Everything here runs on the CPU concerned with interrupts disabled. The overflow interrupt is
 * masked like the others, so it never interrupts this code. (If it is an NMI, the backend only
 * defers it, see pmct_overflow().)
 */
#include <linux/irq_work.h>
#include <linux/jiffies.h>
#include <linux/lockdep.h>
#include <linux/rcupdate.h>
#include <linux/smp.h>

#include "../compat/clock.h"
#include "config.h"
#include "count.h"
#include "count_steps.h"
#include "mmon_call.h"
#include "sample.h"
#include "tie.h"
#include "user_read.h"

static int pmct_unverifiable_cpu;

/*
 * Printing may wake a task that waits for the console, so do not print with a runqueue lock held.
 */
static void pmct_report_unverifiable(struct irq_work *work)
{
	pr_warn_ratelimited("pmctrack: %s: registers of CPU %d do not hold what is written to them; disturbances by others are not noticed there\n",
			    pmct_backend->name, READ_ONCE(pmct_unverifiable_cpu));
}

static DEFINE_IRQ_WORK(pmct_unverifiable_work, pmct_report_unverifiable);

/* No hook runs any more. Process context, may sleep. */
void pmct_count_exit(void)
{
	irq_work_sync(&pmct_unverifiable_work);
}

static void pmct_set_deadline(struct pmct_ctx *ctx)
{
	unsigned long period = ctx->session->period;
	unsigned long late = jiffies - ctx->deadline;

	/* Keep the phase: if a thread slept through whole periods, skip them. */
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

/* The thread was on CPUs of another type before, and was counted with another set there. */
static noinline void pmct_change_core_type(struct pmct_cpu *cs, struct pmct_ctx *ctx)
{
	/* The record ends now, not at the last read on this CPU. */
	cs->clock = pmct_clock();
	if (ctx->clock)
		pmct_sample_close(ctx, PMCTRACK_RECORD_MIGRATION, 0);
	pmct_ctx_use_core_type(ctx, cs->core_type);
}

static noinline void pmct_left(struct pmct_cpu *cs, struct pmct_ctx *ctx)
{
	if (ctx->wants & PMCT_SWITCH_USER_READ)
		pmct_user_read_leave(cs, ctx);
	if (ctx->wants & PMCT_SWITCH_EBS) {
		/* The thread that enters loads the counter with the rest of its own window. */
		pmct_cpu_withdraw_start(cs);
		pmct_sample_wake(ctx->session);
	}
	if (ctx->wants & PMCT_SWITCH_MMON)
		pmct_mmon_switch_out(ctx, smp_processor_id());
}

static void pmct_grant_user_read(struct pmct_cpu *cs, struct pmct_ctx *ctx)
{
	/* Do not grant access again while the session is closing. */
	if (!(ctx->wants & PMCT_SWITCH_USER_READ) || READ_ONCE(ctx->session->closing))
		return;
	if (ctx->set->nr)
		pmct_backend->user_access(ctx->set);
	pmct_read_start(cs, ctx);
	pmct_user_read_enter(cs, ctx);
}

void pmct_entered(struct pmct_cpu *cs, struct pmct_ctx *ctx)
{
	pmct_grant_user_read(cs, ctx);
	if (ctx->wants & PMCT_SWITCH_TICK) {
		ctx->wants &= ~PMCT_SWITCH_TICK;
		pmct_tie_keep_tick(ctx->task);
	}
	if (ctx->wants & PMCT_SWITCH_MMON)
		pmct_mmon_switch_in(ctx, smp_processor_id());
}

/* pmc_ops::pmcs_save_callback */
void pmct_sched_out(void *data, int cpu)
{
	struct pmct_cpu *cs = this_cpu_ptr(&pmct_cpu);
	struct pmct_ctx *ctx = data;
	bool over;

	lockdep_assert_irqs_disabled();

	/*
	 * The thread's session ended on another CPU after the flag was checked, or began there, and
	 * pmct_enter_on_cpu() has not run here yet.
	 */
	if (unlikely(!ctx || cs->ctx != ctx))
		return;
	pmct_cpu_offer_start(cs);
	over = pmct_period_over(ctx);
	if (unlikely(over))
		pmct_verify(cs, ctx);
	pmct_account(cs, ctx);
	if (unlikely(over))
		pmct_period_end(ctx);
	if (unlikely(ctx->on_switch))
		pmct_left(cs, ctx);
}

/* See count_steps.h. */
void pmct_change_set(struct pmct_cpu *cs, struct pmct_ctx *ctx)
{
	lockdep_assert_irqs_disabled();

	/* A switch does not account for the CPU's own context. No thread has that context's set. */
	if (cs->base && cs->base != ctx && cs->base->set == cs->set)
		pmct_account(cs, cs->base);
	if (ctx->set->core_type != cs->core_type)
		pmct_change_core_type(cs, ctx);
	if (!pmct_cpu_holds(cs, ctx)) {
		cs->set = ctx->set;
		if (cs->set->nr)
			pmct_backend->program(cs->set);
	}
	pmct_read_start(cs, ctx);
}

void pmct_disturbed(struct pmct_cpu *cs, struct pmct_ctx *ctx)
{
	u64 now = pmct_clock();

	lockdep_assert_irqs_disabled();

	ctx->missed += pmct_clock_to_ns(now - cs->clock);
	ctx->disturbed = true;
	ctx->clock += now - cs->clock;
	cs->clock = now;
	/* The reader's page continues from the last correct values. */
	if (ctx->wants & PMCT_SWITCH_USER_READ)
		pmct_user_read_leave(cs, ctx);
	pmct_cpu_invalidate(cs);
	pmct_change_set(cs, ctx);
	pmct_grant_user_read(cs, ctx);
	if (pmct_backend->intact(cs->set))
		return;
	/* No other software wrote this register: it does not hold what is written to it. */
	cs->unverifiable = true;
	WRITE_ONCE(pmct_unverifiable_cpu, smp_processor_id());
	irq_work_queue(&pmct_unverifiable_work);
}

void pmct_enter_base(struct pmct_cpu *cs)
{
	if (cs->ctx != cs->base)
		pmct_enter(cs, cs->base, false);
}

static noinline void pmct_sched_in_and_more(struct pmct_cpu *cs, struct pmct_ctx *ctx,
					    bool start_read)
{
	/* The thread's last record is made of what was read when it left its last CPU. */
	if (READ_ONCE(ctx->detaching)) {
		pmct_leave(cs);
		return;
	}
	pmct_enter(cs, ctx, start_read);
	pmct_entered(cs, ctx);
}

/* pmc_ops::pmcs_restore_callback */
void pmct_sched_in(void *data, int cpu)
{
	struct pmct_cpu *cs = this_cpu_ptr(&pmct_cpu);
	struct pmct_ctx *ctx = data;
	bool start_read = pmct_cpu_take_start(cs);

	lockdep_assert_irqs_disabled();

	if (!ctx)
		pmct_leave(cs);
	else if (unlikely(ctx->on_switch))
		pmct_sched_in_and_more(cs, ctx, start_read);
	else
		pmct_enter(cs, ctx, start_read);
}

/* pmc_ops::pmcs_tbs_tick */
void pmct_tick(void *data, int cpu)
{
	struct pmct_cpu *cs = this_cpu_ptr(&pmct_cpu);
	struct pmct_ctx *ctx = data;
	bool over;

	lockdep_assert_irqs_disabled();

	/* As in pmct_sched_out(). */
	if (unlikely(!ctx || cs->ctx != ctx))
		return;
	if (unlikely(rcu_access_pointer(pmct_mmon)))
		pmct_mmon_tick(ctx, cpu);
	pmct_verify(cs, ctx);
	over = pmct_period_over(ctx);
	if (likely(!over && !ctx->set->wraps))
		return;
	pmct_account(cs, ctx);
	if (over)
		pmct_period_end(ctx);
	if (unlikely(!pmct_cpu_holds(cs, ctx)))
		pmct_change_set(cs, ctx);
	pmct_sample_wake(ctx->session);
}

/**
 * pmct_overflow() - a counter interrupt
 *
 * Context: hot, not in an NMI; see pmct_backend::claim.
 * Return: whether a counter had overflowed.
 */
bool pmct_overflow(void)
{
	struct pmct_cpu *cs = this_cpu_ptr(&pmct_cpu);
	u64 pending = pmct_backend->overflow_pending();
	struct pmct_ctx *ctx = cs->ctx;
	const struct pmct_hwset *set;
	u64 begin = pmct_clock();

	lockdep_assert_irqs_disabled();

	if (!pending)
		return false;
	set = cs->set;
	if (pmct_is_here(cs) && (pending & set->counters)) {
		pmct_account(cs, ctx);
		pending &= ~(u64)set->counters;
		if (!pmct_cpu_holds(cs, ctx))
			pmct_change_set(cs, ctx);
	}
	if (pending)
		pmct_backend->overflow_clear(pending);
	/* Also for a thread that has left, whose window others complete. */
	pmct_ebs_limit_charge(&cs->ebs, begin, pmct_clock(),
			      READ_ONCE(pmct_config.ebs_cpu_percent));
	return true;
}

static __always_inline void pmct_begin(struct pmct_ctx *ctx)
{
	ctx->state = PMCT_CTX_COUNTING;
	ctx->deadline = jiffies + ctx->session->period;
	pmct_enter(this_cpu_ptr(&pmct_cpu), ctx, false);
	pmct_tie_enable(current, ctx);
}

/*
 * Current, whose context this is, has executed a program, or is newly monitored. The caller is a
 * hook.
 */
void pmct_count_begin(struct pmct_ctx *ctx)
{
	struct pmct_session *s = ctx->session;
	unsigned long flags;
	bool begins;

	/*
	 * The session may be ending. Then no CPU may begin to count for a context that its end has
	 * taken.
	 */
	local_irq_save(flags);
	raw_spin_lock(&s->lock);
	begins = ctx->listed && !ctx->detaching;
	if (begins)
		pmct_begin(ctx);
	raw_spin_unlock(&s->lock);
	/* At a tick or record, the module would miss what came before. */
	if (begins)
		pmct_mmon_enter(ctx, NULL);
	local_irq_restore(flags);
}

/*
 * Close the last interval of current, which ends and whose context @ctx was untied. Interrupts
 * disabled.
 */
void pmct_count_end(struct pmct_ctx *ctx, u16 record_flags)
{
	struct pmct_cpu *cs = this_cpu_ptr(&pmct_cpu);

	lockdep_assert_irqs_disabled();

	/* The record ends now, by the clock of the last read here. */
	if (pmct_is_here(cs)) {
		pmct_verify(cs, cs->ctx);
		pmct_account(cs, cs->ctx);
	} else {
		cs->clock = pmct_clock();
	}
	if (ctx->state == PMCT_CTX_COUNTING || ctx->merged || record_flags)
		pmct_sample_close(ctx, PMCTRACK_RECORD_EXIT, record_flags);
	if (cs->ctx == ctx) {
		if (ctx->wants & PMCT_SWITCH_USER_READ)
			pmct_user_read_leave(cs, ctx);
		pmct_leave(cs);
	} else if (cs->ctx && !pmct_cpu_holds(cs, cs->ctx)) {
		pmct_change_set(cs, cs->ctx);
	}
}

/*
 * The context of current, if it is of @s. It is valid while interrupts are disabled, because a CPU
 * that ends the session waits for that.
 */
static __always_inline struct pmct_ctx *pmct_self(const struct pmct_session *s)
{
	struct pmct_ctx *ctx = pmct_tie_ctx(current);

	return ctx && ctx->session == s ? ctx : NULL;
}

static noinline long pmct_count_refused(const struct pmct_session *s)
{
	return READ_ONCE(s->closing) ? -ESHUTDOWN : -ESRCH;
}

static __always_inline long __pmct_count_start(struct pmct_session *s, bool user_read)
{
	struct pmct_ctx *ctx;
	long err = 0;

	local_irq_disable();
	ctx = pmct_self(s);
	if (unlikely(!ctx || READ_ONCE(ctx->detaching))) {
		err = pmct_count_refused(s);
	} else if (unlikely(ctx->state == PMCT_CTX_COUNTING)) {
		err = -EALREADY;
	} else {
		pmct_begin(ctx);
		if (unlikely(s->virt))
			pmct_mmon_enter(ctx, NULL);
		if (user_read)
			pmct_entered(this_cpu_ptr(&pmct_cpu), ctx);
		else if (unlikely(ctx->wants & PMCT_SWITCH_MMON))
			pmct_mmon_switch_in(ctx, smp_processor_id());
	}
	local_irq_enable();
	return err;
}

/**
 * pmct_count_start() - start counting current
 * @s: the session, which the caller keeps from being released
 *
 * Context: process context.
 * Return: 0, -ESRCH if @s does not monitor current, -EALREADY, -ESHUTDOWN if @s
 * has ended.
 */
long pmct_count_start(struct pmct_session *s)
{
	return __pmct_count_start(s, false);
}

/* The same as pmct_count_start(), for a session with PMCTRACK_SESSION_USER_READ. */
long pmct_count_start_user_read(struct pmct_session *s)
{
	return __pmct_count_start(s, true);
}

static __always_inline void pmct_stop(const struct pmct_session *s, struct pmct_ctx *ctx,
				      struct pmct_cpu *cs, bool user_read)
{
	pmct_tie_disable(current, ctx);
	pmct_account(cs, ctx);
	if (user_read)
		pmct_user_read_leave(cs, ctx);
	pmct_leave(cs);
	ctx->state = PMCT_CTX_STOPPED;
	pmct_sample_close(ctx, PMCTRACK_RECORD_SELF, 0);
	if (unlikely(ctx->wants & PMCT_SWITCH_MMON))
		pmct_mmon_switch_out(ctx, smp_processor_id());
	if (unlikely(s->sets.rotates))
		pmct_ctx_next_set(ctx);
}

static __always_inline long __pmct_count_stop(struct pmct_session *s, bool user_read)
{
	struct pmct_cpu *cs;
	struct pmct_ctx *ctx;
	long err = 0;

	local_irq_disable();
	cs = this_cpu_ptr(&pmct_cpu);
	ctx = pmct_self(s);
	/*
	 * While a thread is counted, this CPU has its context, until the end of the session removes
	 * it.
	 */
	if (likely(ctx && cs->ctx == ctx))
		pmct_stop(s, ctx, cs, user_read);
	else if (ctx && ctx->state != PMCT_CTX_COUNTING)
		err = -EALREADY;
	else
		err = pmct_count_refused(s);
	local_irq_enable();
	return err;
}

/**
 * pmct_count_stop() - stop counting current, and close its interval
 * @s: the session, which the caller keeps from being released
 *
 * Context: process context.
 * Return: 0, -ESRCH if @s does not monitor current, -EALREADY, -ESHUTDOWN if @s
 * has ended.
 */
long pmct_count_stop(struct pmct_session *s)
{
	return __pmct_count_stop(s, false);
}

/* The same as pmct_count_stop(), for a session with PMCTRACK_SESSION_USER_READ. */
long pmct_count_stop_user_read(struct pmct_session *s)
{
	return __pmct_count_stop(s, true);
}
