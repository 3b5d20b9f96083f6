// SPDX-License-Identifier: GPL-2.0-only
/*
 * Whom a session monitors: the caller, a thread that is going to execute a
 * program, processes that run already, with all their threads, or CPUs.
 */
#include <linux/pid.h>
#include <linux/rcupdate.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/uaccess.h>

#include "attach.h"
#include "config.h"
#include "ctx.h"
#include "handover.h"
#include "sched_mode.h"
#include "syswide.h"
#include "tie.h"

#define PMCT_ATTACH_BATCH	32
/* A process is left with so many more threads than it had when it was looked at. */
#define PMCT_ATTACH_MORE	1024

/**
 * struct pmct_attach_walk - the way through the threads of a process
 * @s: the session that they are attached to
 * @process: its threads
 * @last: the last thread that was looked at, with a reference; NULL: none yet
 * @attached: how many were attached
 * @tried: the same, with those that ended meanwhile
 * @limit: of @tried
 */
struct pmct_attach_walk {
	struct pmct_session *s;
	struct task_struct *process;
	struct task_struct *last;
	unsigned int attached;
	unsigned int tried;
	unsigned int limit;
};

/* Is the thread alive, and not of @s yet? Another session's is for attach to refuse. */
static bool pmct_attach_wanted(const struct pmct_session *s, struct task_struct *task)
{
	const struct pmct_ctx *ctx = pmct_tie_ctx(task);

	return !(READ_ONCE(task->flags) & PF_EXITING) && (!ctx || ctx->session != s);
}

/* Where the walk goes on: new threads are at the end of the list. RCU reader. */
static struct task_struct *pmct_attach_position(const struct pmct_attach_walk *w)
{
	if (w->last && pid_alive(w->last))
		return w->last;
	return list_entry(&w->process->signal->thread_head, struct task_struct, thread_node);
}

/* The next threads of the process that are to be attached, each with a reference. */
static unsigned int pmct_attach_find(struct pmct_attach_walk *w, struct task_struct **batch)
{
	struct task_struct *task, *seen = NULL;
	unsigned int nr = 0;

	rcu_read_lock();
	task = pmct_attach_position(w);
	list_for_each_entry_continue_rcu(task, &w->process->signal->thread_head, thread_node) {
		seen = task;
		if (pmct_attach_wanted(w->s, task))
			batch[nr++] = get_task_struct(task);
		if (nr == PMCT_ATTACH_BATCH)
			break;
	}
	if (seen)
		get_task_struct(seen);
	rcu_read_unlock();
	if (seen) {
		if (w->last)
			put_task_struct(w->last);
		w->last = seen;
	}
	return nr;
}

/*
 * A session without CAP_PERFMON that has the thread gives way to one with it, at
 * once: nobody can come in between. False if no such session has it.
 */
static bool pmct_attach_take_over(struct pmct_session *s, struct task_struct *task,
				  struct pmct_ctx *successor)
{
	struct pmct_session *other = NULL;
	struct pmct_ctx *ctx;
	bool done;

	if (!s->privileged || !pmct_hooks->may_access(task))
		return false;
	local_irq_disable();
	/* While one of its threads is tied, and interrupts are disabled, a session stays. */
	ctx = pmct_tie_ctx(task);
	if (ctx && !ctx->session->privileged && refcount_inc_not_zero(&ctx->session->refs))
		other = ctx->session;
	local_irq_enable();
	if (!other)
		return false;
	done = pmct_ctx_evict(other, task, successor, PMCTRACK_RECORD_REVOKED);
	pmct_session_put(other);
	return done;
}

/* A pmct_ctx_tie_fn: a scheduler's monitoring of the thread gives way; it may end just now. */
static bool pmct_attach_tie(struct pmct_session *s, struct task_struct *task, struct pmct_ctx *ctx)
{
	return pmct_hooks->tie(task, ctx) || pmct_sched_mode_yield(task, ctx) ||
	       pmct_attach_take_over(s, task, ctx) || pmct_hooks->tie(task, ctx);
}

