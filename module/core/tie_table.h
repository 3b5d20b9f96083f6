/* SPDX-License-Identifier: GPL-2.0-only */
/* How a task is tied to its context on an unmodified kernel; see tie.h. */
#ifndef _PMCT_TIE_TABLE_H
#define _PMCT_TIE_TABLE_H

#include <linux/hrtimer.h>
#include <linux/percpu.h>
#include <linux/types.h>

struct pmct_ctx;
struct task_struct;

/**
 * struct pmct_tp_tick - the tick of a CPU
 * @timer: pinned; the CPU's own
 * @runs: it is going to expire here
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

struct pmct_ctx *pmct_tracepoint_ctx(const struct task_struct *task);
void pmct_tracepoint_deliver(struct task_struct *task, struct pmct_ctx *ctx, bool deliver);
void pmct_tracepoint_start_tick(void);
void pmct_tracepoint_stop_tick(void);

#endif /* _PMCT_TIE_TABLE_H */
