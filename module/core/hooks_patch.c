// SPDX-License-Identifier: GPL-2.0-only
/* Scheduling events of the PMCTrack kernel patch. */
#include <linux/module.h>

#include "count.h"
#include "ctx.h"
#include "hooks.h"
#include "mmon_call.h"
#include "syswide.h"
#include "tie.h"

static void *pmct_patch_fork(unsigned long clone_flags, struct task_struct *child)
{
	might_sleep();

	return pmct_ctx_fork(child, clone_flags & CLONE_THREAD, GFP_KERNEL);
}

static const struct pmc_ops pmct_patch_ops = {
	.pmcs_alloc_per_thread_data	= pmct_patch_fork,
	.pmcs_save_callback		= pmct_sched_out,
	.pmcs_restore_callback		= pmct_sched_in,
	.pmcs_any_switch		= pmct_syswide_switch,
	.pmcs_tbs_tick			= pmct_tick,
	.pmcs_exec_thread		= pmct_ctx_exec,
	.pmcs_exit_thread		= pmct_ctx_exit,
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
	WRITE_ONCE(task->pmc, ctx);
}

static bool pmct_patch_sched_mode(const struct task_struct *task)
{
	return pmcs_prof(task, PMCS_PROF_SCHED);
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
	.may_access	= pmcs_may_access,
	.may_count	= pmcs_may_count,
};
