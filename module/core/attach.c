// SPDX-License-Identifier: GPL-2.0-only
/*
 * Attaching a session to what it monitors: the caller, a thread that is going to execute a program,
 * running processes with all their threads, or CPUs.
 */
#include <linux/irq_work.h>
#include <linux/pid.h>
#include <linux/rcupdate.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "../compat/task.h"
#include "attach.h"
#include "config.h"
#include "ctx.h"
#include "detach.h"
#include "handover.h"
#include "mmon_call.h"
#include "syswide.h"
#include "tie.h"
#include "turn.h"

#define PMCT_ATTACH_BATCH	32
/* Up to so many more threads are tried than twice those that the process had at the first look. */
#define PMCT_ATTACH_MORE	1024

/**
 * struct pmct_attach_walk - a walk through the threads of a process
 * @s: the session that the threads are attached to
 * @process: the process whose threads are attached
 * @last: the last thread that the walk has looked at, with a reference; NULL: none yet
 * @state: state of the threads after the attach
 * @attached: how many were attached
 * @settled: value of @attached at the last pmct_attach_settle()
 * @tried: how many were tried, including those that ended meanwhile
 * @limit: limit of @tried
 * @asked: threads of sessions that were asked to give way
 * @untied: contexts that such sessions lost
 * @ended: contexts of threads that had ended, or that current may not access, when they were tied
 */
struct pmct_attach_walk {
	struct pmct_session *s;
	struct task_struct *process;
	struct task_struct *last;
	enum pmct_ctx_state state;
	unsigned int attached;
	unsigned int settled;
	unsigned int tried;
	unsigned int limit;
	struct list_head asked;
	struct list_head untied;
	struct list_head ended;
};

static void pmct_attach_walk_init(struct pmct_attach_walk *w, struct pmct_session *s,
				  enum pmct_ctx_state state)
{
	*w = (struct pmct_attach_walk){ .s = s, .state = state };
	INIT_LIST_HEAD(&w->asked);
	INIT_LIST_HEAD(&w->untied);
	INIT_LIST_HEAD(&w->ended);
}

/*
 * True if the thread is alive, and not of @s yet. The attach itself refuses threads of other
 * sessions.
 */
static bool pmct_attach_wanted(const struct pmct_session *s, struct task_struct *task)
{
	const struct pmct_ctx *ctx = pmct_tie_ctx(task);

	return !(READ_ONCE(task->flags) & PF_EXITING) && (!ctx || ctx->session != s);
}

/* Where the walk continues: new threads are at the end of the list. The caller is an RCU reader. */
static struct task_struct *pmct_attach_position(const struct pmct_attach_walk *w)
{
	if (w->last && pid_alive(w->last))
		return w->last;
	return list_entry(&w->process->signal->thread_head, struct task_struct, thread_node);
}

/* Find the next threads of the process that must be attached, each with a reference. */
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

/**
 * struct pmct_attach_asked - a thread whose session was asked to give way
 * @node: in pmct_attach_walk::asked
 * @task: the thread, with a reference
 */
struct pmct_attach_asked {
	struct list_head node;
	struct task_struct *task;
};

/* A context of @w->s has been tied to @task. Check that it may stay, and let it count. */
static int pmct_attach_begin(struct pmct_attach_walk *w, struct task_struct *task,
			     struct pmct_msg *msg)
{
	struct pmct_session *s = w->s;
	struct pmct_ctx *ctx;

	/* The thread's exit, or an exec that changed its rights, may have come before the tie. */
	if (READ_ONCE(task->flags) & PF_EXITING) {
		/* The exit may be freeing the context. */
		pmct_detach_one(s, task, &w->ended);
		return pmct_refuse(msg, -ESRCH, "thread %d has ended", task_pid_vnr(task));
	}
	if (task != current && !pmct_hooks->may_access(task)) {
		pmct_detach_one(s, task, &w->ended);
		return pmct_refuse(msg, -EACCES, "thread %d belongs to somebody else now",
				   task_pid_vnr(task));
	}
	w->attached++;
	if (w->state != PMCT_CTX_COUNTING)
		return 0;
	raw_spin_lock_irq(&s->lock);
	/* Do nothing if the thread has left @s meanwhile, or belongs to another session. */
	ctx = pmct_tie_ctx(task);
	if (ctx && ctx->session == s)
		pmct_tie_enable(task, ctx);
	raw_spin_unlock_irq(&s->lock);
	return 0;
}

