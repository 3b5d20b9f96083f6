/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Whether others may see what a program does: in the memory map, from Linux 7.2 on in the exec
 * state.
 */
#ifndef _PMCT_COMPAT_DUMPABLE_H
#define _PMCT_COMPAT_DUMPABLE_H

#include <linux/sched/coredump.h>
#include <linux/sched/task.h>
#ifdef PMCT_HAVE_EXEC_STATE
#include <linux/sched/exec_state.h>
#endif

/**
 * pmct_dumpable() - true if @task's program is readable and has no other privileges than its caller
 * @task: current, or a thread that the caller keeps from being freed
 *
 * Context: process context; any if @task is current. It does not sleep.
 * Return: true also for threads without a program.
 */
static inline bool pmct_dumpable(struct task_struct *task)
{
#ifdef PMCT_HAVE_EXEC_STATE
	bool dumpable;

	rcu_read_lock();
	dumpable = rcu_dereference(task->exec_state)->dumpable == TASK_DUMPABLE_OWNER;
	rcu_read_unlock();
	return dumpable;
#else
	bool dumpable;

	if (task == current)
		return !current->mm || get_dumpable(current->mm) == SUID_DUMP_USER;
	/*
	 * Do not take a reference: dropping it could wait for what the owner of the map has open.
	 */
	task_lock(task);
	dumpable = !task->mm || get_dumpable(task->mm) == SUID_DUMP_USER;
	task_unlock(task);
	return dumpable;
#endif
}

#endif /* _PMCT_COMPAT_DUMPABLE_H */
