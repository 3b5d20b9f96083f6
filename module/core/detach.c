// SPDX-License-Identifier: GPL-2.0-only
/*
 * Detaching threads from their session, because the session ends, or gives way to another one. The
 * order, for one thread or for ten thousand at a time:
 *
 *  1. Entrance is closed (pmct_ctx::detaching): no CPU begins to count for these threads.
 *  2. Wait for all hooks: afterwards every running hook has seen step 1.
 *  3. CPUs that count for one of them account, and stop. Switches are still delivered, so that a
 *     thread that leaves before is read in time.
 *  4. Contexts are taken off the list and untied from their tasks. A successor is tied in the same
 *     step.
 *  5. Wait for all hooks: afterwards no hook uses a context that it has found in its task.
 *  6. Last records are written, contexts freed.
 */
#include <linux/pid.h>
#include <linux/rcupdate.h>
#include <linux/sched/task.h>
#include <linux/slab.h>

#include "count.h"
#include "ctx.h"
#include "detach.h"
#include "handover.h"
#include "mmon_call.h"
#include "refs.h"
#include "sample.h"
#include "tie.h"

/**
 * pmct_detach_each() - call a function for all contexts of a session
 * @s: the session
 * @fn: the function; called with @s->lock held, interrupts disabled. It may take the context off
 *	the list
 * @arg: argument of @fn
 *
 * The lock is released after each context, because forks and exits must not wait for thousands of
 * contexts. Contexts that join meanwhile may be left out.
 *
 * Context: process context, may sleep.
 */
void pmct_detach_each(struct pmct_session *s, pmct_ctx_fn *fn, void *arg)
{
	struct pmct_ctx *ctx;
	LIST_HEAD(rest);

	mutex_lock(&s->walk_mutex);
	raw_spin_lock_irq(&s->lock);
	list_splice_init(&s->threads, &rest);
	while ((ctx = list_first_entry_or_null(&rest, struct pmct_ctx, node))) {
		list_move_tail(&ctx->node, &s->threads);
		fn(ctx, arg);
		raw_spin_unlock_irq(&s->lock);
		cond_resched();
		raw_spin_lock_irq(&s->lock);
	}
	raw_spin_unlock_irq(&s->lock);
	mutex_unlock(&s->walk_mutex);
}

/*
 * Get a reference to a thread, unless it is about to be freed. A new thread whose fork fails is
 * freed although it has references. It has no PID of its own yet, and needs no record.
 */
static bool pmct_hold_thread(struct task_struct *task)
{
	bool held;

	rcu_read_lock();
	held = pid_task(task_pid(task), PIDTYPE_PID) == task &&
	       refcount_inc_not_zero(&task->usage);
	rcu_read_unlock();
	return held;
}

/*
 * Untie a context from its thread. The context exists until pmct_detach_free(). The caller holds
 * the lock of its session.
 */
static void pmct_detach_untie(struct pmct_ctx *ctx, struct pmct_ctx *successor,
			      struct list_head *untied)
{
	pmct_ctx_unlist(ctx);
	list_add_tail(&ctx->node, untied);
	WRITE_ONCE(ctx->detaching, true);
	if (!ctx->task)
		return;
	pmct_hooks->retie(ctx->task, successor);
	if (!pmct_hold_thread(ctx->task))
		ctx->task = NULL;
	else if (!ctx->head.tid)
		/*
		 * When the last record is written, the thread may have ended and have no ID any
		 * more.
		 */
		pmct_sample_name_thread(ctx);
}

/* True if a thread that is detached gets a last record of @kind. */
static bool pmct_detach_has_last_record(const struct pmct_ctx *ctx,
					enum pmctrack_record_kind kind)
{
	if (!ctx->task || kind == PMCTRACK_RECORD_PAD)
		return false;
	return ctx->state == PMCT_CTX_COUNTING || kind == PMCTRACK_RECORD_REVOKED;
}

