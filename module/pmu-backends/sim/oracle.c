// SPDX-License-Identifier: GPL-2.0-only
/*
 * For tests and experiments: the monitoring module "oracle" publishes the true speedup factor of
 * simulated threads, and which part of their speed alone they have beside others. The simulated
 * machine tells it. With this module, a policy shows the most that it could do with a perfect
 * model.
 */
#include <pmctrack/mmon.h>

#include "machine.h"
#include "../../mmon/estimates.h"

/* With less work, values are not exact enough, because work alone is followed in pieces. */
#define LEAST_PS	1000000000ULL

static const char *const events[] = { "instr" };
static const char *const sets[] = { "instr" };

/**
 * struct truth - the truth about a thread
 * @alone_ps: time of its work so far, if done alone on each core type, at the last sample
 * @ran_ps: time that the work took
 * @core_type: where the thread was then
 * @valid: there was such a sample, and the thread has not been on another core type since
 */
struct truth {
	u64 alone_ps[PMCT_SIM_TYPES];
	u64 ran_ps;
	unsigned int core_type;
	bool valid;
};

static int oracle_enable(struct monitoring_module *self)
{
	unsigned int nr = pmct_mmon_nr_core_types();

	if (nr < 2 || nr != pmct_sim_machine_topology()->nr_types) {
		pr_err("pmctrack: monitoring module oracle: it needs a simulated machine with several core types\n");
		return -ENODEV;
	}
	self->nr_virt = nr - 1;
	return configure_performance_counters_set(self, sets, ARRAY_SIZE(sets));
}

static void oracle_on_switch_in(struct pmct_ctx *ctx, int cpu)
{
	struct truth *t = pmct_mmon_data(ctx);

	if (pmct_sim_machine_topology()->cpu_type[cpu] != t->core_type)
		t->valid = false;
}

/* If all work since the last sample was on one core type, publish its speed over that alone. */
static void oracle_publish_quality(struct pmct_ctx *ctx, const struct truth *before,
				   const struct truth *now)
{
	unsigned int type = now->core_type;
	u64 quality;

	if (before->valid && type < PMCT_SIM_TYPES && type == before->core_type &&
	    pmct_ratio(now->alone_ps[type] - before->alone_ps[type], now->ran_ps - before->ran_ps,
		       PMCT_RATIO_SCALE, &quality))
		pmct_mmon_publish(ctx, PMCT_METRIC_QUALITY, min(quality, PMCT_RATIO_SCALE),
				  PMCT_MEASURED);
	else
		pmct_mmon_mark_stale(ctx, PMCT_METRIC_QUALITY);
}

static void oracle_on_new_sample(struct pmct_ctx *ctx, struct pmct_sample *sample)
{
	struct truth *before = pmct_mmon_data(ctx), now = { .valid = true };
	unsigned int type;
	u64 sf;

	now.core_type = sample->rec->core_type;
	/* In samples at switches, the thread has already left. */
	if (!pmct_sim_machine_alone(now.alone_ps, &now.ran_ps) ||
	    now.alone_ps[0] - before->alone_ps[0] < LEAST_PS)
		return;
	for (type = 1; type < pmct_mmon_nr_core_types(); type++) {
		if (!pmct_ratio(now.alone_ps[type] - before->alone_ps[type],
				now.alone_ps[0] - before->alone_ps[0], PMCT_RATIO_SCALE, &sf))
			continue;
		pmct_mmon_publish(ctx, pmct_sf_metric[type - 1], sf, PMCT_MEASURED);
		pmct_sample_virt(sample, type - 1, sf);
	}
	oracle_publish_quality(ctx, before, &now);
	*before = now;
}

static struct monitoring_module oracle = {
	.name		= "oracle",
	.description	= "for experiments: the true speedup factor of simulated threads",
	.owner		= THIS_MODULE,
	.events		= events,
	.nr_events	= ARRAY_SIZE(events),
	.virt		= pmct_sf_virt,
	.period_ms	= 100,
	.enable		= oracle_enable,
	.on_switch_in	= oracle_on_switch_in,
	.on_new_sample	= oracle_on_new_sample,
};

static_assert(sizeof(struct truth) <= PMCT_MMON_DATA);

module_monitoring_module(oracle);

MODULE_DESCRIPTION("PMCTrack monitoring module: true speedup factor of simulated threads");
MODULE_AUTHOR("PMCTrack developers");
MODULE_LICENSE("GPL");
