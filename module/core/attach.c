// SPDX-License-Identifier: GPL-2.0-only
/*
 * Whom a session monitors: the caller, a thread that is going to execute a
 * program, processes that run already, with all their threads, or CPUs.
 */
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
			/* Not one that ends meanwhile, or that its creator had. */
			if (IS_ERR(ctx) && PTR_ERR(ctx) != -ESRCH && PTR_ERR(ctx) != -EALREADY)
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
		pmct_hooks->synchronize();
	}
	return 0;
}

/* The caller holds the result. @what it is, for the message: "thread", "process". */
static struct task_struct *pmct_attach_find_target(pid_t nr, enum pid_type type,
						   const char *what, struct pmct_msg *msg)
{
	struct pid *pid = find_get_pid(nr);
	struct task_struct *task = get_pid_task(pid, type);

	put_pid(pid);
	if (!task)
		return ERR_PTR(pmct_refuse(msg, -ESRCH, "no %s %d", what, nr));
	if (pmct_hooks->may_access(task))
		return task;
	put_task_struct(task);
	pmct_refuse(msg, -EACCES,
		    "%s %d belongs to somebody else: that needs CAP_PERFMON and CAP_SYS_PTRACE",
		    what, nr);
	return ERR_PTR(-EACCES);
}

static int pmct_attach_process(struct pmct_session *s, pid_t pid, struct pmct_msg *msg)
{
	struct task_struct *process;
	int err;

	process = pmct_attach_find_target(pid, PIDTYPE_TGID, "process", msg);
	if (IS_ERR(process))
		return PTR_ERR(process);
	err = pmct_attach_threads(s, process, msg);
	put_task_struct(process);
	return err;
}

static int pmct_attach_on_exec(struct pmct_session *s, pid_t tid, struct pmct_msg *msg)
{
	struct task_struct *task;
	struct pmct_ctx *ctx;

	task = pmct_attach_find_target(tid, PIDTYPE_PID, "thread", msg);
	if (IS_ERR(task))
		return PTR_ERR(task);
	ctx = pmct_ctx_attach(s, task, PMCT_CTX_ON_EXEC, msg);
	put_task_struct(task);
	return PTR_ERR_OR_ZERO(ctx);
}

static int pmct_attach_self(struct pmct_session *s, struct pmct_msg *msg)
{
	struct pmct_ctx *ctx = pmct_ctx_attach(s, current, PMCT_CTX_STOPPED, msg);

	if (IS_ERR(ctx))
		return PTR_ERR(ctx);
	if (s->flags & PMCTRACK_SESSION_USER_READ)
		ctx->wants = PMCT_SWITCH_USER_READ;
	return 0;
}

/**
 * pmct_attach() - monitor those whom the parameters name
 * @s: for this session
 * @params: nr_pids, pids and flags count; PIDs are of the caller's namespace
 * @msg: on failure, why
 *
 * Context: process context, sleeps.
 * Return: 0, -ESRCH, -EACCES, -EBUSY if a thread is monitored by another
 * session, -EINVAL, -ENOMEM. On failure the session has to be destroyed.
 */
int pmct_attach(struct pmct_session *s, const struct pmct_session_params *params,
		struct pmct_msg *msg)
{
	unsigned int i;
	int err = 0;

	if (params->flags & PMCTRACK_SESSION_SYSTEM) {
		if (params->nr_pids || params->flags != PMCTRACK_SESSION_SYSTEM)
			return pmct_refuse(msg, -EINVAL,
					   "a system-wide session monitors CPUs, not processes too");
		return pmct_syswide_start(s, params->cgroup, msg);
	}
	if (params->cgroup >= 0)
		return pmct_refuse(msg, -EINVAL, "a cgroup is monitored by a system-wide session");
	if (params->flags & PMCTRACK_SESSION_ON_EXEC) {
		if (params->nr_pids != 1)
			return pmct_refuse(msg, -EINVAL,
					   "counting from execve() on needs one thread");
		return pmct_attach_on_exec(s, params->pids[0], msg);
	}
	if (!params->nr_pids)
		return pmct_attach_self(s, msg);
	for (i = 0; !err && i < params->nr_pids; i++)
		err = pmct_attach_process(s, params->pids[i], msg);
	return err;
}
