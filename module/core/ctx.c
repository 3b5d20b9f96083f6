// SPDX-License-Identifier: GPL-2.0-only
/*
 * Life of a monitored thread's context: attached by a session or inherited at
 * fork, started at exec or by itself, gone at exit or with its session.
 *
 * Whoever takes a context off the list (under session->lock) also unties it
 * from its task and frees it: here, if the thread itself ends, or in detach.c, if its
 * session does, or another one takes it over.
 */
#include <linux/cred.h>
#include <linux/rcupdate.h>
#include <linux/sched/task.h>
#include <linux/slab.h>

#include "../compat/dumpable.h"
#include "count.h"
#include "ctx.h"
#include "mmon_call.h"
#include "sample.h"
#include "tie.h"
#include "turn.h"

/* What monitoring a thread costs in memory, at most. */
static_assert(sizeof(struct pmct_ctx) + PMCTRACK_MAX_COUNTERS * sizeof(u64) <= 2048);

/**
 * pmct_ctx_alloc() - make a context that nobody knows yet
 * @s: of this session
 * @task: of this thread; NULL: a CPU, or a thread that pmct_ctx_adopt() will name
 * @state: what it is doing
 * @gfp: how memory may be had
 *
 * Return: the context, or NULL without memory. kfree() it if nothing comes of it.
 */
struct pmct_ctx *pmct_ctx_alloc(struct pmct_session *s, struct task_struct *task,
				enum pmct_ctx_state state, gfp_t gfp)
{
	struct pmct_ctx *ctx;

	ctx = kzalloc(struct_size(ctx, sum, round_up(s->sets.nr_counters, 2)), gfp | __GFP_ACCOUNT);
	if (!ctx)
		return NULL;
	ctx->session = s;
	ctx->deadline = jiffies + s->period;
	ctx->task = task;
	ctx->state = state;
	if (s->flags & PMCTRACK_SESSION_USER_READ)
		ctx->wants = PMCT_SWITCH_USER_READ;
	if (s->sets.by_events || s->sets.addresses)
		ctx->wants |= PMCT_SWITCH_EBS;
	/* Any type will do: entering a CPU of another one corrects it. */
	pmct_ctx_use_core_type(ctx, 0);
	return ctx;
}

static void pmct_ctx_set_nr(struct pmct_session *s, unsigned int nr)
{
	lockdep_assert_held(&s->lock);

	/* Pairs with pmct_session_over(): last records come before the end. */
	smp_store_release(&s->nr_threads, nr);
	WRITE_ONCE(s->rings.ctl->threads, nr);
}

/**
 * pmct_ctx_join() - put a context on the list of its session
 * @ctx: the context
 *
 * Context: any but NMI.
 * Return: false if the session is ending.
 */
bool pmct_ctx_join(struct pmct_ctx *ctx)
{
	struct pmct_session *s = ctx->session;
	unsigned long flags;
	bool joined;

	raw_spin_lock_irqsave(&s->lock, flags);
	joined = !s->closing;
	if (joined) {
		list_add_tail(&ctx->node, &s->threads);
		ctx->listed = true;
		pmct_ctx_set_nr(s, s->nr_threads + 1);
	}
	raw_spin_unlock_irqrestore(&s->lock, flags);
	return joined;
}

/* Off the list; it still counts as a thread of the session, which has records to come. */
void pmct_ctx_unlist(struct pmct_ctx *ctx)
{
	lockdep_assert_held(&ctx->session->lock);

	ctx->listed = false;
	list_del(&ctx->node);
}

/* A context that is off the list has no record to come. */
void pmct_ctx_count_one_less(struct pmct_session *s)
{
	pmct_ctx_set_nr(s, s->nr_threads - 1);
}

/* Off the list and untied. True for the one caller who now has to free it. */
static bool pmct_ctx_leave(struct pmct_ctx *ctx)
{
	struct pmct_session *s = ctx->session;
	unsigned long flags;
	bool left;

	raw_spin_lock_irqsave(&s->lock, flags);
	left = ctx->listed;
	if (left) {
		pmct_ctx_unlist(ctx);
		pmct_hooks->retie(ctx->task, NULL);
	}
	raw_spin_unlock_irqrestore(&s->lock, flags);
	return left;
}

/* What pmct_ctx_leave() took has no record to come. The caller is a hook. */
static void pmct_ctx_free_left(struct pmct_ctx *ctx)
{
	struct pmct_session *s = ctx->session;
	unsigned long flags;

	raw_spin_lock_irqsave(&s->lock, flags);
	pmct_ctx_count_one_less(s);
	raw_spin_unlock_irqrestore(&s->lock, flags);
	/* After the count went down: a reader may be waiting for the end. */
	irq_work_queue(&s->wake);
	kfree_rcu(ctx, rcu);
}

/**
 * pmct_ctx_add_cpu() - a context for a CPU of a system-wide session
 * @s: the session, which owns it
 * @cpu: the CPU
 *
 * Context: process context, may sleep.
 * Return: the context, or NULL without memory.
 */
struct pmct_ctx *pmct_ctx_add_cpu(struct pmct_session *s, unsigned int cpu)
{
	struct pmct_ctx *ctx = pmct_ctx_alloc(s, NULL, PMCT_CTX_STOPPED, GFP_KERNEL);

	if (!ctx)
		return NULL;
	ctx->head.tid = -1;
	ctx->head.tgid = -1;
	ctx->head.cpu = cpu;
	if (pmct_ctx_join(ctx))
		return ctx;
	kfree(ctx);
	return NULL;
}

