// SPDX-License-Identifier: GPL-2.0-only
/*
 * Counters that change hands without a switch: threads that are attached to, or
 * left, from elsewhere; contexts of CPUs; power. The rules are those of count.c.
 */
#include <linux/lockdep.h>
#include <linux/smp.h>

#include "count_steps.h"
#include "handover.h"
#include "sample.h"
#include "tie.h"
#include "user_read.h"

/* Nobody is counted on this CPU, and the contents of its registers are unknown. */
void pmct_count_forget_cpu(void)
{
	struct pmct_cpu *cs = this_cpu_ptr(&pmct_cpu);

	lockdep_assert_irqs_disabled();

	cs->ctx = NULL;
	pmct_cpu_invalidate(cs);
	pmct_cpu_withdraw_start(cs);
}

/* The CPU is going to lose power: account for what its counters hold. */
void pmct_count_power_down(void)
{
	struct pmct_cpu *cs = this_cpu_ptr(&pmct_cpu);

	lockdep_assert_irqs_disabled();

	/*
	 * Mostly the idle thread runs, but a suspend is entered by its writer. Some
	 * machines announce it twice: a window may have been closed by then.
	 */
	if (!pmct_is_here(cs) || !cs->set)
		return;
	pmct_account(cs, cs->ctx);
	if (cs->ctx->wants & PMCT_SWITCH_USER_READ)
		pmct_user_read_leave(cs, cs->ctx);
}

/* The clock may have jumped: what was measured with it before is not continued. */
static void pmct_forget_time(struct pmct_cpu *cs)
{
	cs->time_clock = pmct_clock() - U32_MAX;
	cs->ebs.since = pmct_clock();
}

/* The CPU has power again, or kept it: the contents of its registers are unknown. */
void pmct_count_power_up(void)
{
	struct pmct_cpu *cs = this_cpu_ptr(&pmct_cpu);
	struct pmct_ctx *ctx = cs->ctx;

	lockdep_assert_irqs_disabled();

	pmct_forget_time(cs);
	/* Nothing of a CPU's events was missed while it slept. */
	if (ctx && !ctx->task)
		ctx->clock += pmct_clock() - cs->clock;
	pmct_count_forget_cpu();
	if (!ctx)
		return;
	pmct_enter(cs, ctx, false);
	if (ctx->wants & PMCT_SWITCH_USER_READ)
		pmct_entered(cs, ctx);
}

/* The base of the CPU that sleeps last, from pmct_count_suspend() to pmct_count_resume(). */
static struct pmct_ctx *pmct_suspended_base;

/**
 * pmct_count_suspend() - the machine goes to sleep
 *
 * All other CPUs are offline. Clocks and counters may begin anew: nothing that was
 * read before is compared with what is read afterwards.
 *
 * Context: the last CPU, interrupts disabled.
 */
void pmct_count_suspend(void)
{
	struct pmct_cpu *cs = this_cpu_ptr(&pmct_cpu);

	lockdep_assert_irqs_disabled();

	pmct_suspended_base = cs->base;
	if (cs->base)
		pmct_count_base_off(cs->base);
	pmct_count_power_down();
	if (pmct_backend->cpu_down)
		pmct_backend->cpu_down(smp_processor_id());
}

/* The machine wakes up, on the same CPU. Interrupts disabled. */
void pmct_count_resume(void)
{
	if (pmct_backend->cpu_up)
		pmct_backend->cpu_up(smp_processor_id());
	pmct_count_power_up();
	if (pmct_suspended_base)
		pmct_count_base_on(pmct_suspended_base);
	pmct_suspended_base = NULL;
}

static void pmct_enter_on_cpu(void *session)
{
	struct pmct_cpu *cs = this_cpu_ptr(&pmct_cpu);
	struct pmct_ctx *ctx = pmct_tie_ctx(current);

	if (ctx && ctx->session == session && cs->ctx != ctx && !READ_ONCE(ctx->detaching))
		pmct_enter(cs, ctx, false);
	if (cs->ctx == ctx)
		pmct_tie_entered();
}

/*
 * Threads of @s whose delivery was enabled from here may be on one of these CPUs
 * already: they enter it now. All others do when they are switched to.
 */
void pmct_count_enter_cpus(struct pmct_session *s, const struct cpumask *cpus)
{
	if (!cpumask_empty(cpus))
		on_each_cpu_mask(cpus, pmct_enter_on_cpu, s, true);
}

/* Account for the context that this CPU counts for, and stop counting for it. */
static void pmct_drop(struct pmct_cpu *cs)
{
	/* Still running. One that left without a save was read before. */
	if (cs->ctx && cs->ctx->task == current)
		pmct_account(cs, cs->ctx);
	if (cs->ctx && cs->ctx->wants & PMCT_SWITCH_USER_READ)
		pmct_user_read_leave(cs, cs->ctx);
	/* Its sets are going to be freed, and others may get their address. */
	pmct_count_forget_cpu();
	if (cs->base)
		pmct_enter_base(cs);
}

static void pmct_drop_session_on_cpu(void *session)
{
	struct pmct_cpu *cs = this_cpu_ptr(&pmct_cpu);

	if (cs->ctx && cs->ctx->session == session)
		pmct_drop(cs);
}

