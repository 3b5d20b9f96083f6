// SPDX-License-Identifier: GPL-2.0-only
/*
 * Life of a monitored thread's context. It is attached by a session or inherited at fork, started
 * at exec or by the thread itself, and freed at exit or with its session.
 *
 * The code that takes a context off the list (under session->lock) also unties it from its task and
 * frees it. This code is here if the thread itself ends. It is in detach.c if the session ends, or
 * another session takes the thread over.
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

/* Limit of the memory for each monitored thread. */
static_assert(sizeof(struct pmct_ctx) + PMCTRACK_MAX_COUNTERS * sizeof(u64) <= 2048);

/**
 * pmct_ctx_alloc() - allocate a context
 * @s: the session
 * @task: the thread; NULL: a CPU, or a thread that pmct_ctx_adopt() will set
 * @state: state of the thread
 * @gfp: allocation flags
 *
 * Return: the context, or NULL without memory. The caller must kfree() it if it is not used.
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
	/* Any core type will do, because entering a CPU of another type corrects it. */
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

/*
 * Take a context off the list. It still counts as a thread of the session, which has records to
 * come.
 */
void pmct_ctx_unlist(struct pmct_ctx *ctx)
{
	lockdep_assert_held(&ctx->session->lock);

	ctx->listed = false;
	list_del(&ctx->node);
}

/* Called when a context that is off the list has no more records to write. */
void pmct_ctx_count_one_less(struct pmct_session *s)
{
	pmct_ctx_set_nr(s, s->nr_threads - 1);
}

/* Take a context off the list and untie it. Returns true to the one caller who must free it. */
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

/*
 * Free a context that pmct_ctx_leave() took and that has no more records to write. The caller is a
 * hook.
 */
static void pmct_ctx_free_left(struct pmct_ctx *ctx)
{
	struct pmct_session *s = ctx->session;
	unsigned long flags;

	raw_spin_lock_irqsave(&s->lock, flags);
	pmct_ctx_count_one_less(s);
	raw_spin_unlock_irqrestore(&s->lock, flags);
	/* After the count was decremented, because a reader may be waiting for the end. */
	irq_work_queue(&s->wake);
	kfree_rcu(ctx, rcu);
}

/**
 * pmct_ctx_add_cpu() - make a context for a CPU of a system-wide session
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
 * pmct_ctx_adopt() - start monitoring current
 * @ctx: a context from pmct_ctx_alloc(), without a task
 *
 * Context: a hook of current, interrupts disabled, no lock held.
 * Return: false if the session is ending, or current has a context. Then the caller keeps @ctx.
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
 * pmct_ctx_fork() - make a context for a thread that current creates
 * @child: the thread; its switches are delivered once the caller has tied it
 * @thread: it is a thread of the same process
 * @gfp: allocation flags
 *
 * Return: the context, or NULL if the child is not to be followed.
 */
struct pmct_ctx *pmct_ctx_fork(struct task_struct *child, bool thread, gfp_t gfp)
{
	u32 follow = thread ? PMCTRACK_SESSION_THREADS : PMCTRACK_SESSION_CHILDREN;
	struct pmct_ctx *parent;
	struct pmct_session *s;
	struct pmct_ctx *ctx;

	/*
	 * The tick may end current's monitoring, but only in sessions that follow no other threads.
	 */
	rcu_read_lock();
	parent = pmct_tie_ctx(current);
	s = parent ? parent->session : NULL;
	if (s && !(s->flags & follow))
		s = NULL;
	rcu_read_unlock();
	if (!s)
		return NULL;
	/*
	 * Nobody sees the children of a thread that he may not trace. Besides, current may just
	 * have been attached, and the attach may find that it belongs to somebody else.
	 */
	ctx = s->privileged || pmct_dumpable(current) ?
	      pmct_ctx_alloc(s, child, parent->state, gfp) : NULL;
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

/* Free a context of pmct_ctx_fork() whose child was tied by other code meanwhile. */
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
 * pmct_ctx_end() - end monitoring of current
 * @ctx: current's context; if it was counted, it gets a last record
 * @record_flags: flags of that record
 *
 * Context: a hook: any but NMI, no lock held.
 */
void pmct_ctx_end(struct pmct_ctx *ctx, u16 record_flags)
{
	unsigned long flags;
	bool left;

	/* In one step: no interrupt may make this CPU count for the context again in between. */
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

	/* A thread that is not the leader takes over the ID of the leader. */
	ctx->head.tid = 0;
	local_irq_disable();
	/*
	 * Not if the tick (scheduler mode) has told the module already that the monitoring ended.
	 */
	if (ctx->listed)
		pmct_mmon_exec(ctx);
	local_irq_enable();

	/*
	 * Programs with other privileges than their caller, and programs that the caller cannot
	 * read.
	 */
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