/*
 * Tie a new context to @task, which has no context, or (@asked) one of a session that was asked to
 * give way. -EALREADY: @s has the thread; -EBUSY: another session has it.
 */
static int pmct_attach_tie(struct pmct_attach_walk *w, struct task_struct *task, bool asked,
			   struct pmct_msg *msg)
{
	struct pmct_session *s = w->s;
	const struct pmct_ctx *other;
	struct pmct_ctx *ctx;
	bool ours;

	ctx = pmct_ctx_alloc(s, task, w->state, GFP_KERNEL);
	if (!ctx)
		return pmct_refuse(msg, -ENOMEM, "no memory for a thread context");
	if (!pmct_ctx_join(ctx)) {
		kfree(ctx);
		return pmct_refuse(msg, -ESHUTDOWN, "the session has ended");
	}
	if ((asked && pmct_detach_hand_over(s, task, ctx, &w->untied)) ||
	    pmct_hooks->tie(task, ctx))
		return pmct_attach_begin(w, task, msg);
	raw_spin_lock_irq(&s->lock);
	pmct_ctx_unlist(ctx);
	pmct_ctx_count_one_less(s);
	/* The thread's creator, which was attached before, may have been faster. */
	other = pmct_tie_ctx(task);
	ours = other && other->session == s;
	raw_spin_unlock_irq(&s->lock);
	/* Readers may have counted this thread as the last one. */
	irq_work_queue(&s->wake);
	kfree(ctx);
	return ours ? -EALREADY : -EBUSY;
}

static int pmct_attach_busy(struct task_struct *task, struct pmct_msg *msg)
{
	return pmct_refuse(msg, -EBUSY,
			   "thread %d is being monitored by another session already; end that one first",
			   task_pid_vnr(task));
}

/*
 * Attach a thread, or ask its session to give way; pmct_attach_settle() then takes the thread over.
 */
static int pmct_attach_thread(struct pmct_attach_walk *w, struct task_struct *task,
			      struct pmct_msg *msg)
{
	struct pmct_attach_asked *asked;
	int err = pmct_attach_tie(w, task, false, msg);

	if (err != -EBUSY)
		return err;
	asked = kmalloc(sizeof(*asked), GFP_KERNEL);
	if (!asked)
		return pmct_refuse(msg, -ENOMEM, "no memory to take over a thread");
	if (pmct_detach_ask(w->s, task)) {
		asked->task = get_task_struct(task);
		list_add_tail(&asked->node, &w->asked);
		return 0;
	}
	kfree(asked);
	/* That session may have ended just now. */
	err = pmct_attach_tie(w, task, false, msg);
	return err == -EBUSY ? pmct_attach_busy(task, msg) : err;
}

/* It is no failure if a thread has ended, or if its creator has attached it. */
static int pmct_attach_forgive(int err)
{
	return err == -ESRCH || err == -EALREADY ? 0 : err;
}

/*
 * Take over the threads whose sessions were asked. After an error, these sessions lose them, too.
 */
static int pmct_attach_take_over(struct pmct_attach_walk *w, int err, struct pmct_msg *msg)
{
	struct pmct_attach_asked *asked, *next;

	if (list_empty(&w->asked))
		return err;
	pmct_detach_wait_asked();
	list_for_each_entry_safe(asked, next, &w->asked, node) {
		if (!err)
			err = pmct_attach_forgive(pmct_attach_tie(w, asked->task, true, msg));
		if (err == -EBUSY)
			pmct_attach_busy(asked->task, msg);
		/* Nothing happens if the thread was handed over. */
		if (err)
			pmct_detach_hand_over(w->s, asked->task, NULL, &w->untied);
		put_task_struct(asked->task);
		kfree(asked);
	}
	INIT_LIST_HEAD(&w->asked);
	return err;
}

