/* SPDX-License-Identifier: GPL-2.0-only */
/* Properties of tasks that some kernels do not have. */
#ifndef _PMCT_COMPAT_TASK_H
#define _PMCT_COMPAT_TASK_H

#include <linux/sched.h>

/* True if @task may be running. Without SMP, there is one CPU that it can be on. */
static inline bool pmct_task_on_cpu(const struct task_struct *task)
{
#ifdef CONFIG_SMP
	return READ_ONCE(task->on_cpu);
#else
	return true;
#endif
}

/* How long @task has waited in run queues, in ns; false: this kernel does not know. */
static inline bool pmct_task_waited(const struct task_struct *task, u64 *ns)
{
#ifdef CONFIG_SCHED_INFO
	*ns = READ_ONCE(task->sched_info.run_delay);
	return true;
#else
	return false;
#endif
}

#endif /* _PMCT_COMPAT_TASK_H */
