// SPDX-License-Identifier: GPL-2.0-only
/* Scheduling events of an unmodified kernel's tracepoints. */
#include <linux/hrtimer.h>
#include <linux/module.h>
#include <linux/sched/signal.h>
#include <linux/tracepoint.h>
#include <trace/events/sched.h>
#include <trace/events/task.h>

#include "../compat/hrtimer.h"
#include "../compat/permissions.h"
#include "../compat/tracepoint.h"
#include "count.h"
#include "ctx.h"
#include "hooks.h"
#include "owner.h"
#include "sched_mode.h"
#include "syswide.h"
#include "tie.h"
#include "turn.h"
#include "wanted.h"

static bool pmct_tp_all_switches __read_mostly;

static enum hrtimer_restart pmct_tp_tick_expired(struct hrtimer *timer)
{
	struct pmct_tp_tick *tick = this_cpu_ptr(&pmct_tp_tick);
	struct pmct_cpu *cs = this_cpu_ptr(&pmct_cpu);
	struct pmct_ctx *ctx = cs->ctx;

	/* If a CPU goes offline, its timer moves to another CPU. */
	if (timer != &tick->timer)
		return HRTIMER_NORESTART;
	if (!ctx || ctx->task != current) {
		if (!pmct_sched_mode_waits()) {
			tick->runs = false;
			return HRTIMER_NORESTART;
		}
		ctx = NULL;
	} else {
		pmct_tick(ctx, smp_processor_id());
	}
	pmct_sched_mode_tick(ctx);
	hrtimer_forward_now(timer, TICK_NSEC);
	return HRTIMER_RESTART;
}

/* Probe of sched_switch: current is @prev, interrupts are disabled, the runqueue lock is held. */
static void pmct_tp_switch(void *data, bool preempt, struct task_struct *prev,
			   struct task_struct *next, unsigned int prev_state)
{
	struct pmct_cpu *cs = this_cpu_ptr(&pmct_cpu);
	int cpu = smp_processor_id();
	struct pmct_ctx *ctx;

	/* No session is open. A thread that is tied now is entered after a wait for all hooks. */
	if (likely(!pmct_owner_users()))
		return;
	if (unlikely(READ_ONCE(pmct_tp_all_switches)))
		pmct_syswide_switch(prev, next, cpu);
	ctx = cs->ctx;
	/* Not if @prev was retied, and this CPU has not dropped the old context yet. */
	if (ctx && ctx->task == prev && READ_ONCE(ctx->delivered))
		pmct_sched_out(ctx, cpu);
	ctx = pmct_tracepoint_ctx(next);
	if (ctx && READ_ONCE(ctx->delivered)) {
		pmct_sched_in(ctx, cpu);
		pmct_tracepoint_start_tick();
		return;
	}
	if (cs->ctx && cs->ctx->task)
		pmct_sched_in(NULL, cpu);
	/* The tick gives the thread a context. */
	if (!ctx && unlikely(pmct_wanted(next)))
		pmct_tracepoint_start_tick();
}

/*
 * Probe of task_newtask: the child is complete, and does not run yet; current creates it.
 * (sched_process_fork does not report workers that the kernel makes in a process, as for io_uring.)
 * The allocation must not sleep. A thread without memory for a context is reported as skipped.
 * Other threads can see the child, and may have tied it.
 */
static void pmct_tp_fork(void *data, struct task_struct *child, unsigned long clone_flags)
{
	struct pmct_ctx *ctx;

	rcu_read_lock();
	ctx = pmct_ctx_fork(child, same_thread_group(current, child), GFP_NOWAIT | __GFP_NOWARN);
	if (ctx && !pmct_tasks_tie(child, ctx))
		pmct_ctx_disown(ctx);
	rcu_read_unlock();
}

static void pmct_tp_fork_u64(void *data, struct task_struct *child, u64 clone_flags)
{
	pmct_tp_fork(data, child, clone_flags);
}

static void pmct_tp_exec(void *data, struct task_struct *task, pid_t old_pid,
			 struct linux_binprm *bprm)
{
	rcu_read_lock();
	pmct_ctx_exec(task);
	rcu_read_unlock();
}

static void pmct_tp_exit(void *data, struct task_struct *task)
{
	rcu_read_lock();
	pmct_ctx_exit(task);
	rcu_read_unlock();
	pmct_wanted_remove(task);
}

static void pmct_tp_exit_of_group(void *data, struct task_struct *task, bool group_dead)
{
	pmct_tp_exit(data, task);
}

