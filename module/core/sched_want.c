// SPDX-License-Identifier: GPL-2.0-only
/*
 * Requests of scheduler mode: a tick found a thread whose monitoring its scheduling
 * class has switched on or off. Each CPU has one slot; who finds it in use, asks
 * again at its next tick. sched_mode.c does the work.
 */
#include <linux/jiffies.h>
#include <linux/sched/task.h>

#include "mmon_call.h"
#include "sched_want.h"

DEFINE_PER_CPU(struct pmct_sched_request, pmct_sched_request);
unsigned long pmct_sched_retry;

/**
 * pmct_sched_want() - a tick found that a scheduling class has changed its mind
 * @task: current, which it wants monitored and is not, or the other way round
 *
 * Context: interrupts disabled, no lock held.
 */
void pmct_sched_want(struct task_struct *task)
{
	struct pmct_sched_request *req = this_cpu_ptr(&pmct_sched_request);

	lockdep_assert_irqs_disabled();

	if (!rcu_access_pointer(pmct_mmon) || task->flags & PF_EXITING ||
	    READ_ONCE(req->task) || time_before(jiffies, READ_ONCE(pmct_sched_retry)))
		return;
	get_task_struct(task);
	WRITE_ONCE(req->task, task);
	schedule_work(&req->work);
}
