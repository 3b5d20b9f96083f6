// SPDX-License-Identifier: GPL-2.0-only
/* Scheduling events of the PMCTrack kernel patch. Nothing else touches it. */
#include <linux/module.h>
#include <linux/sched.h>

#ifndef CONFIG_PMCTRACK
#error "this kernel has no PMCTrack hooks: apply kernel-patch/ and set CONFIG_PMCTRACK=y"
#endif
#include <linux/pmctrack.h>

#include "core.h"
#include "hooks.h"

static const struct pmc_ops pmct_hooks_ops = {
	.pmcs_alloc_per_thread_data	= pmct_ctx_fork,
	.pmcs_save_callback		= pmct_sched_out,
	.pmcs_restore_callback		= pmct_sched_in,
	.pmcs_any_switch		= pmct_syswide_switch,
	.pmcs_tbs_tick			= pmct_tick,
	.pmcs_exec_thread		= pmct_ctx_exec,
	.pmcs_exit_thread		= pmct_ctx_exit,
	.pmcs_free_per_thread_data	= pmct_ctx_free,
	.pmcs_get_current_metric_value	= pmct_sched_metric,
};

int pmct_hooks_register(void)
{
	return register_pmc_module(&pmct_hooks_ops, THIS_MODULE);
}

void pmct_hooks_unregister(void)
{
	unregister_pmc_module(&pmct_hooks_ops, THIS_MODULE);
}

void pmct_hooks_synchronize(void)
{
	pmcs_synchronize();
}

struct pmct_ctx *pmct_hooks_ctx(const struct task_struct *task)
{
	return READ_ONCE(task->pmc);
}

bool pmct_hooks_tie(struct task_struct *task, struct pmct_ctx *ctx)
{
	return !cmpxchg(&task->pmc, NULL, ctx);
}

void pmct_hooks_retie(struct task_struct *task, struct pmct_ctx *ctx)
{
	pmct_hooks_disable(task);
	WRITE_ONCE(task->pmc, ctx);
}

/*
 * Two writers at a time (attach, and the thread's exit) leave it enabled at
 * worst, for a thread without a context, which the callbacks tolerate.
 */
void pmct_hooks_enable(struct task_struct *task)
{
	pmcs_set_prof(task, PMCS_PROF_MODULE, true);
}

void pmct_hooks_disable(struct task_struct *task)
{
	pmcs_set_prof(task, PMCS_PROF_MODULE, false);
}

bool pmct_hooks_sched_mode(const struct task_struct *task)
{
	return pmcs_prof(task, PMCS_PROF_SCHED);
}

void pmct_hooks_any_switch(bool deliver)
{
	pmcs_deliver_switches(deliver);
}

bool pmct_hooks_may_access(struct task_struct *task)
{
	return pmcs_may_access(task);
}

bool pmct_hooks_may_count(void)
{
	return pmcs_may_count();
}