/*
 * Does a CPU count for a thread of @s? No thread of @s enters a CPU any more, so that the
 * answer can only change to no.
 */
static bool pmct_cpu_has_session(int cpu, void *session)
{
	const struct pmct_ctx *ctx;
	bool has;

	/* The CPU writes it while we look. */
	rcu_read_lock();
	ctx = READ_ONCE(per_cpu_ptr(&pmct_cpu, cpu)->ctx);
	has = ctx && ctx->session == session;
	rcu_read_unlock();
	return has;
}

/*
 * No CPU counts for a thread of @s when this returns, and none takes the next session's set
 * for one of @s that is still on the hardware. Entrance was closed before
 * (pmct_ctx::detaching), and hooks were waited for.
 */
void pmct_count_drop_session(struct pmct_session *s)
{
	int cpu;

	on_each_cpu_cond(pmct_cpu_has_session, pmct_drop_session_on_cpu, s, true);
	for_each_possible_cpu(cpu) {
		struct pmct_cpu *cs = per_cpu_ptr(&pmct_cpu, cpu);
		const struct pmct_hwset *set = READ_ONCE(cs->set);

		if (pmct_sets_have(&s->sets, set))
			pmct_cpu_forget_set(cs, set);
	}
}

static void pmct_drop_detaching_on_cpu(void *unused)
{
	struct pmct_cpu *cs = this_cpu_ptr(&pmct_cpu);

	if (cs->ctx && READ_ONCE(cs->ctx->detaching))
		pmct_drop(cs);
}

static bool pmct_cpu_has_detaching(int cpu, void *unused)
{
	const struct pmct_ctx *ctx;
	bool has;

	/* As above. */
	rcu_read_lock();
	ctx = READ_ONCE(per_cpu_ptr(&pmct_cpu, cpu)->ctx);
	has = ctx && READ_ONCE(ctx->detaching);
	rcu_read_unlock();
	return has;
}

/*
 * No CPU counts for a context that was detaching when hooks were waited for the last
 * time before this.
 */
void pmct_count_drop_detaching(void)
{
	on_each_cpu_cond(pmct_cpu_has_detaching, pmct_drop_detaching_on_cpu, NULL, true);
}

/**
 * pmct_count_close() - close an interval that no hook closes
 * @ctx: a thread that no CPU counts any more and whose task is held, or the
 *	context of this CPU
 * @kind: why; if it is PMCTRACK_RECORD_TICK, the next set takes its turn
 *
 * Context: interrupts disabled.
 */
void pmct_count_close(struct pmct_ctx *ctx, enum pmctrack_record_kind kind)
{
	struct pmct_cpu *cs = this_cpu_ptr(&pmct_cpu);

	lockdep_assert_irqs_disabled();

	/* The record is of now, by the clock of the last read here. */
	if (pmct_is_here(cs)) {
		pmct_verify(cs, cs->ctx);
		pmct_account(cs, cs->ctx);
	} else {
		cs->clock = pmct_clock();
	}
	pmct_sample_close(ctx, kind, 0);
	if (kind == PMCTRACK_RECORD_TICK)
		pmct_ctx_next_set(ctx);
	/* It may be the account that wants another. */
	if (cs->ctx && !pmct_cpu_holds(cs, cs->ctx))
		pmct_change_set(cs, cs->ctx);
}

/* The context of this CPU is brought up to now, if its counters need it. Interrupts disabled. */
void pmct_count_base_refresh(struct pmct_ctx *ctx)
{
	struct pmct_cpu *cs = this_cpu_ptr(&pmct_cpu);

	lockdep_assert_irqs_disabled();

	if (cs->ctx != ctx)
		return;
	pmct_verify(cs, ctx);
	if (!ctx->set->wraps)
		return;
	pmct_account(cs, ctx);
	if (!pmct_cpu_holds(cs, ctx))
		pmct_change_set(cs, ctx);
}

/**
 * pmct_count_base_on() - from now on, count what nobody else wants for a CPU
 * @ctx: the context of this CPU
 *
 * Context: interrupts disabled.
 */
void pmct_count_base_on(struct pmct_ctx *ctx)
{
	struct pmct_cpu *cs = this_cpu_ptr(&pmct_cpu);

	lockdep_assert_irqs_disabled();

	cs->base = ctx;
	/* A thread that leaves is saved by its own hook, and then it is our turn. */
	if (!cs->ctx)
		pmct_enter_base(cs);
	ctx->run_since = cs->ctx == ctx ? cs->clock : pmct_clock();
}

/**
 * pmct_count_base_off() - the context of this CPU counts no more
 * @ctx: the context
 *
 * Its interval stays open. Context: interrupts disabled.
 */
void pmct_count_base_off(struct pmct_ctx *ctx)
{
	struct pmct_cpu *cs = this_cpu_ptr(&pmct_cpu);

	lockdep_assert_irqs_disabled();

	if (cs->base != ctx)
		return;
	if (cs->ctx == ctx) {
		pmct_account(cs, ctx);
		cs->ctx = NULL;
	}
	ctx->run += (cs->ctx ? pmct_clock() : cs->clock) - ctx->run_since;
	ctx->run_since = 0;
	cs->base = NULL;
}