static void pmct_attach_note_cpu(struct pmct_ctx *ctx, void *cpus)
{
	unsigned int cpu;

	if (!ctx->task || !pmct_task_on_cpu(ctx->task))
		return;
	cpu = task_cpu(ctx->task);
	if (READ_ONCE(per_cpu_ptr(&pmct_cpu, cpu)->ctx) != ctx)
		cpumask_set_cpu(cpu, cpus);
}

/*
 * Threads that are on a CPU enter it now. A thread that was switched to while it was tied is
 * visible after the wait. All others enter at their next switch.
 */
static void pmct_attach_enter_running(struct pmct_session *s)
{
	cpumask_var_t cpus;

	if (!zalloc_cpumask_var(&cpus, GFP_KERNEL)) {
		pmct_count_enter_cpus(s, cpu_online_mask);
		return;
	}
	pmct_detach_each(s, pmct_attach_note_cpu, cpus);
	pmct_count_enter_cpus(s, cpus);
	free_cpumask_var(cpus);
}

/* Finish the attach of all threads that were attached since the last call. */
static int pmct_attach_settle(struct pmct_attach_walk *w, int err, struct pmct_msg *msg)
{
	bool counting = w->state == PMCT_CTX_COUNTING && w->attached > w->settled;

	down_read(&pmct_mmon_sem);
	err = pmct_attach_take_over(w, err, msg);
	if (!list_empty(&w->untied))
		pmct_detach_dispose(&w->untied, PMCTRACK_RECORD_REVOKED);
	else if (counting && list_empty(&w->ended))
		pmct_hooks->synchronize();
	pmct_detach_dispose(&w->ended, PMCTRACK_RECORD_PAD);
	up_read(&pmct_mmon_sem);
	if (w->state == PMCT_CTX_COUNTING && w->attached > w->settled)
		pmct_attach_enter_running(w->s);
	w->settled = w->attached;
	return err;
}

/*
 * Attach a thread unless the session is ending, because its end must not miss a half-attached
 * context.
 */
static int pmct_attach_unless_ended(struct pmct_attach_walk *w, struct task_struct *task,
				    struct pmct_msg *msg)
{
	int err;

	mutex_lock(&w->s->end_mutex);
	down_read(&pmct_mmon_sem);
	if (w->s->ended)
		err = pmct_refuse(msg, -ESHUTDOWN, "the session has ended");
	else
		err = pmct_attach_thread(w, task, msg);
	up_read(&pmct_mmon_sem);
	mutex_unlock(&w->s->end_mutex);
	return err;
}

static int pmct_attach_next(struct pmct_attach_walk *w, struct task_struct *task,
			    struct pmct_msg *msg)
{
	bool wanted;

	if (signal_pending(current))
		return pmct_refuse(msg, -EINTR, "interrupted by a signal");
	/* Many threads of a batch may have ended by now, and attaching them would take long. */
	rcu_read_lock();
	wanted = pmct_attach_wanted(w->s, task);
	rcu_read_unlock();
	if (!wanted)
		return 0;
	w->tried++;
	return pmct_attach_forgive(pmct_attach_unless_ended(w, task, msg));
}

/*
 * Returns how many threads were found, or an error. 0: none was left to attach, or the limit is
 * reached.
 */
static int pmct_attach_some(struct pmct_attach_walk *w, struct pmct_msg *msg)
{
	struct task_struct *batch[PMCT_ATTACH_BATCH];
	unsigned int nr = pmct_attach_find(w, batch);
	unsigned int i;
	int err = 0;

	for (i = 0; i < nr; i++) {
		if (!err && w->tried < w->limit)
			err = pmct_attach_next(w, batch[i], msg);
		put_task_struct(batch[i]);
	}
	if (err)
		return err;
	return w->tried < w->limit ? nr : 0;
}

