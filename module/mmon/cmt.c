// SPDX-License-Identifier: GPL-2.0-only
/*
 * Monitoring module "cmt": how much of the last-level cache a thread's process uses, and how much
 * it reads from and writes to memory (paper on PMCTrack, section 4.3).
 */
#include <linux/kernel.h>

#include "../sensors/cache.h"

static char *policy = "fifo";
module_param(policy, charp, 0444);
MODULE_PARM_DESC(policy, "which free RMID an application gets: fifo (default), lifo or random");

static bool wait = true;
module_param(wait, bool, 0444);
MODULE_PARM_DESC(wait, "an RMID is given again only when the cache has no more lines of it than its share (default: yes)");

static const char *const policies[PMCT_RMID_NR_POLICIES] = {
	[PMCT_RMID_FIFO] = "fifo", [PMCT_RMID_LIFO] = "lifo", [PMCT_RMID_RANDOM] = "random",
};

static const enum pmct_metric cmt_metric[PMCT_NR_CACHE_EVENTS] = {
	[PMCT_CACHE_OCCUPANCY] = PMCT_METRIC_LLC_OCCUPANCY,
	[PMCT_CACHE_TOTAL] = PMCT_METRIC_MEM_BW_TOTAL,
	[PMCT_CACHE_LOCAL] = PMCT_METRIC_MEM_BW_LOCAL,
};

/* Threads of a process share an RMID. Little cache for one process shows that others use much. */
static const struct pmct_vcounter cmt_virt[PMCT_NR_CACHE_EVENTS] = {
	[PMCT_CACHE_OCCUPANCY] = {
		.name = "llc_usage", .unit = "bytes", .gauge = true, .sees_others = true,
		.description = "last-level cache that the process has, where the thread is",
	},
	[PMCT_CACHE_TOTAL] = {
		.name = "total_llc_bw", .unit = "bytes/s", .gauge = true, .sees_others = true,
		.description = "what the process moves between that cache and all memory",
	},
	[PMCT_CACHE_LOCAL] = {
		.name = "local_llc_bw", .unit = "bytes/s", .gauge = true, .sees_others = true,
		.description = "the same for memory of the CPU's own node",
	},
};

static const char *const cmt_events[] = { "instr", "cycles" };
static const char *const cmt_sets[] = { "instr,cycles" };

static int cmt_enable(struct monitoring_module *self)
{
	int chosen = match_string(policies, ARRAY_SIZE(policies), policy);
	int err;

	if (chosen < 0) {
		pr_err("pmctrack: monitoring module cmt: there is no policy '%s': fifo, lifo or random\n",
		       policy);
		return -EINVAL;
	}
	err = configure_performance_counters_set(self, cmt_sets, ARRAY_SIZE(cmt_sets)) ?:
	      pmct_cache_start(self->name, chosen, wait);
	/* Offer only the events that this hardware counts. */
	for (self->nr_virt = 0; !err && self->nr_virt < PMCT_NR_CACHE_EVENTS; self->nr_virt++) {
		if (!pmct_cache_has(self->nr_virt))
			break;
	}
	return err;
}

static void cmt_disable(struct monitoring_module *self)
{
	pmct_cache_stop();
}

static void cmt_on_enter(struct pmct_ctx *ctx, const struct pmct_ctx *parent)
{
	pmct_cache_on_enter(ctx, pmct_mmon_data(ctx));
}

static void cmt_on_exit(struct pmct_ctx *ctx)
{
	pmct_cache_on_exit(ctx, pmct_mmon_data(ctx));
}

static void cmt_on_switch_in(struct pmct_ctx *ctx, int cpu)
{
	pmct_cache_on_switch_in(ctx, pmct_mmon_data(ctx));
}

static void cmt_on_switch_out(struct pmct_ctx *ctx, int cpu)
{
	pmct_cache_on_switch_out();
}

static void cmt_on_tick(struct pmct_ctx *ctx, int cpu)
{
	pmct_cache_on_tick(ctx, pmct_mmon_data(ctx));
}

static void cmt_on_new_sample(struct pmct_ctx *ctx, struct pmct_sample *sample)
{
	struct pmct_cache_interval interval;
	unsigned int i;

	pmct_cache_sample(ctx, pmct_mmon_data(ctx), &interval);
	for (i = 0; i < PMCT_NR_CACHE_EVENTS; i++) {
		if (interval.mask & BIT(i)) {
			pmct_mmon_publish(ctx, cmt_metric[i], interval.value[i], PMCT_MEASURED);
			pmct_sample_virt(sample, i, interval.value[i]);
		} else {
			pmct_mmon_mark_stale(ctx, cmt_metric[i]);
		}
	}
}

static void cmt_show_state(const struct monitoring_module *self, struct seq_file *m)
{
	pmct_cache_show(m);
}

static struct monitoring_module cmt = {
	.name		= "cmt",
	.description	= "last-level cache and memory bandwidth of each process",
	.owner		= THIS_MODULE,
	.events		= cmt_events,
	.nr_events	= ARRAY_SIZE(cmt_events),
	.virt		= cmt_virt,
	.period_ms	= 100,
	.enable		= cmt_enable,
	.disable	= cmt_disable,
	.show_state	= cmt_show_state,
	.on_enter	= cmt_on_enter,
	.on_exit	= cmt_on_exit,
	.on_switch_in	= cmt_on_switch_in,
	.on_switch_out	= cmt_on_switch_out,
	.on_tick	= cmt_on_tick,
	.on_new_sample	= cmt_on_new_sample,
};

static_assert(sizeof(struct pmct_cache_thread) <= PMCT_MMON_DATA);

module_monitoring_module(cmt);

MODULE_ALIAS("pmctrack-mmon-cmt");
MODULE_DESCRIPTION("PMCTrack monitoring module: last-level cache and memory bandwidth");
MODULE_AUTHOR("PMCTrack developers");
MODULE_LICENSE("GPL");
