/* SPDX-License-Identifier: GPL-2.0-only */
/* How a task of the patched kernel is tied to its context; see tie.h. */
#ifndef _PMCT_TIE_PATCH_H
#define _PMCT_TIE_PATCH_H

#include <linux/sched.h>
#include <linux/tick.h>

struct pmct_ctx;

/* No other code sets this bit for a single thread. */
#define PMCT_TICK_DEP	TICK_DEP_BIT_PERF_EVENTS

#ifdef CONFIG_PMCTRACK
#include <linux/pmctrack.h>

static __always_inline struct pmct_ctx *pmct_patch_ctx(const struct task_struct *task)
{
	return READ_ONCE(task->pmc);
}

/*
 * If two CPUs write at the same time (attach, and the thread's exit), delivery may stay enabled for
 * a thread without a context. The callbacks tolerate that.
 */
static __always_inline void pmct_patch_deliver(struct task_struct *task, bool deliver)
{
	pmcs_set_prof(task, PMCS_PROF_MODULE, deliver);
}

static __always_inline void pmct_patch_keep_tick(struct task_struct *task)
{
	tick_dep_set_task(task, PMCT_TICK_DEP);
}

/* @tick: CPUs without ticks for lone threads (nohz_full=) need one for this thread. */
static __always_inline void pmct_patch_enable(struct task_struct *task, bool tick)
{
	pmct_patch_deliver(task, true);
	if (tick)
		pmct_patch_keep_tick(task);
}

static __always_inline void pmct_patch_disable(struct task_struct *task)
{
	pmct_patch_deliver(task, false);
	tick_dep_clear_task(task, PMCT_TICK_DEP);
}
#else
static inline struct pmct_ctx *pmct_patch_ctx(const struct task_struct *task)
{
	return NULL;
}

static inline void pmct_patch_keep_tick(struct task_struct *task)
{
}

static inline void pmct_patch_enable(struct task_struct *task, bool tick)
{
}

static inline void pmct_patch_disable(struct task_struct *task)
{
}
#endif

#endif /* _PMCT_TIE_PATCH_H */