/* Not while somebody ends the session: he must not miss a context that is half attached. */
static struct pmct_ctx *pmct_attach_unless_ended(struct pmct_session *s, struct task_struct *task,
						 struct pmct_msg *why)
{
	struct pmct_ctx *ctx;

	mutex_lock(&s->end_mutex);
	if (s->ended)
		ctx = ERR_PTR(-ESHUTDOWN);
	else
		ctx = pmct_ctx_attach(s, task, PMCT_CTX_COUNTING, pmct_attach_tie, why);
	mutex_unlock(&s->end_mutex);
	return ctx;
}

static int pmct_attach_thread(struct pmct_attach_walk *w, struct task_struct *task,
			      struct pmct_msg *msg)
{
	struct pmct_msg why = {};
	struct pmct_ctx *ctx;
	bool wanted;

	if (signal_pending(current))
		return pmct_refuse(msg, -EINTR, "interrupted by a signal");
	/* Many of a batch may have ended by now: attaching those would take long. */
	rcu_read_lock();
	wanted = pmct_attach_wanted(w->s, task);
	rcu_read_unlock();
	if (!wanted)
		return 0;
	w->tried++;
	ctx = pmct_attach_unless_ended(w->s, task, &why);
	switch (PTR_ERR_OR_ZERO(ctx)) {
	case 0:
		w->attached++;
		return 0;
	case -ESRCH:
		/* It ends just now. */
	case -EALREADY:
		/* Its creator had it attached. */
		return 0;
	case -ESHUTDOWN:
		return pmct_refuse(msg, -ESHUTDOWN, "the session has ended");
	}
	return pmct_refuse(msg, PTR_ERR(ctx), "%s", why.text);
}

/* 0 if none was left to attach or the limit is reached, their number, or an error. */
static int pmct_attach_some(struct pmct_attach_walk *w, struct pmct_msg *msg)
{
	struct task_struct *batch[PMCT_ATTACH_BATCH];
	unsigned int nr = pmct_attach_find(w, batch);
	unsigned int i;
	int err = 0;

	for (i = 0; i < nr; i++) {
		if (!err && w->tried < w->limit)
			err = pmct_attach_thread(w, batch[i], msg);
		put_task_struct(batch[i]);
	}
	if (err)
		return err;
	return w->tried < w->limit ? nr : 0;
}

static int pmct_attach_threads(struct pmct_attach_walk *w, struct pmct_msg *msg)
{
	int nr, again;

	/*
	 * A thread that is being created by one that was not attached yet is
	 * in no list until it is complete: look once more after a while.
	 */
	for (again = 0; again < 2; again++) {
		do {
			nr = pmct_attach_some(w, msg);
			if (nr < 0)
				return nr;
			cond_resched();
		} while (nr);
		pmct_count_enter_session(w->s);
		pmct_hooks->synchronize();
		if (w->last)
			put_task_struct(w->last);
		w->last = NULL;
	}
	return 0;
}

