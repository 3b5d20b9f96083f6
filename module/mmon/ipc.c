// SPDX-License-Identifier: GPL-2.0-only
/*
 * Monitoring module "ipc": instructions per cycle of each thread. The smallest
 * useful one, and the example of Documentation/writing-a-monitoring-module.md.
 */
#include <linux/math64.h>
#include <pmctrack/mmon.h>

/* The same two counters, whatever else users may count: cycles come first. */
#if defined(CONFIG_ARM64)
#define IPC_CYCLES	0
#define IPC_INSTR	1
static const char *const ipc_sets[] = { "pmc0,pmc1=0x8" };
#else
#error "pmctrack: the ipc module has no event codes for this architecture"
#endif

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
	u64 cycles, ipc;

	/* What a user counts instead may be anything. A core type may have no set. */
	if (!sample->own_sets || sample->rec->nr_counts != 2)
		return;
	cycles = sample->rec->counts[IPC_CYCLES];
	/* An interval without cycles says nothing. */
	if (!cycles)
		return;
	ipc = div64_u64(sample->rec->counts[IPC_INSTR] * 1000, cycles);
	pmct_mmon_publish(ctx, PMCT_METRIC_IPC, ipc);
	pmct_sample_virt(sample, 0, ipc);
}

static struct monitoring_module ipc = {
	.name		= "ipc",
	.description	= "instructions per cycle",
	.owner		= THIS_MODULE,
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
