// SPDX-License-Identifier: GPL-2.0-only
/* Monitoring processes that run already: all their threads, from now on. */
#include <linux/pid.h>
#include <linux/rcupdate.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>

#include "core.h"
#include "hooks.h"

#define PMCT_ATTACH_BATCH	32

/* Is the thread alive, and not of @s yet? Another session's is for attach to refuse. */
static bool pmct_attach_wanted(const struct pmct_session *s, struct task_struct *task)
{
	const struct pmct_ctx *ctx = pmct_hooks_ctx(task);

	return !(READ_ONCE(task->flags) & PF_EXITING) && (!ctx || ctx->session != s);
}

/* Some threads of the process that are to be attached, each with a reference. */
static unsigned int pmct_attach_find(const struct pmct_session *s, struct task_struct *process,
				     struct task_struct **batch)
{
	struct task_struct *task;
	unsigned int nr = 0;

	rcu_read_lock();
	for_each_thread(process, task) {
		if (!pmct_attach_wanted(s, task))
			continue;
		batch[nr++] = get_task_struct(task);
		if (nr == PMCT_ATTACH_BATCH)
			break;
	}
	rcu_read_unlock();
	return nr;
}

/* 0 if none was left to attach, their number, or an error. */
static int pmct_attach_some(struct pmct_session *s, struct task_struct *process,
			    struct pmct_msg *msg)
{
	struct task_struct *batch[PMCT_ATTACH_BATCH];
	unsigned int nr = pmct_attach_find(s, process, batch);
	struct pmct_ctx *ctx;
	unsigned int i;
	int err = 0;

	for (i = 0; i < nr; i++) {
		struct pmct_msg why = {};

		if (!err) {
			ctx = pmct_ctx_attach(s, batch[i], PMCT_CTX_COUNTING, &why);
			/* A thread that ends meanwhile is none of it. */
			if (IS_ERR(ctx) && PTR_ERR(ctx) != -ESRCH)
				err = pmct_refuse(msg, PTR_ERR(ctx), "%s", why.text);
		}
		put_task_struct(batch[i]);
	}
	return err ?: nr;
}

static int pmct_attach_threads(struct pmct_session *s, struct task_struct *process,
			       struct pmct_msg *msg)
{
	int nr, again;

	/*
	 * A thread that is being created by one that was not attached yet is
	 * in no list until it is complete: look once more after a while.
	 */
	for (again = 0; again < 2; again++) {
		do {
			nr = pmct_attach_some(s, process, msg);
			if (nr < 0)
				return nr;
			cond_resched();
		} while (nr);
		pmct_count_enter_session(s);
		pmct_hooks_synchronize();
	}
	return 0;
}

/**
 * pmct_attach_process() - monitor all threads of a process
 * @s: for this session
 * @pid: the process, in the PID namespace of the caller
 * @msg: on failure, why
 *
 * Context: process context, sleeps.
 * Return: 0, -ESRCH, -EACCES, -EBUSY if a thread is monitored by another
 * session, -ENOMEM. On failure the session has to be destroyed.
 */
int pmct_attach_process(struct pmct_session *s, pid_t pid, struct pmct_msg *msg)
{
	struct task_struct *process;
	struct pid *ref;
	int err;

	ref = find_get_pid(pid);
	process = get_pid_task(ref, PIDTYPE_TGID);
	put_pid(ref);
	if (!process)
		return pmct_refuse(msg, -ESRCH, "no process %d", pid);
	if (!pmct_hooks_may_access(process))
		err = pmct_refuse(msg, -EACCES,
				  "process %d belongs to somebody else: that needs CAP_PERFMON and CAP_SYS_PTRACE",
				  pid);
	else
		err = pmct_attach_threads(s, process, msg);
	put_task_struct(process);
	return err;
}