/*
 * sched_switch is connected last and disconnected first, because it delivers what the others tie.
 */
static struct pmct_tracepoint pmct_tps[] = {
	PMCT_TRACEPOINT(sched_process_exit, pmct_tp_exit, pmct_tp_exit_of_group),
	PMCT_TRACEPOINT(sched_process_exec, pmct_tp_exec),
	PMCT_TRACEPOINT(task_newtask, pmct_tp_fork, pmct_tp_fork_u64),
	PMCT_TRACEPOINT(sched_switch, pmct_tp_switch),
};

static void pmct_tp_disconnect(unsigned int nr)
{
	while (nr--)
		tracepoint_probe_unregister(pmct_tps[nr].tp, pmct_tps[nr].probe, NULL);
	tracepoint_synchronize_unregister();
}

static void pmct_tp_match(struct tracepoint *tp, void *unused)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(pmct_tps); i++) {
		if (!strcmp(tp->name, pmct_tps[i].name))
			pmct_tps[i].tp = tp;
	}
}

static int pmct_tp_connect(struct pmct_msg *msg)
{
	unsigned int i;
	int err;

	for_each_kernel_tracepoint(pmct_tp_match, NULL);
	for (i = 0; i < ARRAY_SIZE(pmct_tps); i++) {
		if (!pmct_tps[i].tp) {
			err = pmct_refuse(msg, -EOPNOTSUPP,
					  "this kernel has no tracepoint %s: it needs CONFIG_TRACEPOINTS and an event tracer, or the PMCTrack patch",
					  pmct_tps[i].name);
			goto err_connected;
		}
		err = tracepoint_probe_register(pmct_tps[i].tp, pmct_tps[i].probe, NULL);
		if (err) {
			pmct_refuse(msg, err, "cannot listen to tracepoint %s (error %d)",
				    pmct_tps[i].name, err);
			goto err_connected;
		}
	}
	return 0;

err_connected:
	pmct_tp_disconnect(i);
	return err;
}

static void pmct_tp_stop(void)
{
	int cpu;

	pmct_tp_disconnect(ARRAY_SIZE(pmct_tps));
	for_each_possible_cpu(cpu)
		hrtimer_cancel(&per_cpu_ptr(&pmct_tp_tick, cpu)->timer);
	pmct_tasks_exit();
}

static int pmct_tp_start(struct pmct_msg *msg)
{
	int cpu, err;

	if (IS_ENABLED(CONFIG_PREEMPT_RT))
		return pmct_refuse(msg, -EOPNOTSUPP,
				   "hooks=tracepoint: contexts of new threads cannot be had with PREEMPT_RT; use the PMCTrack patch");
	err = pmct_tasks_init();
	if (err)
		return pmct_refuse(msg, err, "no memory for the table of threads");
	for_each_possible_cpu(cpu)
		pmct_hrtimer_setup(&per_cpu_ptr(&pmct_tp_tick, cpu)->timer, pmct_tp_tick_expired,
				   CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
	err = pmct_tp_connect(msg);
	if (err)
		pmct_tasks_exit();
	return err;
}

/*
 * The switch and timers have interrupts disabled. The other probes, which are not RCU readers on
 * all kernels, and the core's readers hold the RCU read lock.
 */
static void pmct_tp_synchronize(void)
{
	synchronize_rcu();
}

static void pmct_tp_any_switch(bool deliver)
{
	WRITE_ONCE(pmct_tp_all_switches, deliver);
}

/* There is no flag with which a scheduling class could make a request. */
static bool pmct_tp_sched_mode(const struct task_struct *task)
{
	return pmct_wanted(task);
}

static int pmct_tp_want(struct task_struct *task, bool on)
{
	int err;

	if (!on) {
		pmct_wanted_remove(task);
		return 0;
	}
	err = pmct_wanted_add(task);
	/* Schedulers may make the same request at each switch. */
	if (err == -EEXIST)
		return 0;
	if (!err)
		pmct_sched_mode_wants(task);
	return err;
}

const struct pmct_hooks pmct_hooks_tracepoint = {
	.name		= "tracepoint",
	.start		= pmct_tp_start,
	.stop		= pmct_tp_stop,
	.synchronize	= pmct_tp_synchronize,
	.any_switch	= pmct_tp_any_switch,
	.tie		= pmct_tasks_tie,
	.retie		= pmct_tasks_retie,
	.sched_mode	= pmct_tp_sched_mode,
	.want		= pmct_tp_want,
	.may_access	= pmct_may_access,
	.may_count	= pmct_may_count,
};
