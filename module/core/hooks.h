/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where scheduling events come from, and how a context is tied to its task.
 * Implemented by hooks_patch.c on kernels with the PMCTrack patch.
 */
#ifndef _PMCT_HOOKS_H
#define _PMCT_HOOKS_H

#include <linux/types.h>

struct pmct_ctx;
struct task_struct;

int pmct_hooks_register(void);
void pmct_hooks_unregister(void);

/* Wait for all hooks that are running. Process context, sleeps. */
void pmct_hooks_synchronize(void);

/* The context of a task. The caller is a hook, or an RCU reader. */
struct pmct_ctx *pmct_hooks_ctx(const struct task_struct *task);

/* Tie @ctx to @task, unless it has one: false. */
bool pmct_hooks_tie(struct task_struct *task, struct pmct_ctx *ctx);
/* Tie @ctx, or NULL, to @task instead; its switches are not delivered any more. */
void pmct_hooks_retie(struct task_struct *task, struct pmct_ctx *ctx);

/* Deliver switches and ticks of @task, or no more. */
void pmct_hooks_enable(struct task_struct *task);
void pmct_hooks_disable(struct task_struct *task);

/* Does the scheduling class want metrics of @task? */
bool pmct_hooks_sched_mode(const struct task_struct *task);

/* Deliver the switches of all threads to pmct_syswide_switch(). Process context, sleeps. */
void pmct_hooks_any_switch(bool deliver);

/* May current, by its real credentials, see what @task does? */
bool pmct_hooks_may_access(struct task_struct *task);

/* Does kernel.perf_event_paranoid let current count its own events? */
bool pmct_hooks_may_count(void);

#endif /* _PMCT_HOOKS_H */
