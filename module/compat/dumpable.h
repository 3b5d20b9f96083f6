/* SPDX-License-Identifier: GPL-2.0-only */
/* May others see what a program does? Kept by its memory map, from Linux 7.2 on by exec. */
#ifndef _PMCT_COMPAT_DUMPABLE_H
#define _PMCT_COMPAT_DUMPABLE_H

#include <linux/sched/coredump.h>
#include <linux/sched/task.h>
#ifdef PMCT_HAVE_EXEC_STATE
#include <linux/sched/exec_state.h>
#endif

/**
 * pmct_dumpable() - is @task free of programs with other privileges than
 *	their caller, and of unreadable ones?
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
	/* Not by a reference, whose end could wait for what its owner has open. */
	task_lock(task);
	dumpable = !task->mm || get_dumpable(task->mm) == SUID_DUMP_USER;
	task_unlock(task);
	return dumpable;
#endif
}

#endif /* _PMCT_COMPAT_DUMPABLE_H */
