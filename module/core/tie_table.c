// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tying tasks to contexts on an unmodified kernel.
 *
 * A task has no room for its context here, so contexts are found in a hash table by the task's
 * address. Readers are hooks, with interrupts disabled, or hold the RCU read lock. They take no
 * other lock. A context leaves the table before its task can be freed: at the latest when the
 * thread exits.
 *
 * The tick is a timer of our own. It starts when a monitored thread enters a CPU, and continues
 * until it finds no monitored thread on the CPU. So a switch only has to make sure that the timer
 * runs.
 */
#include <linux/lockdep.h>
#include <linux/mm.h>
#include <linux/rculist.h>

#include "tie.h"

struct hlist_head *pmct_tasks __read_mostly;
struct pmct_tasks_lock pmct_tasks_locks[1 << PMCT_TASKS_LOCK_BITS];

DEFINE_PER_CPU(struct pmct_tp_tick, pmct_tp_tick);

/* Allocate the table. Process context, sleeps. */
int pmct_tasks_init(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(pmct_tasks_locks); i++)
		raw_spin_lock_init(&pmct_tasks_locks[i].lock);
	pmct_tasks = kvcalloc(1 << PMCT_TASKS_BITS, sizeof(*pmct_tasks), GFP_KERNEL);
	return pmct_tasks ? 0 : -ENOMEM;
}

void pmct_tasks_exit(void)
{
	kvfree(pmct_tasks);
}

bool pmct_tasks_tie(struct task_struct *task, struct pmct_ctx *ctx)
{
	raw_spinlock_t *lock = pmct_tasks_lock(task);
	unsigned long flags;
	bool tied;

	raw_spin_lock_irqsave(lock, flags);
	tied = !pmct_tracepoint_ctx(task);
	if (tied)
		hlist_add_head_rcu(&ctx->of_task, pmct_tasks_chain(task));
	raw_spin_unlock_irqrestore(lock, flags);
	/* The caller then checks PF_EXITING. The thread sets it, then looks into this table. */
	smp_mb();
	return tied;
}

void pmct_tasks_retie(struct task_struct *task, struct pmct_ctx *ctx)
{
	raw_spinlock_t *lock = pmct_tasks_lock(task);
	struct pmct_ctx *old;
	unsigned long flags;

	raw_spin_lock_irqsave(lock, flags);
	old = pmct_tracepoint_ctx(task);
	if (old) {
		WRITE_ONCE(old->delivered, false);
		hlist_del_rcu(&old->of_task);
	}
	if (ctx)
		hlist_add_head_rcu(&ctx->of_task, pmct_tasks_chain(task));
	raw_spin_unlock_irqrestore(lock, flags);
	/* As in pmct_tasks_tie(). */
	smp_mb();
}

/* A monitored thread has entered this CPU. Interrupts disabled. */
void pmct_tracepoint_start_tick(void)
{
	struct pmct_tp_tick *tick = this_cpu_ptr(&pmct_tp_tick);

	lockdep_assert_irqs_disabled();

	if (tick->runs)
		return;
	tick->runs = true;
	/* Hard mode: starting the timer wakes no task, so the runqueue lock may be held. */
	hrtimer_start(&tick->timer, TICK_NSEC, HRTIMER_MODE_REL_PINNED_HARD);
}

/*
 * This CPU goes offline, or has come back: no timer is pending here afterwards. Interrupts
 * disabled.
 */
void pmct_tracepoint_stop_tick(void)
{
	struct pmct_tp_tick *tick = this_cpu_ptr(&pmct_tp_tick);

	lockdep_assert_irqs_disabled();

	if (!tick->runs)
		return;
	hrtimer_cancel(&tick->timer);
	tick->runs = false;
}

void pmct_tracepoint_deliver(struct task_struct *task, struct pmct_ctx *ctx, bool deliver)
{
	WRITE_ONCE(ctx->delivered, deliver);
	if (deliver && task == current && irqs_disabled())
		pmct_tracepoint_start_tick();
}
