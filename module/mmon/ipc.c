// SPDX-License-Identifier: GPL-2.0-only
/*
 * Monitoring module "ipc": instructions per cycle of each thread. It is the smallest useful module,
 * and the example of Documentation/writing-a-monitoring-module.md.
 */
#include <pmctrack/mmon.h>

#include "mmon-common.h"

enum { INSTR, CYCLES };

static const char *const ipc_events[] = { [INSTR] = "instr", [CYCLES] = "cycles" };
static const char *const ipc_sets[] = { "instr,cycles" };

static const struct pmct_vcounter ipc_virt[] = {
	{
		.name = "ipc",
		.unit = "milli",
		.description = "instructions per 1000 cycles",
		.gauge = true,
		.needs_sets = true,
	},
};

static int ipc_enable(struct monitoring_module *self)
{
	return configure_performance_counters_set(self, ipc_sets, ARRAY_SIZE(ipc_sets));
}

static void ipc_on_new_sample(struct pmct_ctx *ctx, struct pmct_sample *sample)
{
	u64 instr, cycles, ipc;

	/* A user may count other events instead. */
	if (pmct_sample_count(sample, INSTR, &instr) || pmct_sample_count(sample, CYCLES, &cycles))
		return;
	/* An interval without cycles has no IPC. */
	if (!pmct_ratio(instr, cycles, PMCT_RATIO_SCALE, &ipc))
		return;
	pmct_mmon_publish(ctx, PMCT_METRIC_IPC, ipc, PMCT_MEASURED);
	pmct_sample_virt(sample, 0, ipc);
}

static struct monitoring_module ipc = {
	.name		= "ipc",
	.description	= "instructions per cycle",
	.owner		= THIS_MODULE,
	.events		= ipc_events,
	.nr_events	= ARRAY_SIZE(ipc_events),
	.virt		= ipc_virt,
	.nr_virt	= ARRAY_SIZE(ipc_virt),
	.enable		= ipc_enable,
	.on_new_sample	= ipc_on_new_sample,
};

module_monitoring_module(ipc);

MODULE_ALIAS("pmctrack-mmon-ipc");
MODULE_DESCRIPTION("PMCTrack monitoring module: instructions per cycle");
MODULE_AUTHOR("PMCTrack developers");
MODULE_LICENSE("GPL");
