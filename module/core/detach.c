// SPDX-License-Identifier: GPL-2.0-only
/*
 * Threads that are taken from their session, because it ends, or gives way to another
 * one. The order, for one thread or for ten thousand at a time:
 *
 *  1. Entrance is closed (pmct_ctx::detaching): no CPU begins to count for them.
 *  2. Wait for all hooks: none is left that had not seen that.
 *  3. CPUs that count for one of them account, and stop. Switches are still delivered,
 *     so that a thread that leaves before is read in time.
 *  4. Contexts are taken off the list and untied from their tasks. A successor is tied in
 *     the same step.
 *  5. Wait for all hooks: none is left that has found a context in its task.
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
 * @fn: the function, with @s->lock held, interrupts disabled; it may take the context
 *	off the list
 * @arg: for it
 *
 * One by one, because forks and exits must not wait for thousands. Contexts that join
 * meanwhile may be left out.
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
 * Hold a thread, unless it is about to be freed. One that never came to life,
 * because its fork fails, has a reference and is freed all the same: it has no
 * PID of its own yet, and no record to write.
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
 * Take a context from its thread, which stays until pmct_detach_free(). The
 * caller holds the lock of its session.
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
		/* It may have ended, and have no name, when its last record is written. */
		pmct_sample_name_thread(ctx);
}

/* Does a thread that is left get a last record of @kind? */
static bool pmct_detach_has_last_record(const struct pmct_ctx *ctx,
					enum pmctrack_record_kind kind)
{
	if (!ctx->task || kind == PMCTRACK_RECORD_PAD)
		return false;
	return ctx->state == PMCT_CTX_COUNTING || kind == PMCTRACK_RECORD_REVOKED;
}

/*
 * The last of a context that was untied, and that no hook and no CPU knows any
 * more. @kind of its last record, PMCTRACK_RECORD_PAD: none.
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
	/* Others may be looking whom this CPU counted for: pmct_count_drop_detaching(). */
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
 * No hook, no CPU and no task knows a context of the session afterwards.
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
	/* Nobody joins from now on. */
	s->closing = true;
	raw_spin_unlock_irq(&s->lock);
	pmct_detach_each(s, pmct_detach_close_entrance, NULL);
	/* Forks that joined before are complete now, too: the child is tied. */
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

/* Take @ctx, of @s, from its thread; @s stays until pmct_detach_dispose(). */
static void pmct_detach_to(struct pmct_ctx *ctx, struct pmct_ctx *successor,
			   struct list_head *untied)
{
	refcount_inc(&ctx->session->refs);
	pmct_detach_untie(ctx, successor, untied);
}

/**
 * pmct_detach_one() - end monitoring of a thread that has not been counted
 * @s: the session whose it is, if it is
 * @task: the thread; the caller holds it
 * @untied: where the context goes, for pmct_detach_dispose()
 *
 * Context: process context; pmct_mmon_sem is held.
 * Return: false if the thread is not of @s.
 */
bool pmct_detach_one(struct pmct_session *s, struct task_struct *task, struct list_head *untied)
{
	struct pmct_ctx *ctx;

	lockdep_assert_held_read(&pmct_mmon_sem);

	raw_spin_lock_irq(&s->lock);
	/* With interrupts disabled, another session's cannot vanish either. */
	ctx = pmct_tie_ctx(task);
	if (ctx && ctx->session == s && ctx->listed)
		pmct_detach_to(ctx, NULL, untied);
	else
		ctx = NULL;
	raw_spin_unlock_irq(&s->lock);
	return ctx;
}

/*
 * The session that monitors @task and gives way to @s, with a reference, or NULL. The
 * kernel's own, which a scheduler uses, does; and one without CAP_PERFMON to one with it.
 */
static struct pmct_session *pmct_detach_find(const struct pmct_session *s,
					     struct task_struct *task)
{
	bool mighty = s->privileged && pmct_hooks->may_access(task);
	struct pmct_session *other = NULL;
	const struct pmct_ctx *ctx;

	local_irq_disable();
	/* While one of its threads is tied, and interrupts are disabled, a session stays. */
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
 * @s: to this one
 * @task: the thread; the caller holds it
 *
 * If it does, it stops counting the thread. pmct_detach_wait_asked() and
 * pmct_detach_hand_over() follow; whatever comes in between, the thread's next switch
 * finds no session that counts it, or its new one.
 *
 * Context: process context.
 * Return: whether such a session has the thread.
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

/* No CPU counts for a context whose session was asked to give way. Process context, sleeps. */
void pmct_detach_wait_asked(void)
{
	pmct_hooks->synchronize();
	pmct_count_drop_detaching();
}

/**
 * pmct_detach_hand_over() - give a thread another context
 * @s: the session of @successor, for which the thread's was asked
 * @task: the thread; the caller holds it
 * @successor: what is tied to it in the same step
 * @untied: where its old context goes, for pmct_detach_dispose()
 *
 * Context: process context; pmct_mmon_sem is held.
 * Return: false if no session has the thread that was asked.
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
 * pmct_detach_dispose() - the last of contexts that were taken from their threads
 * @untied: the contexts
 * @kind: of their last records, PMCTRACK_RECORD_PAD: none
 *
 * Context: process context, sleeps if there are any; pmct_mmon_sem is held.
 */
void pmct_detach_dispose(struct list_head *untied, enum pmctrack_record_kind kind)
{
	struct pmct_ctx *ctx, *next;
	struct pmct_session *s;

	if (list_empty(untied))
		return;
	pmct_hooks->synchronize();
	/* Had one been asked by somebody else meanwhile, it was not waited for. */
	pmct_count_drop_detaching();
	list_for_each_entry_safe(ctx, next, untied, node) {
		s = ctx->session;
		pmct_detach_free(ctx, kind);
		irq_work_queue(&s->wake);
		pmct_session_put(s);
	}
	INIT_LIST_HEAD(untied);
}