/*
 * Write the last record of an untied context, and free it. No hook and no CPU uses the context any
 * more. @kind of the record, PMCTRACK_RECORD_PAD: none.
 */
static void pmct_detach_free(struct pmct_ctx *ctx, enum pmctrack_record_kind kind)
{
	struct pmct_session *s = ctx->session;
	struct task_struct *task = ctx->task;

	lockdep_assert_held_read(&pmct_mmon_sem);

	local_irq_disable();
	if (pmct_detach_has_last_record(ctx, kind))
		pmct_count_close(ctx, kind);
	pmct_mmon_exit(ctx);
	local_irq_enable();
	raw_spin_lock_irq(&s->lock);
	pmct_ctx_count_one_less(s);
	raw_spin_unlock_irq(&s->lock);
	/*
	 * Other CPUs may be looking at the context that this CPU counted for, see
	 * pmct_count_drop_detaching().
	 */
	kfree_rcu(ctx, rcu);
	if (task)
		put_task_struct(task);
}

static void pmct_detach_close_entrance(struct pmct_ctx *ctx, void *unused)
{
	WRITE_ONCE(ctx->detaching, true);
}

static void pmct_detach_untie_one(struct pmct_ctx *ctx, void *untied)
{
	pmct_detach_untie(ctx, NULL, untied);
}

/**
 * pmct_detach_all() - end monitoring of all threads of a session
 * @s: the session
 * @kind: of the last records of threads, PMCTRACK_RECORD_PAD: none
 *
 * Afterwards, no hook, CPU or task has a context of the session.
 *
 * Context: process context, sleeps.
 */
void pmct_detach_all(struct pmct_session *s, enum pmctrack_record_kind kind)
{
	struct pmct_ctx *ctx, *next;
	LIST_HEAD(untied);

	might_sleep();

	down_read(&pmct_mmon_sem);
	raw_spin_lock_irq(&s->lock);
	/* From now on, no thread can join. */
	s->closing = true;
	raw_spin_unlock_irq(&s->lock);
	pmct_detach_each(s, pmct_detach_close_entrance, NULL);
	/* This also completes forks that joined before: the child is tied. */
	pmct_hooks->synchronize();
	pmct_count_drop_session(s);
	pmct_detach_each(s, pmct_detach_untie_one, &untied);
	pmct_hooks->synchronize();
	list_for_each_entry_safe(ctx, next, &untied, node) {
		pmct_detach_free(ctx, kind);
		cond_resched();
	}
	up_read(&pmct_mmon_sem);
}

/* Detach @ctx from its thread. Its session exists until pmct_detach_dispose(). */
static void pmct_detach_to(struct pmct_ctx *ctx, struct pmct_ctx *successor,
			   struct list_head *untied)
{
	refcount_inc(&ctx->session->refs);
	pmct_detach_untie(ctx, successor, untied);
}

/**
 * pmct_detach_one() - detach a thread that has not been counted
 * @s: the session
 * @task: the thread; the caller holds a reference to it
 * @untied: list to which the context is added, for pmct_detach_dispose()
 *
 * Context: process context; pmct_mmon_sem is held.
 * Return: false if the thread is not of @s.
 */
bool pmct_detach_one(struct pmct_session *s, struct task_struct *task, struct list_head *untied)
{
	struct pmct_ctx *ctx;

	lockdep_assert_held_read(&pmct_mmon_sem);

	raw_spin_lock_irq(&s->lock);
	/* While interrupts are disabled, the context of another session cannot vanish either. */
	ctx = pmct_tie_ctx(task);
	if (ctx && ctx->session == s && ctx->listed)
		pmct_detach_to(ctx, NULL, untied);
	else
		ctx = NULL;
	raw_spin_unlock_irq(&s->lock);
	return ctx;
}

/*
 * The session that monitors @task and gives way to @s, with a reference, or NULL. A session of the
 * kernel itself, which a scheduler uses, gives way. A session without CAP_PERFMON gives way to a
 * session with it.
 */
