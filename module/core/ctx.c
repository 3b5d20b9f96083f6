// SPDX-License-Identifier: GPL-2.0-only
/*
 * Life of a monitored thread's context: attached by a session or inherited at
 * fork, started at exec or by itself, gone at exit or with its session.
 *
 * Whoever takes a context off the list (under session->lock) also unties it
 * from its task and frees it; exit, free and the session's end can meet here.
 */
#include <linux/cred.h>
#include <linux/pid.h>
#include <linux/rcupdate.h>
#include <linux/sched/task.h>
#include <linux/slab.h>

#include "../compat/dumpable.h"
#include "count.h"
#include "ctx.h"
#include "handover.h"
#include "mmon_call.h"
#include "sample.h"
#include "tie.h"
#include "turn.h"

/* What monitoring a thread costs in memory, at most. */
static_assert(sizeof(struct pmct_ctx) + PMCTRACK_MAX_COUNTERS * sizeof(u64) <= 2048);

static struct pmct_ctx *pmct_ctx_alloc(struct pmct_session *s, struct task_struct *task,
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
	if (s->sets.by_events)
		ctx->wants |= PMCT_SWITCH_EBS;
	/* Any type will do: entering a CPU of another one corrects it. */
	pmct_ctx_use_core_type(ctx, 0);
	return ctx;
}

static void pmct_set_nr_threads(struct pmct_session *s, unsigned int nr)
{
	lockdep_assert_held(&s->lock);

	/* Pairs with pmct_session_over(): last records come before the end. */
	smp_store_release(&s->nr_threads, nr);
	WRITE_ONCE(s->ring.ctl->threads, nr);
}

static bool pmct_ctx_join(struct pmct_ctx *ctx)
{
	struct pmct_session *s = ctx->session;
	unsigned long flags;
	bool joined;

	raw_spin_lock_irqsave(&s->lock, flags);
	joined = !s->closing;
	if (joined) {
		list_add_tail(&ctx->node, &s->threads);
		ctx->listed = true;
		pmct_set_nr_threads(s, s->nr_threads + 1);
	}
	raw_spin_unlock_irqrestore(&s->lock, flags);
	return joined;
}

/* Off the list; it still counts as a thread of the session, which has records to come. */
static void __pmct_ctx_unlist(struct pmct_ctx *ctx)
{
	lockdep_assert_held(&ctx->session->lock);

	ctx->listed = false;
	list_del(&ctx->node);
}

static void pmct_ctx_unlist(struct pmct_ctx *ctx)
{
	__pmct_ctx_unlist(ctx);
	pmct_set_nr_threads(ctx->session, ctx->session->nr_threads - 1);
}

static bool __pmct_ctx_leave(struct pmct_ctx *ctx)
{
	lockdep_assert_held(&ctx->session->lock);

	if (!ctx->listed)
		return false;
	pmct_ctx_unlist(ctx);
	pmct_hooks->retie(ctx->task, NULL);
	/* Before the module's deactivation looks for it in the list in vain. */
	pmct_mmon_exit(ctx);
	return true;
}