static unsigned int pmct_attach_count_missing(const struct pmct_attach_walk *w)
{
	struct task_struct *task;
	unsigned int nr = 0;

	rcu_read_lock();
	for_each_thread(w->process, task)
		nr += pmct_attach_wanted(w->s, task);
	rcu_read_unlock();
	return nr;
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

static int pmct_attach_process(struct pmct_session *s, struct pmctrack_attach *a,
			       struct pmct_msg *msg)
{
	struct pmct_attach_walk w = { .s = s };
	int err;

	w.process = pmct_attach_find_target(a->pid, PIDTYPE_TGID, "process", msg);
	if (IS_ERR(w.process))
		return PTR_ERR(w.process);
	w.limit = min_t(unsigned int, 2 * get_nr_threads(w.process) + PMCT_ATTACH_MORE,
			READ_ONCE(pmct_config.attach_max_threads));
	err = pmct_attach_threads(&w, msg);
	if (w.last)
		put_task_struct(w.last);
	a->threads = w.attached;
	if (!err && w.tried == w.limit)
		a->left_out = pmct_attach_count_missing(&w);
	put_task_struct(w.process);
	return err;
}

/**
 * pmct_attach_ioctl() - PMCTRACK_IOC_ATTACH
 * @s: a session with PMCTRACK_SESSION_ATTACH, which the caller keeps from being released
 * @arg: which process, and where the answer goes
 *
 * The work is bounded, also if the process creates threads all the time, and
 * ends with the next signal. The session's end may come at any time.
 *
 * Context: process context, sleeps.
 * Return: 0 or a negative errno, see PMCTRACK_IOC_ATTACH.
 */
long pmct_attach_ioctl(struct pmct_session *s, struct pmctrack_attach __user *arg)
{
	struct pmct_msg msg = {};
	struct pmctrack_attach a;
	int err;

	if (copy_from_user(&a, arg, sizeof(a)))
		return -EFAULT;
	if (a.__reserved)
		return -EINVAL;
	a.threads = 0;
	a.left_out = 0;
	err = pmct_attach_process(s, &a, &msg);
	strscpy_pad(a.message, msg.text, sizeof(a.message));
	if (copy_to_user(arg, &a, sizeof(a)))
		return -EFAULT;
	return err;
}

static int pmct_attach_on_exec(struct pmct_session *s, pid_t tid, struct pmct_msg *msg)
{
	struct task_struct *task;
	struct pmct_ctx *ctx;

	task = pmct_attach_find_target(tid, PIDTYPE_PID, "thread", msg);
	if (IS_ERR(task))
		return PTR_ERR(task);
	ctx = pmct_ctx_attach(s, task, PMCT_CTX_ON_EXEC, pmct_attach_tie, msg);
	put_task_struct(task);
	return PTR_ERR_OR_ZERO(ctx);
}

static int pmct_attach_self(struct pmct_session *s, struct pmct_msg *msg)
{
	return PTR_ERR_OR_ZERO(pmct_ctx_attach(s, current, PMCT_CTX_STOPPED, pmct_attach_tie, msg));
}

/**
 * pmct_attach() - monitor whom the parameters name
 * @s: for this session
 * @params: pid, cgroup and flags count; PIDs are of the caller's namespace
 * @msg: on failure, why
 *
 * Running processes come later, see pmct_attach_ioctl().
 *
 * Context: process context, sleeps; @s->end_mutex is held.
 * Return: 0, -ESRCH, -EACCES, -EBUSY if a thread is monitored by another
 * session, -EINVAL, -ENOMEM. On failure the session has to be destroyed.
 */
int pmct_attach(struct pmct_session *s, const struct pmct_session_params *params,
		struct pmct_msg *msg)
{
	u32 target = params->flags & (PMCTRACK_SESSION_SYSTEM | PMCTRACK_SESSION_ATTACH |
				      PMCTRACK_SESSION_ON_EXEC);

	lockdep_assert_held(&s->end_mutex);

	if (!params->pid != !(target & PMCTRACK_SESSION_ON_EXEC))
		return pmct_refuse(msg, -EINVAL,
				   "counting from execve() on needs one thread, and nothing else does");
	if (params->cgroup >= 0 && target != PMCTRACK_SESSION_SYSTEM)
		return pmct_refuse(msg, -EINVAL, "a cgroup is monitored by a system-wide session");
	switch (target) {
	case 0:
		return pmct_attach_self(s, msg);
	case PMCTRACK_SESSION_ATTACH:
		return 0;
	case PMCTRACK_SESSION_ON_EXEC:
		return pmct_attach_on_exec(s, params->pid, msg);
	case PMCTRACK_SESSION_SYSTEM:
		if (params->flags != PMCTRACK_SESSION_SYSTEM)
			break;
		return pmct_syswide_start(s, params->cgroup, msg);
	}
	return pmct_refuse(msg, -EINVAL,
			   "a session monitors CPUs, or running processes, or a program from its execve() on");
}
