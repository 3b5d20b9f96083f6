// SPDX-License-Identifier: GPL-2.0-only
/*
 * Monitoring module "quality_time": how much of its time alone a thread really got beside others
 * (Documentation/quality-time.md). Now and then, all others are held for a moment, so that the
 * thread's rate alone can be measured. This rate turns what the thread does beside others into time
 * alone.
 */
#include <linux/seq_file.h>
#include <linux/timekeeping.h>

#include "quality_sampler.h"

/* A rate is stale if it is older than this many sampling periods of a machine with one process. */
#define FRESH_SAMPLES	20

static char *event;
module_param(event, charp, 0444);
MODULE_PARM_DESC(event, "what progress is measured in: l1d_accesses, or instr (the first that this PMU counts by name)");

static const char *const events[] = {
	[PMCT_QUALITY_INSTR] = "instr", [PMCT_QUALITY_L1D] = "l1d_accesses",
	[PMCT_QUALITY_LLC_MISSES] = "llc_misses",
};

/* Without l1d_accesses, all phases look alike. */
static const char *const sets[] = {
	[PMCT_QUALITY_INSTR] = "instr,llc_misses",
	[PMCT_QUALITY_L1D] = "instr,l1d_accesses,llc_misses",
};

static enum pmct_quality_event counted;

enum { VIRT_TIME, VIRT_EXPLAINED, VIRT_QUALITY, VIRT_AGE, VIRT_WAITED };

static const struct pmct_vcounter virt[] = {
	[VIRT_TIME] = {
		.name = "quality_time", .unit = "ns", .sees_others = true, .needs_sets = true,
		.description = "time that the interval would have taken alone",
	},
	[VIRT_EXPLAINED] = {
		.name = "explained", .unit = "ns", .sees_others = true, .needs_sets = true,
		.description = "CPU time of the interval that quality_time is about",
	},
	[VIRT_QUALITY] = {
		.name = "quality", .unit = "milli", .gauge = true, .sees_others = true,
		.needs_sets = true, .description = "Quality Time over CPU time of the interval",
	},
	[VIRT_AGE] = {
		.name = "sample_age", .unit = "ms", .gauge = true, .sees_others = true,
		.needs_sets = true, .description = "age of the last sample alone that was used",
	},
	[VIRT_WAITED] = {
		.name = "waited", .unit = "ns", .sees_others = true, .needs_sets = true,
		.description = "time in run queues, by the kernel's accounting (schedstat)",
	},
};

static u64 fresh_ns(void)
{
	u64 period_us = pmct_quality_hold_us * 1000ULL / pmct_quality_budget;

	return period_us * NSEC_PER_USEC * FRESH_SAMPLES;
}

static int count_by(struct monitoring_module *self, enum pmct_quality_event by)
{
	counted = by;
	return configure_performance_counters_set(self, &sets[by], 1);
}

/* Use the user's event, or the best available one. Few PMUs have a portable name for accesses. */
static int choose_event(struct monitoring_module *self)
{
	int i, err;

	if (event) {
		i = match_string(events, PMCT_QUALITY_LLC_MISSES, event);
		if (i >= 0)
			return count_by(self, i);
		pr_err("pmctrack: monitoring module %s: event=%s: only instr and l1d_accesses do not depend on others\n",
		       self->name, event);
		return -EINVAL;
	}
	err = count_by(self, PMCT_QUALITY_L1D);
	if (!err)
		return 0;
	pr_info("pmctrack: monitoring module %s: progress is measured in instructions\n",
		self->name);
	return count_by(self, PMCT_QUALITY_INSTR);
}

static int quality_enable(struct monitoring_module *self)
{
	int err = choose_event(self);

	if (err)
		return err;
	err = pmct_quality_sampler_start();
	if (err)
		pr_err("pmctrack: monitoring module %s: hold_us is 500 to 10000, budget 1 to 200\n",
		       self->name);
	return err;
}

static void quality_disable(struct monitoring_module *self)
{
	pmct_quality_sampler_stop();
}

static void quality_on_enter(struct pmct_ctx *ctx, const struct pmct_ctx *parent)
{
	struct quality_thread *t = pmct_mmon_data(ctx);

	pmct_mmon_waited(ctx, &t->waited_ns);
}

static void quality_on_switch_in(struct pmct_ctx *ctx, int cpu)
{
	pmct_quality_sampler_enter(ctx, pmct_mmon_data(ctx));
}

static void quality_on_switch_out(struct pmct_ctx *ctx, int cpu)
{
	pmct_quality_sampler_leave();
}

/* After a change of the core type, a sample that was not evaluated may be of either type. */
static void use_core_type(struct quality_thread *t, u8 core_type)
{
	if (t->a.core_type != core_type)
		t->sample = 0;
	pmct_quality_use(&t->a, core_type, counted);
}

