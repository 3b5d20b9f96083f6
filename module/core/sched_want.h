/* SPDX-License-Identifier: GPL-2.0-only */
/* Requests of scheduler mode. */
#ifndef _PMCT_SCHED_WANT_H
#define _PMCT_SCHED_WANT_H

#include <linux/percpu.h>
#include <linux/workqueue.h>

struct task_struct;

/**
 * struct pmct_sched_request - a thread that a tick found on this CPU
 * @task: held while the work is queued; NULL: the slot is free
 * @work: does with it what the class wants
 */
struct pmct_sched_request {
	struct task_struct *task;
	struct work_struct work;
};

DECLARE_PER_CPU(struct pmct_sched_request, pmct_sched_request);
/* After a failure: no request before this, in jiffies. */
extern unsigned long pmct_sched_retry;

void pmct_sched_want(struct task_struct *task);

#endif /* _PMCT_SCHED_WANT_H */