/**
 * pmct_ctx_adopt() - current is monitored from now on
 * @ctx: of pmct_ctx_alloc(), without a task
 *
 * Context: a hook of current, interrupts disabled, no lock held.
 * Return: false if the session is ending, or current has a context: @ctx stays the
 * caller's.
 */
bool pmct_ctx_adopt(struct pmct_ctx *ctx)
{
	struct pmct_session *s = ctx->session;

	lockdep_assert_irqs_disabled();

	ctx->task = current;
	ctx->deadline = jiffies + s->period;
	if (!pmct_ctx_join(ctx))
		return false;
	if (!pmct_hooks->tie(current, ctx)) {
		raw_spin_lock(&s->lock);
		pmct_ctx_unlist(ctx);
		pmct_ctx_count_one_less(s);
		raw_spin_unlock(&s->lock);
		return false;
	}
	pmct_count_begin(ctx);
	return true;
}

/**
 * pmct_ctx_fork() - a context for a thread that current creates
 * @child: the thread; its switches are delivered once the caller has tied it
 * @thread: of the same process
 * @gfp: how memory may be had
 *
 * Return: the context, or NULL if the child is not to be followed.
 */
struct pmct_ctx *pmct_ctx_fork(struct task_struct *child, bool thread, gfp_t gfp)
{
	u32 follow = thread ? PMCTRACK_SESSION_THREADS : PMCTRACK_SESSION_CHILDREN;
	struct pmct_ctx *parent;
	struct pmct_session *s;
	struct pmct_ctx *ctx;

	/* The tick may end current's monitoring, but only in sessions that follow nobody. */
	rcu_read_lock();
	parent = pmct_tie_ctx(current);
	s = parent ? parent->session : NULL;
	if (s && !(s->flags & follow))
		s = NULL;
	rcu_read_unlock();
	if (!s)
		return NULL;
	/* Current may just have been attached, and be found to be somebody else's. */
	if (!s->privileged && !pmct_dumpable(current))
		return NULL;

	ctx = pmct_ctx_alloc(s, child, parent->state, gfp);
	if (!ctx) {
		unsigned long flags;

		raw_spin_lock_irqsave(&s->lock, flags);
		s->rings.ctl->skipped_threads++;
		raw_spin_unlock_irqrestore(&s->lock, flags);
		return NULL;
	}
	if (!pmct_ctx_join(ctx)) {
		kfree(ctx);
		return NULL;
	}
	local_irq_disable();
	pmct_mmon_enter(ctx, parent);
	local_irq_enable();
	if (ctx->state == PMCT_CTX_COUNTING) {
		if (s->needs_tick && pmct_tie_loses_tick())
			ctx->wants |= PMCT_SWITCH_TICK;
		pmct_tie_enable(child, ctx);
	}
	return ctx;
}

/* What pmct_ctx_fork() made, for a child that somebody else has tied meanwhile. */
void pmct_ctx_disown(struct pmct_ctx *ctx)
{
	struct pmct_session *s = ctx->session;
	unsigned long flags;
	bool listed;

	raw_spin_lock_irqsave(&s->lock, flags);
	listed = ctx->listed;
	if (listed)
		pmct_ctx_unlist(ctx);
	raw_spin_unlock_irqrestore(&s->lock, flags);
	if (!listed)
		return;
	local_irq_save(flags);
	pmct_mmon_exit(ctx);
	local_irq_restore(flags);
	pmct_ctx_free_left(ctx);
}

/**
 * pmct_ctx_end() - current is counted no more
 * @ctx: its context; a thread that was counted leaves a last record
 * @record_flags: of that record
 *
 * Context: a hook: any but NMI, no lock held.
 */
void pmct_ctx_end(struct pmct_ctx *ctx, u16 record_flags)
{
	unsigned long flags;
	bool left;

	/* All at once: no interrupt may make this CPU count for it again in between. */
	local_irq_save(flags);
	left = pmct_ctx_leave(ctx);
	if (left) {
		pmct_count_end(ctx, record_flags);
		pmct_mmon_exit(ctx);
	}
	local_irq_restore(flags);
	if (left)
		pmct_ctx_free_left(ctx);
}

/* pmc_ops::pmcs_exec_thread */
void pmct_ctx_exec(struct task_struct *task)
{
	struct pmct_ctx *ctx = pmct_tie_ctx(task);

	if (!ctx)
		return;

	/* A thread that is not the leader takes over the leader's ID. */
	ctx->head.tid = 0;
	local_irq_disable();
	/* The module has not heard of its end from the tick (scheduler mode). */
	if (ctx->listed)
		pmct_mmon_exec(ctx);
	local_irq_enable();

	/* Programs with other privileges than their caller, and unreadable ones. */
	if (!pmct_dumpable(task) && !ctx->session->privileged) {
		pmct_ctx_end(ctx, PMCTRACK_RECORD_F_SETUID);
		return;
	}
	if (ctx->state == PMCT_CTX_ON_EXEC)
		pmct_count_begin(ctx);
}

/* pmc_ops::pmcs_exit_thread */
void pmct_ctx_exit(struct task_struct *task)
{
	struct pmct_ctx *ctx = pmct_tie_ctx(task);

	if (ctx)
		pmct_ctx_end(ctx, 0);
}

/* pmc_ops::pmcs_free_per_thread_data: a child whose creation failed */
void pmct_ctx_free(struct task_struct *task)
{
	struct pmct_ctx *ctx = pmct_tie_ctx(task);
	unsigned long flags;

	if (!ctx || !pmct_ctx_leave(ctx))
		return;
	local_irq_save(flags);
	pmct_mmon_exit(ctx);
	local_irq_restore(flags);
	pmct_ctx_free_left(ctx);
}