static struct pmct_session *pmct_detach_find(const struct pmct_session *s,
					     struct task_struct *task)
{
	bool mighty = s->privileged && pmct_hooks->may_access(task);
	struct pmct_session *other = NULL;
	const struct pmct_ctx *ctx;

	local_irq_disable();
	/* A session exists while one of its threads is tied and interrupts are disabled. */
	ctx = pmct_tie_ctx(task);
	if (ctx && ctx->session != s &&
	    (!ctx->session->rings.ring || (mighty && !ctx->session->privileged)) &&
	    refcount_inc_not_zero(&ctx->session->refs))
		other = ctx->session;
	local_irq_enable();
	return other;
}

/**
 * pmct_detach_ask() - ask the session that monitors a thread to give way
 * @s: the session to which it gives way
 * @task: the thread; the caller holds a reference to it
 *
 * If that session gives way, it stops counting the thread. The caller then calls
 * pmct_detach_wait_asked() and pmct_detach_hand_over(). Whatever happens in between, the thread's
 * next switch finds its new session, or no session that counts it.
 *
 * Context: process context.
 * Return: true if such a session has the thread.
 */
bool pmct_detach_ask(struct pmct_session *s, struct task_struct *task)
{
	struct pmct_session *other = pmct_detach_find(s, task);
	struct pmct_ctx *ctx;
	bool asked;

	if (!other)
		return false;
	raw_spin_lock_irq(&other->lock);
	ctx = pmct_tie_ctx(task);
	asked = ctx && ctx->session == other && ctx->listed;
	if (asked)
		WRITE_ONCE(ctx->detaching, true);
	raw_spin_unlock_irq(&other->lock);
	pmct_session_put(other);
	return asked;
}

/* Wait until no CPU counts for a context whose session was asked. Process context, sleeps. */
void pmct_detach_wait_asked(void)
{
	pmct_hooks->synchronize();
	pmct_count_drop_detaching();
}

/**
 * pmct_detach_hand_over() - give a thread another context
 * @s: the session of @successor, for which the thread's session was asked
 * @task: the thread; the caller holds a reference to it
 * @successor: context that is tied to the thread in the same step
 * @untied: list to which the old context is added, for pmct_detach_dispose()
 *
 * Context: process context; pmct_mmon_sem is held.
 * Return: false if no session that was asked has the thread.
 */
bool pmct_detach_hand_over(struct pmct_session *s, struct task_struct *task,
			   struct pmct_ctx *successor, struct list_head *untied)
{
	struct pmct_session *other = pmct_detach_find(s, task);
	struct pmct_ctx *ctx;
	bool done;

	lockdep_assert_held_read(&pmct_mmon_sem);

	if (!other)
		return false;
	raw_spin_lock_irq(&other->lock);
	ctx = pmct_tie_ctx(task);
	done = ctx && ctx->session == other && ctx->listed && ctx->detaching;
	if (done)
		pmct_detach_to(ctx, successor, untied);
	raw_spin_unlock_irq(&other->lock);
	pmct_session_put(other);
	return done;
}

/**
 * pmct_detach_dispose() - write last records of untied contexts, and free them
 * @untied: the contexts
 * @kind: kind of their last records, PMCTRACK_RECORD_PAD: none
 *
 * Context: process context, sleeps if @untied is not empty; pmct_mmon_sem is held.
 */
void pmct_detach_dispose(struct list_head *untied, enum pmctrack_record_kind kind)
{
	struct pmct_ctx *ctx, *next;
	struct pmct_session *s;

	if (list_empty(untied))
		return;
	pmct_hooks->synchronize();
	/* If another caller has asked for one of them meanwhile, CPUs may still count for it. */
	pmct_count_drop_detaching();
	list_for_each_entry_safe(ctx, next, untied, node) {
		s = ctx->session;
		pmct_detach_free(ctx, kind);
		irq_work_queue(&s->wake);
		pmct_session_put(s);
	}
	INIT_LIST_HEAD(untied);
}
