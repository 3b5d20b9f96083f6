// SPDX-License-Identifier: GPL-2.0-only
/*
 * Counters that pass to another context without a switch: attach and detach by another CPU,
 * contexts of CPUs, power. The rules are those of count.c.
 */
#include <linux/lockdep.h>
#include <linux/smp.h>

#include "count_steps.h"
#include "handover.h"
#include "sample.h"
#include "tie.h"
#include "user_read.h"

/* From now on this CPU counts for no context, and its registers have unknown contents. */
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
	 * Mostly the idle thread runs, but a suspend runs in its writer. Some machines announce a
	 * power loss twice, so a window may have been closed already.
	 */
	if (!pmct_is_here(cs) || !cs->set)
		return;
	pmct_account(cs, cs->ctx);
	if (cs->ctx->wants & PMCT_SWITCH_USER_READ)
		pmct_user_read_leave(cs, cs->ctx);
}

/* The clock may have jumped, so measurements that began before it are dropped. */
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
	/* While a CPU slept, it had no events, so its context has missed none. */
	if (ctx && !ctx->task)
		ctx->clock += pmct_clock() - cs->clock;
	pmct_count_forget_cpu();
	if (!ctx)
		return;
	pmct_enter(cs, ctx, false);
	if (ctx->wants & PMCT_SWITCH_USER_READ)
		pmct_entered(cs, ctx);
}

/* The base of the last CPU, from pmct_count_suspend() to pmct_count_resume(). */
static struct pmct_ctx *pmct_suspended_base;

/**
 * pmct_count_suspend() - the machine goes to sleep
 *
 * All other CPUs are offline. Clocks and counters may begin anew, so values from before are never
 * compared with values from after the sleep.
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
 * Threads of @s whose delivery was enabled by this CPU may be on one of @cpus already. They enter
 * it now. All others enter when they are switched to.
 */
void pmct_count_enter_cpus(struct pmct_session *s, const struct cpumask *cpus)
{
	if (!cpumask_empty(cpus))
		on_each_cpu_mask(cpus, pmct_enter_on_cpu, s, true);
}

/* Account for the context that this CPU counts for, and stop counting for it. */
static void pmct_drop(struct pmct_cpu *cs)
{
	/* The thread still runs. A thread that left without a save was read before. */
	if (cs->ctx && cs->ctx->task == current)
		pmct_account(cs, cs->ctx);
	if (cs->ctx && cs->ctx->wants & PMCT_SWITCH_USER_READ)
		pmct_user_read_leave(cs, cs->ctx);
	/* The sets of this context are going to be freed, and others may get their addresses. */
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
 * True if a CPU counts for a thread of @s. No thread of @s enters a CPU any more, so the answer can
 * only change to false.
 */
static bool pmct_cpu_has_session(int cpu, void *session)
{
	const struct pmct_ctx *ctx;
	bool has;

	/* The CPU may write this pointer meanwhile. */
	rcu_read_lock();
	ctx = READ_ONCE(per_cpu_ptr(&pmct_cpu, cpu)->ctx);
	has = ctx && ctx->session == session;
	rcu_read_unlock();
	return has;
}

/*
 * When this returns, no CPU counts for a thread of @s, and no CPU takes the next session's set for
 * a set of @s that is still on the hardware. Before the call, entrance was closed
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

	/* As in pmct_cpu_has_session(). */
	rcu_read_lock();
	ctx = READ_ONCE(per_cpu_ptr(&pmct_cpu, cpu)->ctx);
	has = ctx && READ_ONCE(ctx->detaching);
	rcu_read_unlock();
	return has;
}

/*
 * When this returns, no CPU counts for a context that was detaching at the beginning of the last
 * wait for hooks.
 */
void pmct_count_drop_detaching(void)
{
	on_each_cpu_cond(pmct_cpu_has_detaching, pmct_drop_detaching_on_cpu, NULL, true);
}

/**
 * pmct_count_close() - close an interval that no hook closes
 * @ctx: a thread that no CPU counts any more and whose task is held, or the context of this CPU
 * @kind: the reason; if it is PMCTRACK_RECORD_TICK, the next set takes its turn
 *
 * Context: interrupts disabled.
 */
void pmct_count_close(struct pmct_ctx *ctx, enum pmctrack_record_kind kind)
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
	pmct_sample_close(ctx, kind, 0);
	if (kind == PMCTRACK_RECORD_TICK)
		pmct_ctx_next_set(ctx);
	/* The account itself may have changed the set. */
	if (cs->ctx && !pmct_cpu_holds(cs, cs->ctx))
		pmct_change_set(cs, cs->ctx);
}

/* Update the context of this CPU, if its counters need that. Interrupts disabled. */
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
 * pmct_count_base_on() - count for a CPU while no monitored thread is there
 * @ctx: the context of this CPU
 *
 * Context: interrupts disabled.
 */
void pmct_count_base_on(struct pmct_ctx *ctx)
{
	struct pmct_cpu *cs = this_cpu_ptr(&pmct_cpu);

	lockdep_assert_irqs_disabled();

	cs->base = ctx;
	/* If a monitored thread leaves, its own hook saves its counts, and then the base enters. */
	if (!cs->ctx)
		pmct_enter_base(cs);
	ctx->run_since = cs->ctx == ctx ? cs->clock : pmct_clock();
}

/**
 * pmct_count_base_off() - stop counting for the context of this CPU
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