/* True for the one caller who now has to free it. */
static bool pmct_ctx_leave(struct pmct_ctx *ctx)
{
	struct pmct_session *s = ctx->session;
	unsigned long flags;
	bool left;

	raw_spin_lock_irqsave(&s->lock, flags);
	left = __pmct_ctx_leave(ctx);
	raw_spin_unlock_irqrestore(&s->lock, flags);
	return left;
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
 * Take a context from its thread, which stays until pmct_ctx_dispose(). The
 * caller holds the lock of its session.
 */
static void pmct_ctx_untie(struct pmct_ctx *ctx, struct pmct_ctx *successor)
{
	__pmct_ctx_unlist(ctx);
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
static bool pmct_ctx_has_last_record(const struct pmct_ctx *ctx, enum pmctrack_record_kind kind)
{
	if (!ctx->task || kind == PMCTRACK_RECORD_PAD)
		return false;
	return ctx->state == PMCT_CTX_COUNTING || kind == PMCTRACK_RECORD_REVOKED;
}

/*
 * The last of a context that was untied, and that no hook and no CPU knows any
 * more. @kind of its last record, PMCTRACK_RECORD_PAD: none.
 */
static void pmct_ctx_dispose(struct pmct_ctx *ctx, enum pmctrack_record_kind kind)
{
	struct pmct_session *s = ctx->session;
	struct task_struct *task = ctx->task;

	local_irq_disable();
	if (pmct_ctx_has_last_record(ctx, kind))
		pmct_count_close(ctx, kind);
	pmct_mmon_exit(ctx);
	local_irq_enable();
	raw_spin_lock_irq(&s->lock);
	pmct_set_nr_threads(s, s->nr_threads - 1);
	raw_spin_unlock_irq(&s->lock);
	kfree(ctx);
	if (task)
		put_task_struct(task);
}

/**
 * pmct_ctx_evict() - end monitoring of one thread
 * @s: the session whose it is, if it is
 * @task: the thread; the caller holds it
 * @successor: context to tie to the thread instead, or NULL
 * @kind: of its last record; PMCTRACK_RECORD_PAD: none
 *
 * Context: process context, sleeps.
 * Return: false if the thread is not of @s.
 */
bool pmct_ctx_evict(struct pmct_session *s, struct task_struct *task,
		    struct pmct_ctx *successor, enum pmctrack_record_kind kind)
{
	struct pmct_ctx *ctx;

	down_read(&pmct_mmon_sem);
	raw_spin_lock_irq(&s->lock);
	/* With interrupts disabled, another session's cannot vanish either. */
	ctx = pmct_tie_ctx(task);
	if (ctx && ctx->session == s && ctx->listed)
		pmct_ctx_untie(ctx, successor);
	else
		ctx = NULL;
	raw_spin_unlock_irq(&s->lock);
	if (ctx) {
		pmct_count_drop_ctx(ctx);
		pmct_hooks->synchronize();
		pmct_ctx_dispose(ctx, kind);
		irq_work_queue(&s->wake);
	}
	up_read(&pmct_mmon_sem);
	return ctx;
}

/* A pmct_ctx_tie_fn: only if the thread has no context. */
bool pmct_ctx_tie_free(struct pmct_session *s, struct task_struct *task, struct pmct_ctx *ctx)
{
	return pmct_hooks->tie(task, ctx);
}

/**
 * pmct_ctx_attach() - monitor a thread
 * @s: for this session
 * @task: current, or a thread that current may access; the caller holds it
 * @state: PMCT_CTX_ON_EXEC, PMCT_CTX_STOPPED, or PMCT_CTX_COUNTING: then
 *	pmct_count_enter_session() has to follow
 * @tie: ties the context; what it may take away from others is its business
 * @msg: on failure, why
 *
 * Context: process context, may sleep.
 * Return: the context, which belongs to the session; or ERR_PTR: -EBUSY if
 * another session monitors the thread, -EALREADY if @s does, -ESRCH if it is
 * exiting, -EACCES, -ENOMEM.
 * The context may be gone by then, if the thread is: compare, do not use it.
 */
struct pmct_ctx *pmct_ctx_attach(struct pmct_session *s, struct task_struct *task,
				 enum pmct_ctx_state state, pmct_ctx_tie_fn *tie,
				 struct pmct_msg *msg)
{
	struct pmct_ctx *ctx = pmct_ctx_alloc(s, task, state, GFP_KERNEL);
	const struct pmct_ctx *other;
	bool ours;

	if (!ctx)
		return ERR_PTR(pmct_refuse(msg, -ENOMEM, "no memory for a thread context"));
	if (!pmct_ctx_join(ctx)) {
		kfree(ctx);
		return ERR_PTR(-ESHUTDOWN);
	}
	if (!tie(s, task, ctx)) {
		raw_spin_lock_irq(&s->lock);
		pmct_ctx_unlist(ctx);
		/* Its creator, which was attached before, may have been faster. */
		other = pmct_tie_ctx(task);
		ours = other && other->session == s;
		raw_spin_unlock_irq(&s->lock);
		kfree(ctx);
		if (ours)
			return ERR_PTR(-EALREADY);
		return ERR_PTR(pmct_refuse(msg, -EBUSY,
					   "thread %d is being monitored by another session already; end that one first",
					   task_pid_vnr(task)));
	}
	/* Its exit, or an exec that changed its rights, may have come before the tie. */
	if (READ_ONCE(task->flags) & PF_EXITING) {
		/* Its exit may be freeing the context. */
		pmct_ctx_evict(s, task, NULL, PMCTRACK_RECORD_PAD);
		return ERR_PTR(pmct_refuse(msg, -ESRCH, "thread %d has ended",
					   task_pid_vnr(task)));
	}
	if (task != current && !pmct_hooks->may_access(task)) {
		pmct_ctx_evict(s, task, NULL, PMCTRACK_RECORD_PAD);
		return ERR_PTR(pmct_refuse(msg, -EACCES,
					   "thread %d belongs to somebody else now",
					   task_pid_vnr(task)));
	}
	if (state != PMCT_CTX_COUNTING)
		return ctx;
	raw_spin_lock_irq(&s->lock);
	/* Not if it has left meanwhile, or is another session's. */
	if (pmct_tie_ctx(task) == ctx)
		pmct_tie_enable(task, ctx);
	raw_spin_unlock_irq(&s->lock);
	return ctx;
}

/*
 * No thread of @s enters a CPU any more: its counts end with the last time
 * that it left one, or with the next read there. One by one, because forks and
 * exits must not wait for thousands.
 */
static void pmct_ctx_close_entrance(struct pmct_session *s)
{
	struct pmct_ctx *ctx;
	LIST_HEAD(open);

	raw_spin_lock_irq(&s->lock);
	/* Nobody joins from now on. */
	s->closing = true;
	list_splice_init(&s->threads, &open);
	while ((ctx = list_first_entry_or_null(&open, struct pmct_ctx, node))) {
		WRITE_ONCE(ctx->detaching, true);
		list_move_tail(&ctx->node, &s->threads);
		raw_spin_unlock_irq(&s->lock);
		raw_spin_lock_irq(&s->lock);
	}
	raw_spin_unlock_irq(&s->lock);
}

/**
 * pmct_ctx_detach_all() - end monitoring of all threads of a session
 * @s: the session
 * @kind: of the last records of threads, PMCTRACK_RECORD_PAD: none
 *
 * No hook, no CPU and no task knows a context of the session afterwards.
 *
 * Context: process context, sleeps.
 */
void pmct_ctx_detach_all(struct pmct_session *s, enum pmctrack_record_kind kind)
{
	struct pmct_ctx *ctx, *next;
	LIST_HEAD(detached);

	might_sleep();

	down_read(&pmct_mmon_sem);
	pmct_ctx_close_entrance(s);
	/* Forks that joined before are complete now: the child is tied. */
	pmct_hooks->synchronize();
	/* While switches are still delivered, so that nothing is read too late. */
	pmct_count_drop_session(s);

	for (;;) {
		raw_spin_lock_irq(&s->lock);
		ctx = list_first_entry_or_null(&s->threads, struct pmct_ctx, node);
		if (ctx) {
			pmct_ctx_untie(ctx, NULL);
			list_add_tail(&ctx->node, &detached);
		}
		raw_spin_unlock_irq(&s->lock);
		if (!ctx)
			break;
	}
	/* Those that started or executed a program meanwhile. */
	pmct_count_drop_session(s);
	pmct_hooks->synchronize();
	list_for_each_entry_safe(ctx, next, &detached, node)
		pmct_ctx_dispose(ctx, kind);
	up_read(&pmct_mmon_sem);
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
	struct pmct_ctx *parent = pmct_tie_ctx(current);
	struct pmct_session *s;
	struct pmct_ctx *ctx;
	u32 follow;

	if (!parent)
		return NULL;
	s = parent->session;
	follow = thread ? PMCTRACK_SESSION_THREADS : PMCTRACK_SESSION_CHILDREN;
	if (!(s->flags & follow))
		return NULL;

	ctx = pmct_ctx_alloc(s, child, parent->state, gfp);
	if (!ctx) {
		unsigned long flags;

		raw_spin_lock_irqsave(&s->lock, flags);
		s->ring.ctl->skipped_threads++;
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
	if (listed) {
		pmct_ctx_unlist(ctx);
		pmct_mmon_exit(ctx);
	}
	raw_spin_unlock_irqrestore(&s->lock, flags);
	if (!listed)
		return;
	irq_work_queue(&s->wake);
	kfree_rcu(ctx, rcu);
}

/* Current is counted no more; the last record of a thread that was counted. */
static void pmct_ctx_end(struct pmct_ctx *ctx, u16 record_flags)
{
	struct pmct_session *s = ctx->session;
	bool left;

	/* At once: no interrupt may make this CPU count for it again in between. */
	raw_spin_lock_irq(&s->lock);
	if (ctx->listed)
		pmct_count_end(ctx, record_flags);
	left = __pmct_ctx_leave(ctx);
	raw_spin_unlock_irq(&s->lock);
	if (!left)
		return;
	/* After the count went down: a reader may be waiting for the end. */
	irq_work_queue(&s->wake);
	kfree_rcu(ctx, rcu);
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

	if (!ctx || !pmct_ctx_leave(ctx))
		return;
	irq_work_queue(&ctx->session->wake);
	kfree_rcu(ctx, rcu);
}
