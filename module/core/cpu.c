// SPDX-License-Identifier: GPL-2.0-only
/* CPU hotplug, and loss and return of power. */
#include <linux/cpu_pm.h>
#include <linux/cpuhotplug.h>

#include "../compat/syscore.h"
#include "cpu.h"
#include "handover.h"
#include "mmon_call.h"
#include "owner.h"
#include "syswide.h"
#include "tie.h"
#include "turn.h"

static int pmct_hotplug_state;

/* Called before user threads run on a CPU that came (back) online. */
static int pmct_cpu_online(unsigned int cpu)
{
	unsigned long flags;

	if (pmct_backend->cpu_online)
		pmct_backend->cpu_online(cpu);
	pmct_mmon_note_cache();
	local_irq_save(flags);
	pmct_tie_forget_cpu();
	pmct_count_forget_cpu();
	if (pmct_backend->cpu_up)
		pmct_backend->cpu_up(cpu);
	this_cpu_ptr(&pmct_cpu)->core_type = pmct_backend->cpu_core_type(cpu);
	pmct_syswide_cpu_online(cpu);
	local_irq_restore(flags);
	return 0;
}

/*
 * Called when no user thread runs here any more, and the CPU is about to go offline. Kernel threads
 * still run, and may be monitored. From here on they run as on a CPU without counters.
 */
static int pmct_cpu_offline(unsigned int cpu)
{
	unsigned long flags;

	local_irq_save(flags);
	pmct_syswide_cpu_offline(cpu);
	pmct_tie_forget_cpu();
	pmct_count_power_down();
	pmct_count_forget_cpu();
	this_cpu_ptr(&pmct_cpu)->core_type = PMCT_NO_CORE_TYPE;
	if (pmct_backend->cpu_down)
		pmct_backend->cpu_down(cpu);
	local_irq_restore(flags);
	return 0;
}

/* In idle states and suspend that power the core down, its registers are lost. */
static int pmct_cpu_pm(struct notifier_block *nb, unsigned long action, void *data)
{
	switch (action) {
	case CPU_PM_ENTER:
		pmct_count_power_down();
		break;
	case CPU_PM_ENTER_FAILED:
	case CPU_PM_EXIT:
		pmct_count_power_up();
		break;
	}
	return NOTIFY_OK;
}

static struct notifier_block pmct_cpu_pm_nb = { .notifier_call = pmct_cpu_pm };

/**
 * pmct_cpu_init() - register callbacks for CPU hotplug and power
 *
 * Context: process context, may sleep; pmct_owner_init() was called.
 * Return: 0 or the error of the CPU hotplug machinery.
 */
int pmct_cpu_init(void)
{
	int state;

	state = cpuhp_setup_state(CPUHP_AP_ONLINE_DYN, "pmctrack:online", pmct_cpu_online,
				  pmct_cpu_offline);
	if (state < 0)
		return state;
	pmct_hotplug_state = state;
	cpu_pm_register_notifier(&pmct_cpu_pm_nb);
	/*
	 * The CPU that sleeps last gets no hotplug callback and, on x86, no notification from CPU
	 * PM. On other architectures it gets this notification, too, which does no harm.
	 */
	pmct_syscore_register(pmct_count_suspend, pmct_count_resume);
	return 0;
}

/* Undo pmct_cpu_init(). */
void pmct_cpu_exit(void)
{
	pmct_syscore_unregister();
	cpu_pm_unregister_notifier(&pmct_cpu_pm_nb);
	cpuhp_remove_state_nocalls(pmct_hotplug_state);
}

