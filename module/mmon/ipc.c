// SPDX-License-Identifier: GPL-2.0-only
/*
 * Monitoring module "ipc": instructions per cycle of each thread. The smallest
 * useful one, and the example of Documentation/writing-a-monitoring-module.md.
 */
#include <linux/math64.h>
#include <linux/string.h>
#include <pmctrack/mmon.h>

/* Two counters: what to write, and which of them counts what. */
static const struct ipc_pmu {
	const char *name;
	const char *sets[1];
	u8 instr;
	u8 cycles;
} ipc_pmus[] = {
	{ "arm64-pmuv3", { "pmc0,pmc1=0x8" }, 1, 0 },
	{ "x86-intel", { "pmc0,pmc1" }, 0, 1 },
	{ "x86-amd", { "pmc0=0xc0,pmc1=0x76" }, 0, 1 },
	{ "perf", { "pmc0=0x1,pmc1=0x0" }, 0, 1 },
};

static const struct ipc_pmu *ipc_pmu;

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
	const char *name = pmct_mmon_pmu();
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(ipc_pmus); i++) {
		if (!strcmp(ipc_pmus[i].name, name)) {
			ipc_pmu = &ipc_pmus[i];
			return configure_performance_counters_set(self, ipc_pmu->sets, 1);
		}
	}
	pr_err("pmctrack: ipc: no event codes for the counters of %s\n", name);
	return -ENODEV;
}

static void ipc_on_new_sample(struct pmct_ctx *ctx, struct pmct_sample *sample)
{
	u64 cycles, ipc;

	/* What a user counts instead may be anything. A core type may have no set. */
	if (!sample->own_sets || sample->rec->nr_counts != 2)
		return;
	cycles = sample->rec->counts[ipc_pmu->cycles];
	/* An interval without cycles says nothing. */
	if (!cycles)
		return;
	ipc = div64_u64(sample->rec->counts[ipc_pmu->instr] * 1000, cycles);
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
