/* SPDX-License-Identifier: GPL-2.0-only */
/* May others see what a program does? Kept by its memory map, from Linux 7.2 on by exec. */
#ifndef _PMCT_COMPAT_DUMPABLE_H
#define _PMCT_COMPAT_DUMPABLE_H

#include <linux/sched/coredump.h>
#include <linux/sched/mm.h>
#ifdef PMCT_HAVE_EXEC_STATE
#include <linux/sched/exec_state.h>
#endif

/**
 * pmct_dumpable() - is @task free of programs with other privileges than
 *	their caller, and of unreadable ones?
 * @task: current, or a thread that the caller keeps from being freed
 *
 * Context: process context; may sleep unless @task is current.
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
	struct mm_struct *mm = task == current ? current->mm : get_task_mm(task);
	bool dumpable;

	if (!mm)
		return true;
	dumpable = get_dumpable(mm) == SUID_DUMP_USER;
	if (task != current)
		mmput(mm);
	return dumpable;
#endif
}

#endif /* _PMCT_COMPAT_DUMPABLE_H */
