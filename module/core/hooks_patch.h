/* SPDX-License-Identifier: GPL-2.0-only */
/* The hot part of hooks_patch.c; see hooks.h. */
#ifndef _PMCT_HOOKS_PATCH_H
#define _PMCT_HOOKS_PATCH_H

#include <linux/sched.h>

struct pmct_ctx;

#ifdef CONFIG_PMCTRACK
#include <linux/pmctrack.h>

static __always_inline struct pmct_ctx *pmct_patch_ctx(const struct task_struct *task)
{
	return READ_ONCE(task->pmc);
}

/*
 * Two writers at a time (attach, and the thread's exit) leave it enabled at
 * worst, for a thread without a context, which the callbacks tolerate.
 */
static __always_inline void pmct_patch_deliver(struct task_struct *task, bool deliver)
{
	pmcs_set_prof(task, PMCS_PROF_MODULE, deliver);
}
#else
static inline struct pmct_ctx *pmct_patch_ctx(const struct task_struct *task)
{
	return NULL;
}

static inline void pmct_patch_deliver(struct task_struct *task, bool deliver)
{
}
#endif

#endif /* _PMCT_HOOKS_PATCH_H */
