// SPDX-License-Identifier: GPL-2.0-only
/*
 * Monitoring module "ipc_sampling": the speedup factor without a model (paper on PMCTrack, section
 * 4.1). It measures the speed of a thread on each core type while the thread runs there. The module
 * is passive: a scheduler moves threads. A metric tells the scheduler where a speed is missing.
 */
#include <linux/jiffies.h>
#include <linux/string.h>

#include "estimates.h"

/* Index of the core type that the thread should visit. Its own core type: no visit is needed. */
#define METRIC_WANTED	PMCT_METRIC_PRIVATE

/* A thread's speed is not measured in intervals with less time on the CPU. */
#define LEAST_NS	1000000

static unsigned int big;
module_param(big, uint, 0444);
MODULE_PARM_DESC(big, "index of the fast core type in /proc/pmc/info (default: 0)");

static unsigned int max_age_ms = 5000;
module_param(max_age_ms, uint, 0644);
MODULE_PARM_DESC(max_age_ms, "how long a speed is believed (default: 5000)");

static unsigned int guard_percent = 25;
module_param(guard_percent, uint, 0644);
MODULE_PARM_DESC(guard_percent, "a larger change of instructions per cycle begins a new phase (default: 25)");

enum { INSTR, CYCLES };

static const char *const events[] = { [INSTR] = "instr", [CYCLES] = "cycles" };
static const char *const sets[] = { "instr,cycles" };

/**
 * struct speed - the speed of a thread on a core type
 * @mips: instructions per microsecond, times 1000; 0: not known
 * @ipc: average in the phase
 * @when: jiffies of the last sample
 */
struct speed {
	u64 mips;
	struct pmct_average ipc;
	unsigned long when;
};

static int sampling_enable(struct monitoring_module *self)
{
	unsigned int nr = pmct_mmon_nr_core_types();

	if (nr < 2 || big >= nr) {
		pr_err("pmctrack: monitoring module ipc_sampling: %s\n", nr < 2 ?
		       "all CPUs of this machine are of one type" :
		       "there is no core type of index 'big'; see /proc/pmc/info");
		return nr < 2 ? -ENODEV : -EINVAL;
	}
	self->nr_virt = nr - 1;
	return configure_performance_counters_set(self, sets, ARRAY_SIZE(sets));
}

static bool is_known(const struct speed *s)
{
	return s->mips && time_before(jiffies, s->when + msecs_to_jiffies(max_age_ms));
}

static void publish(struct pmct_ctx *ctx, struct pmct_sample *sample, const struct speed *speeds)
{
	unsigned int type, n = 0, wanted = sample->rec->core_type;
	u64 sf;

	for (type = 0; type < pmct_mmon_nr_core_types(); type++) {
		if (!is_known(&speeds[type]))
			wanted = type;
		if (type == big)
			continue;
		if (is_known(&speeds[big]) && is_known(&speeds[type]) &&
		    pmct_ratio(speeds[big].mips, speeds[type].mips, PMCT_RATIO_SCALE, &sf)) {
			pmct_mmon_publish(ctx, pmct_sf_metric[n], sf, PMCT_ESTIMATED);
			pmct_sample_virt(sample, n, sf);
		} else {
			pmct_mmon_mark_stale(ctx, pmct_sf_metric[n]);
		}
		n++;
	}
	pmct_mmon_publish(ctx, METRIC_WANTED, wanted, PMCT_MEASURED);
}

static void sampling_on_new_sample(struct pmct_ctx *ctx, struct pmct_sample *sample)
{
	struct speed *speeds = pmct_mmon_data(ctx);
	unsigned int type = sample->rec->core_type, i;
	u64 instr, cycles, ipc, mips;

	if (type >= pmct_mmon_nr_core_types() || sample->rec->hw_ns < LEAST_NS ||
	    pmct_sample_count(sample, INSTR, &instr) ||
	    pmct_sample_count(sample, CYCLES, &cycles) ||
	    !pmct_ratio(instr, cycles, PMCT_RATIO_SCALE, &ipc) ||
	    !pmct_ratio(instr, sample->rec->hw_ns, 1000 * PMCT_RATIO_SCALE, &mips))
		return;
	/* In a new phase, the speeds on other core types are not valid any more. */
	if (pmct_average_guard(&speeds[type].ipc, ipc, guard_percent)) {
		for (i = 0; i < pmct_mmon_nr_core_types(); i++)
			speeds[i].mips = 0;
	}
	speeds[type].mips = mips;
	speeds[type].when = jiffies;
	publish(ctx, sample, speeds);
}

/* Another program begins, of which nothing is known. */
static void sampling_on_exec(struct pmct_ctx *ctx)
{
	unsigned int i;

	memset(pmct_mmon_data(ctx), 0, sizeof(struct speed) * PMCTRACK_MAX_CORE_TYPES);
	for (i = 0; i + 1 < pmct_mmon_nr_core_types(); i++)
		pmct_mmon_mark_stale(ctx, pmct_sf_metric[i]);
}

static struct monitoring_module ipc_sampling = {
	.name		= "ipc_sampling",
	.description	= "how many times faster a thread is on big cores, by visits to both",
	.owner		= THIS_MODULE,
	.events		= events,
	.nr_events	= ARRAY_SIZE(events),
	.virt		= pmct_sf_virt,
	.period_ms	= 100,
	.enable		= sampling_enable,
	.on_new_sample	= sampling_on_new_sample,
	.on_exec	= sampling_on_exec,
};

static_assert(sizeof(struct speed) * PMCTRACK_MAX_CORE_TYPES <= PMCT_MMON_DATA);

module_monitoring_module(ipc_sampling);

MODULE_ALIAS("pmctrack-mmon-ipc_sampling");
MODULE_DESCRIPTION("PMCTrack monitoring module: speedup factor by visits to all core types");
MODULE_AUTHOR("PMCTrack developers");
MODULE_LICENSE("GPL");
