// SPDX-License-Identifier: GPL-2.0-only
/* See permissions.h. */
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>

#include "dumpable.h"
#include "permissions.h"
#include "sysctl.h"

static bool pmct_same_ids(const struct cred *of, const struct cred *task)
{
	return uid_eq(of->uid, task->euid) && uid_eq(of->uid, task->suid) &&
	       uid_eq(of->uid, task->uid) && gid_eq(of->gid, task->egid) &&
	       gid_eq(of->gid, task->sgid) && gid_eq(of->gid, task->gid);
}

/* As in cap_ptrace_access_check(): the task has no more rights than current. */
static bool pmct_is_no_stronger(const struct cred *task)
{
	const struct cred *our = current_cred();

	return our->user_ns == task->user_ns &&
	       cap_issubset(task->cap_permitted, our->cap_permitted);
}

/**
 * pmct_may_access() - may current see what a thread does?
 * @task: the thread; the caller keeps it from being freed
 *
 * The rules of ptrace_may_access(PTRACE_MODE_READ_REALCREDS), except those of configured security
 * modules. All IDs of the thread must equal the real IDs of current, its capabilities must not
 * exceed ours, and its program must be dumpable, or current must be capable.
 *
 * Context: process context, may sleep.
 */
bool pmct_may_access(struct task_struct *task)
{
	const struct cred *cred;
	bool may;

	if (same_thread_group(task, current))
		return true;
	rcu_read_lock();
	cred = __task_cred(task);
	may = (pmct_same_ids(current_cred(), cred) && pmct_is_no_stronger(cred)) ||
	      ns_capable(cred->user_ns, CAP_SYS_PTRACE);
	rcu_read_unlock();
	/* commit_creds() first makes the program undumpable, and then changes the IDs. */
	smp_rmb();
	return may && (pmct_dumpable(task) || capable(CAP_SYS_PTRACE));
}

/**
 * pmct_may_count() - may current count events of its own threads?
 *
 * The rule of perf: with CAP_PERFMON, current always may. Otherwise it may unless
 * kernel.perf_event_paranoid is above 2 (the default of some distributions), or cannot be read.
 *
 * Context: process context, sleeps.
 */
bool pmct_may_count(void)
{
	int paranoid;

	if (perfmon_capable())
		return true;
	return !pmct_sysctl("proc/sys/kernel/perf_event_paranoid", &paranoid) && paranoid <= 2;
}
