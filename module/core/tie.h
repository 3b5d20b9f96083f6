/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tying contexts to tasks: find the context of a task, tie it, and deliver the task's switches and
 * ticks or stop this. There are two providers of scheduling events: the kernel patch
 * (hooks_patch.c) and the kernel's own tracepoints (hooks_tracepoint.c). One of them is chosen when
 * the module is loaded. The code for the hot path is inline, for both providers.
 */
#ifndef _PMCT_TIE_H
#define _PMCT_TIE_H

#include <linux/jump_label.h>

#include "objects.h"
#include "tie_patch.h"
#include "tie_table.h"

struct pmct_msg;

/**
 * struct pmct_hooks - a provider of scheduling events
 * @name: for people, and the module's parameter
 * @patched: tasks of this kernel have room for a context, and a flag
 * @start: deliver events; returns 0, or an error with a message
 * @stop: stop delivering events; no hook is running when it returns
 * @synchronize: wait for all hooks that are running. Process context, sleeps.
 * @any_switch: deliver the switches of all threads to pmct_syswide_switch().
 *	Process context, sleeps.
 * @tie: tie a context to a task; returns false if the task has one already
 * @retie: tie another context, or NULL, instead of the present one; the task's switches are not
 *	delivered any more
 * @sched_mode: true if a scheduler wants metrics of the task
 * @want: note that a scheduler wants metrics of the task, or does not any more; see
 *	pmct_client_monitor()
 * @may_access: true if current, by its real credentials, may see what the task does
 * @may_count: true if kernel.perf_event_paranoid lets current count its own events
 */
struct pmct_hooks {
	const char *name;
	bool patched;
	int (*start)(struct pmct_msg *msg);
	void (*stop)(void);
	void (*synchronize)(void);
	void (*any_switch)(bool deliver);
	bool (*tie)(struct task_struct *task, struct pmct_ctx *ctx);
	void (*retie)(struct task_struct *task, struct pmct_ctx *ctx);
	bool (*sched_mode)(const struct task_struct *task);
	int (*want)(struct task_struct *task, bool on);
	bool (*may_access)(struct task_struct *task);
	bool (*may_count)(void);
};

extern const struct pmct_hooks *pmct_hooks;
DECLARE_STATIC_KEY_TRUE(pmct_hooks_patched);

static __always_inline bool pmct_hooks_are_patched(void)
{
	if (!IS_ENABLED(CONFIG_TRACEPOINTS))
		return true;
	return IS_ENABLED(CONFIG_PMCTRACK) && static_branch_likely(&pmct_hooks_patched);
}

/* The context of a task. The caller is a hook, or an RCU reader. */
static __always_inline struct pmct_ctx *pmct_tie_ctx(const struct task_struct *task)
{
	return pmct_hooks_are_patched() ? pmct_patch_ctx(task) : pmct_tracepoint_ctx(task);
}

/* Deliver switches and ticks of @task, whose context is @ctx. */
static __always_inline void pmct_tie_enable(struct task_struct *task, struct pmct_ctx *ctx)
{
	if (pmct_hooks_are_patched())
		pmct_patch_enable(task, ctx->session->needs_tick);
	else
		pmct_tracepoint_deliver(task, ctx, true);
}

static __always_inline void pmct_tie_disable(struct task_struct *task, struct pmct_ctx *ctx)
{
	if (pmct_hooks_are_patched())
		pmct_patch_disable(task);
	else
		pmct_tracepoint_deliver(task, ctx, false);
}

/* Current has entered this CPU without a switch. Interrupts disabled. */
static __always_inline void pmct_tie_entered(void)
{
	if (!pmct_hooks_are_patched())
		pmct_tracepoint_start_tick();
}

/* True if a thread that is alone on its CPU may have no tick there (nohz_full=). */
static inline bool pmct_tie_loses_tick(void)
{
	return pmct_hooks_are_patched() && tick_nohz_full_enabled();
}

/*
 * Keep the tick for a thread on any CPU. For a child this is done when it first enters a CPU,
 * because the kernel resets it after our hook. Interrupts disabled.
 */
static inline void pmct_tie_keep_tick(struct task_struct *task)
{
	if (pmct_hooks_are_patched())
		pmct_patch_keep_tick(task);
}

/* This CPU goes offline, or has come back. Interrupts disabled. */
static inline void pmct_tie_forget_cpu(void)
{
	if (!pmct_hooks_are_patched())
		pmct_tracepoint_stop_tick();
}

#endif /* _PMCT_TIE_H */