static void quality_on_tick(struct pmct_ctx *ctx, int cpu)
{
	struct quality_thread *t = pmct_mmon_data(ctx);
	struct pmct_quality_part all;

	/* No on_switch_in() came for a thread that ran when its monitoring or the module began. */
	if (!pmct_quality_sampler_is_here(ctx))
		quality_on_switch_in(ctx, cpu);
	use_core_type(t, pmct_mmon_core_type_now(ctx));
	pmct_quality_sampler_finish(t, counted);
	if (!pmct_quality_now(ctx, &all))
		return;
	pmct_quality_see(&t->a, &all);
	pmct_quality_explain(&t->a, counted, false);
}

static void report(struct pmct_ctx *ctx, struct quality_thread *t, struct pmct_sample *sample)
{
	u64 age = ktime_get_mono_fast_ns() - t->a.rated_ns;
	u64 got = t->a.q.quality_ns - t->reported_ns;
	u64 cpu_ns = t->a.q.cpu_ns - t->explained_ns;
	enum pmct_confidence confidence = age > fresh_ns() ? PMCT_STALE : PMCT_ESTIMATED;
	u32 quality;

	pmct_sample_virt(sample, VIRT_AGE, div_u64(age, NSEC_PER_MSEC));
	/* No rate explains the interval. */
	if (!cpu_ns) {
		pmct_mmon_mark_stale(ctx, PMCT_METRIC_QUALITY);
		pmct_mmon_mark_stale(ctx, PMCT_METRIC_QUALITY_TIME);
		return;
	}
	quality = div64_u64(got * 1000, cpu_ns);
	t->reported_ns = t->a.q.quality_ns;
	t->explained_ns = t->a.q.cpu_ns;
	pmct_mmon_publish(ctx, PMCT_METRIC_QUALITY, quality, confidence);
	pmct_mmon_publish(ctx, PMCT_METRIC_QUALITY_TIME, t->a.q.quality_ns, confidence);
	pmct_sample_virt(sample, VIRT_TIME, got);
	pmct_sample_virt(sample, VIRT_EXPLAINED, cpu_ns);
	pmct_sample_virt(sample, VIRT_QUALITY, quality);
}

/* Report how long the thread waited for a CPU. */
static void report_waiting(const struct pmct_ctx *ctx, struct quality_thread *t,
			   struct pmct_sample *sample)
{
	u64 ns;

	if (!pmct_mmon_waited(ctx, &ns))
		return;
	pmct_sample_virt(sample, VIRT_WAITED, ns - t->waited_ns);
	t->waited_ns = ns;
}

static void quality_on_new_sample(struct pmct_ctx *ctx, struct pmct_sample *sample)
{
	struct quality_thread *t = pmct_mmon_data(ctx);
	unsigned int i;
	u64 count;

	report_waiting(ctx, t, sample);
	if (!sample->own_sets)
		return;
	for (i = 0; i < PMCT_QUALITY_NR; i++) {
		if (!pmct_sample_count(sample, i, &count))
			t->closed.count[i] += count;
	}
	t->closed.ns += sample->rec->hw_ns;
	use_core_type(t, sample->rec->core_type);
	pmct_quality_see(&t->a, &t->closed);
	pmct_quality_explain(&t->a, counted, sample->rec->kind == PMCTRACK_RECORD_EXIT);
	if (t->a.rated_ns)
		report(ctx, t, sample);
}

static void quality_on_exit(struct pmct_ctx *ctx)
{
	pmct_quality_sampler_forget(ctx);
}

static void quality_show_state(const struct monitoring_module *self, struct seq_file *m)
{
	const struct quality_stats *s = &pmct_quality_stats;

	seq_printf(m, "event=%s hold_us=%u budget=%u asked=%llu nobody=%llu busy=%llu begun=%llu good=%lld switched=%lld late=%lld useless=%lld\n",
		   events[counted], pmct_quality_hold_us, pmct_quality_budget, s->asked,
		   s->nobody, s->busy, s->begun, atomic64_read(&s->good),
		   atomic64_read(&s->switched), atomic64_read(&s->late),
		   atomic64_read(&s->useless));
}

static struct monitoring_module quality_time = {
	.name		= "quality_time",
	.description	= "how much of its time alone a thread got beside others, by samples alone",
	.owner		= THIS_MODULE,
	.events		= events,
	.nr_events	= ARRAY_SIZE(events),
	.virt		= virt,
	.nr_virt	= ARRAY_SIZE(virt),
	.enable		= quality_enable,
	.disable	= quality_disable,
	.on_enter	= quality_on_enter,
	.on_switch_in	= quality_on_switch_in,
	.on_switch_out	= quality_on_switch_out,
	.on_tick	= quality_on_tick,
	.on_new_sample	= quality_on_new_sample,
	.on_exit	= quality_on_exit,
	.show_state	= quality_show_state,
};

static int __init quality_init(void)
{
	BUILD_BUG_ON(sizeof(struct quality_thread) > PMCT_MMON_DATA);
	return register_monitoring_module(&quality_time);
}

static void __exit quality_exit(void)
{
	unregister_monitoring_module(&quality_time);
}

module_init(quality_init);
module_exit(quality_exit);

MODULE_ALIAS("pmctrack-mmon-quality_time");
MODULE_DESCRIPTION("PMCTrack monitoring module: Quality Time");
MODULE_AUTHOR("PMCTrack developers");
MODULE_LICENSE("GPL");
