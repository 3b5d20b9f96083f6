/* SPDX-License-Identifier: GPL-2.0-only */
/* How a task is tied to its context on an unmodified kernel; see tie.h. */
#ifndef _PMCT_TIE_TABLE_H
#define _PMCT_TIE_TABLE_H

#include <linux/hash.h>
#include <linux/hrtimer.h>
#include <linux/percpu.h>
#include <linux/rculist.h>
#include <linux/spinlock.h>
#include <linux/types.h>

#include "objects.h"

/* With ten thousand monitored threads, chains have one element. The table takes 128 KiB. */
#define PMCT_TASKS_BITS	14

extern struct hlist_head *pmct_tasks;

/*
 * Locks of writers, each for a part of the table, so that threads that start and end on different
 * CPUs seldom wait for each other. Innermost of all locks but those that the runqueue lock is held
 * for.
 */
#define PMCT_TASKS_LOCK_BITS	8

struct pmct_tasks_lock {
	raw_spinlock_t lock;
} ____cacheline_aligned_in_smp;

extern struct pmct_tasks_lock pmct_tasks_locks[1 << PMCT_TASKS_LOCK_BITS];

/**
 * struct pmct_tp_tick - the tick of a CPU
 * @timer: pinned to the CPU
 * @runs: the timer is going to expire here
 */
struct pmct_tp_tick {
	struct hrtimer timer;
	bool runs;
};

/* The timers belong to hooks_tracepoint.c, which sets them up. */
DECLARE_PER_CPU(struct pmct_tp_tick, pmct_tp_tick);

int pmct_tasks_init(void);
void pmct_tasks_exit(void);
bool pmct_tasks_tie(struct task_struct *task, struct pmct_ctx *ctx);
void pmct_tasks_retie(struct task_struct *task, struct pmct_ctx *ctx);

static __always_inline struct hlist_head *pmct_tasks_chain(const struct task_struct *task)
{
	return &pmct_tasks[hash_ptr(task, PMCT_TASKS_BITS)];
}

static __always_inline raw_spinlock_t *pmct_tasks_lock(const struct task_struct *task)
{
	/* The upper bits of the chain's number. */
	return &pmct_tasks_locks[hash_ptr(task, PMCT_TASKS_LOCK_BITS)].lock;
}

/* The context of a task, or NULL. The caller is a hook, an RCU reader, or a writer. */
static __always_inline struct pmct_ctx *pmct_tracepoint_ctx(const struct task_struct *task)
{
	struct pmct_ctx *ctx;

	hlist_for_each_entry_rcu(ctx, pmct_tasks_chain(task), of_task,
				 lockdep_is_held(pmct_tasks_lock(task))) {
		if (READ_ONCE(ctx->task) == task)
			return ctx;
	}
	return NULL;
}

void pmct_tracepoint_deliver(struct task_struct *task, struct pmct_ctx *ctx, bool deliver);
void pmct_tracepoint_start_tick(void);
void pmct_tracepoint_stop_tick(void);

#endif /* _PMCT_TIE_TABLE_H */
