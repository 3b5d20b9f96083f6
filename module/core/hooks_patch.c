// SPDX-License-Identifier: GPL-2.0-only
/* Scheduling events of the PMCTrack kernel patch. */
#include <linux/module.h>

#include "count.h"
#include "ctx.h"
#include "hooks.h"
#include "mmon_call.h"
#include "sched_mode.h"
#include "syswide.h"
#include "tie.h"

static void *pmct_patch_fork(unsigned long clone_flags, struct task_struct *child)
{
	might_sleep();

	return pmct_ctx_fork(child, clone_flags & CLONE_THREAD, GFP_KERNEL);
}

/*
 * The tick may end current's monitoring, and free its context a grace period later: see
 * pmct_ctx_end().
 */
static void pmct_patch_exec(struct task_struct *task)
{
	rcu_read_lock();
	pmct_ctx_exec(task);
	rcu_read_unlock();
}

static void pmct_patch_exit(struct task_struct *task)
{
	rcu_read_lock();
	pmct_ctx_exit(task);
	rcu_read_unlock();
}

static void pmct_patch_tick(void *ctx, int cpu)
{
	pmct_tick(ctx, cpu);
	pmct_sched_mode_tick(ctx);
}

static const struct pmc_ops pmct_patch_ops = {
	.pmcs_alloc_per_thread_data	= pmct_patch_fork,
	.pmcs_save_callback		= pmct_sched_out,
	.pmcs_restore_callback		= pmct_sched_in,
	.pmcs_any_switch		= pmct_syswide_switch,
	.pmcs_tbs_tick			= pmct_patch_tick,
	.pmcs_exec_thread		= pmct_patch_exec,
	.pmcs_exit_thread		= pmct_patch_exit,
	.pmcs_free_per_thread_data	= pmct_ctx_free,
	.pmcs_get_current_metric_value	= pmct_mmon_task_metric,
};

static int pmct_patch_start(struct pmct_msg *msg)
{
	int err = register_pmc_module(&pmct_patch_ops, THIS_MODULE);

	if (err)
		return pmct_refuse(msg, err, "another module has the kernel's PMCTrack hooks");
	return 0;
}

static void pmct_patch_stop(void)
{
	unregister_pmc_module(&pmct_patch_ops, THIS_MODULE);
}

static bool pmct_patch_tie(struct task_struct *task, struct pmct_ctx *ctx)
{
	return !cmpxchg(&task->pmc, NULL, ctx);
}

static void pmct_patch_retie(struct task_struct *task, struct pmct_ctx *ctx)
{
	pmct_patch_disable(task);
	/* From now on another session may tie its own context, and enable delivery. */
	WRITE_ONCE(task->pmc, ctx);
}

static bool pmct_patch_sched_mode(const struct task_struct *task)
{
	return pmcs_prof(task, PMCS_PROF_SCHED);
}

static int pmct_patch_want(struct task_struct *task, bool on)
{
	pmcs_set_prof(task, PMCS_PROF_SCHED, on);
	return 0;
}

const struct pmct_hooks pmct_hooks_patch = {
	.name		= "patch",
	.patched	= true,
	.start		= pmct_patch_start,
	.stop		= pmct_patch_stop,
	.synchronize	= pmcs_synchronize,
	.any_switch	= pmcs_deliver_switches,
	.tie		= pmct_patch_tie,
	.retie		= pmct_patch_retie,
	.sched_mode	= pmct_patch_sched_mode,
	.want		= pmct_patch_want,
	.may_access	= pmcs_may_access,
	.may_count	= pmcs_may_count,
};