static int pmct_attach_pass(struct pmct_attach_walk *w, struct pmct_msg *msg)
{
	int nr, err;

	do {
		nr = pmct_attach_some(w, msg);
		cond_resched();
	} while (nr > 0);
	if (w->last)
		put_task_struct(w->last);
	w->last = NULL;
	mutex_lock(&w->s->end_mutex);
	err = pmct_attach_settle(w, nr, msg);
	mutex_unlock(&w->s->end_mutex);
	return err;
}

static int pmct_attach_threads(struct pmct_attach_walk *w, struct pmct_msg *msg)
{
	int err = pmct_attach_pass(w, msg);

	/*
	 * A thread is in no list until it is complete. If its creator was not attached yet, the
	 * first pass has missed it: look once more.
	 */
	return !err && w->tried ? pmct_attach_pass(w, msg) : err;
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

/* The caller must release the result. @what is a word for the message: "thread", "process". */
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
		    "%s %d belongs to somebody else: that needs CAP_SYS_PTRACE",
		    what, nr);
	return ERR_PTR(-EACCES);
}

static int pmct_attach_process(struct pmct_session *s, struct pmctrack_attach *a,
			       struct pmct_msg *msg)
{
	struct pmct_attach_walk w;
	int err;

	pmct_attach_walk_init(&w, s, PMCT_CTX_COUNTING);
	w.process = pmct_attach_find_target(a->pid, PIDTYPE_TGID, "process", msg);
	if (IS_ERR(w.process))
		return PTR_ERR(w.process);
	w.limit = min_t(unsigned int, 2 * get_nr_threads(w.process) + PMCT_ATTACH_MORE,
			READ_ONCE(pmct_config.attach_max_threads));
	err = pmct_attach_threads(&w, msg);
	a->threads = w.attached;
	if (!err && w.tried == w.limit)
		a->left_out = pmct_attach_count_missing(&w);
	put_task_struct(w.process);
	return err;
}

/**
 * pmct_attach_ioctl() - PMCTRACK_IOC_ATTACH
 * @s: a session with PMCTRACK_SESSION_ATTACH, which the caller keeps from being released
 * @arg: the process, and the reply
 *
 * The work is bounded, even if the process creates threads all the time, and ends with the next
 * signal. The session may end at any time.
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
	strscpy_pad(a.message, err ? msg.text : "", sizeof(a.message));
	if (copy_to_user(arg, &a, sizeof(a)))
		return -EFAULT;
	return err;
}

/* Attach a single thread, which is not counted yet. */
static int pmct_attach_alone(struct pmct_session *s, struct task_struct *task,
			     enum pmct_ctx_state state, struct pmct_msg *msg)
{
	struct pmct_attach_walk w;
	struct pmct_ctx *ctx;
	int err;

	pmct_attach_walk_init(&w, s, state);
	down_read(&pmct_mmon_sem);
	err = pmct_attach_thread(&w, task, msg);
	up_read(&pmct_mmon_sem);
	err = pmct_attach_settle(&w, err, msg);
	/* The thread may have started its counting in its old session while it was taken over. */
	raw_spin_lock_irq(&s->lock);
	ctx = pmct_tie_ctx(task);
	if (ctx && ctx->session == s && ctx->state != PMCT_CTX_COUNTING)
		pmct_tie_disable(task, ctx);
	raw_spin_unlock_irq(&s->lock);
	return err;
}

static int pmct_attach_on_exec(struct pmct_session *s, pid_t tid, struct pmct_msg *msg)
{
	struct task_struct *task;
	int err;

	task = pmct_attach_find_target(tid, PIDTYPE_PID, "thread", msg);
	if (IS_ERR(task))
		return PTR_ERR(task);
	err = pmct_attach_alone(s, task, PMCT_CTX_ON_EXEC, msg);
	put_task_struct(task);
	return err;
}

/**
 * pmct_attach() - attach a session to what the parameters name
 * @s: the session
 * @params: pid, cgroup and flags are used; PIDs are of the caller's namespace
 * @msg: on failure, the reason
 *
 * Running processes are attached later, see pmct_attach_ioctl().
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
		return pmct_attach_alone(s, current, PMCT_CTX_STOPPED, msg);
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
