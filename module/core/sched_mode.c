// SPDX-License-Identifier: GPL-2.0-only
/*
 * Scheduler mode: threads that a scheduling class wants monitored are counted
 * with the event sets of the active monitoring module, in a session of the
 * kernel's own that nobody reads; and the metrics that schedulers get.
 *
 * The class sets a flag in the thread's descriptor, nothing else. The thread's
 * next tick finds it without a context and asks for one.
 */
#include <linux/jiffies.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/workqueue.h>

#include "ctx.h"
#include "handover.h"
#include "mmon_call.h"
#include "sched_mode.h"
#include "sched_want.h"
#include "session.h"
#include "tie.h"

#define PMCT_SCHED_PERIOD_MS	100
#define PMCT_SCHED_RETRY_MS	1000

/* Set and cleared under both pmct_mmon_lock() and pmct_sched_mutex, used under either. */
static struct pmct_session *pmct_sched_session;
static DEFINE_MUTEX(pmct_sched_mutex);

/* The monitoring module is locked. */
static int pmct_sched_open(const struct monitoring_module *mm)
{
	struct pmct_session_params *params;
	struct pmct_msg msg = {};
	struct pmct_session *s;

	if (time_before(jiffies, READ_ONCE(pmct_sched_retry)))
		return -EAGAIN;
	params = kzalloc(sizeof(*params), GFP_KERNEL);
	if (!params)
		return -ENOMEM;
	memcpy(params->raw, mm->raw, mm->nr_raw * sizeof(*mm->raw));
	params->nr_raw = mm->nr_raw;
	params->period_ns = (mm->period_ms ?: PMCT_SCHED_PERIOD_MS) * (u64)NSEC_PER_MSEC;
	params->no_ring = true;
	params->cgroup = -1;
	s = pmct_session_create(params, &msg);
	kfree(params);
	if (IS_ERR(s)) {
		pr_info_ratelimited("pmctrack: scheduler mode has to wait: %s\n", msg.text);
		WRITE_ONCE(pmct_sched_retry, jiffies + msecs_to_jiffies(PMCT_SCHED_RETRY_MS));
		return PTR_ERR(s);
	}
	s->mm_sets = true;
	s->mm_gen = mm->gen;
	mutex_lock(&pmct_sched_mutex);
	pmct_sched_session = s;
	mutex_unlock(&pmct_sched_mutex);
	return 0;
}

static void pmct_sched_attach(const struct monitoring_module *mm, struct task_struct *task)
{
	/* Nothing to count: not at each tick, then. */
	if (!mm->nr_raw)
		WRITE_ONCE(pmct_sched_retry, jiffies + msecs_to_jiffies(PMCT_SCHED_RETRY_MS));
	/* It may have got a context meanwhile. */
	if (mm->nr_raw && !pmct_tie_ctx(task) && (pmct_sched_session || !pmct_sched_open(mm)) &&
	    !IS_ERR(pmct_ctx_attach(pmct_sched_session, task, PMCT_CTX_COUNTING,
				    pmct_ctx_tie_free, NULL)))
		pmct_count_enter_session(pmct_sched_session);
}

static void pmct_sched_work(struct work_struct *work)
{
	struct pmct_sched_request *req = container_of(work, struct pmct_sched_request, work);
	struct task_struct *task = req->task;
	const struct monitoring_module *mm;

	pmct_mmon_lock();
	mm = pmct_mmon_active();
	if (!pmct_hooks->sched_mode(task))
		pmct_sched_mode_yield(task, NULL);
	else if (mm)
		pmct_sched_attach(mm, task);
	pmct_mmon_unlock();
	put_task_struct(task);
	/* Now the tick may use the slot again. */
	WRITE_ONCE(req->task, NULL);
}

/* The monitoring module goes away, and with it its event sets. It is locked. */
void pmct_sched_mode_end(void)
{
	struct pmct_session *s;

	/* Whoever takes a thread over waits until it is nobody's. */
	mutex_lock(&pmct_sched_mutex);
	s = pmct_sched_session;
	pmct_sched_session = NULL;
	if (s)
		pmct_session_destroy(s);
	mutex_unlock(&pmct_sched_mutex);
}

/**
 * pmct_sched_mode_yield() - end a thread's monitoring in scheduler mode
 * @task: the thread; the caller holds it
 * @successor: context to tie to it instead, or NULL
 *
 * If its class still wants it, it is monitored again at its next tick without
 * a context: when the session of the user who wanted it has ended.
 *
 * Context: process context, sleeps.
 * Return: whether it was, and is no more.
 */
bool pmct_sched_mode_yield(struct task_struct *task, struct pmct_ctx *successor)
{
	bool done;

	mutex_lock(&pmct_sched_mutex);
	done = pmct_sched_session && pmct_ctx_evict(pmct_sched_session, task, successor,
						    PMCTRACK_RECORD_PAD);
	mutex_unlock(&pmct_sched_mutex);
	return done;
}

void pmct_sched_mode_init(void)
{
	int cpu;

	pmct_sched_retry = jiffies;
	for_each_possible_cpu(cpu)
		INIT_WORK(&per_cpu_ptr(&pmct_sched_request, cpu)->work, pmct_sched_work);
}

/* No hook runs any more. */
void pmct_sched_mode_exit(void)
{
	int cpu;

	for_each_possible_cpu(cpu)
		flush_work(&per_cpu_ptr(&pmct_sched_request, cpu)->work);
}
