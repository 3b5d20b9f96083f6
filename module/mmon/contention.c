// SPDX-License-Identifier: GPL-2.0-only
/*
 * Monitoring module "contention": which part of its speed alone a thread reaches beside others that
 * use the same cache and memory, and its speedup factor. Both are from models of the counts of the
 * core type on which the thread runs (Documentation/models.md).
 *
 * Contention adds stalls that wait for data to a thread's time. The model estimates which part of
 * these stalls would be there alone. The rest of the time does not change. The thread's counts do
 * not show whether others caused its misses, so the model also gets the misses of others in the
 * same time.
 */
#include <linux/cpumask.h>
#include <linux/minmax.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/time64.h>

#include "estimates.h"
#include "neighbours.h"

static bool training;
module_param(training, bool, 0444);
MODULE_PARM_DESC(training, "only say what others miss, without models, as pmctrack-train needs it");

#define GIVEN	"others_llc_misses"

/* Virtual counters; the speedup factors of all small core types come last. */
enum { VIRT_OTHERS, VIRT_QUALITY, VIRT_SF };

#define VIRT(_name, _unit, _description)			\
	{							\
		.name = _name,					\
		.unit = _unit,					\
		.description = _description,			\
		.sees_others = true,				\
	}
#define ESTIMATE(_name, _description)				\
	{							\
		.name = _name,					\
		.unit = "milli",				\
		.description = _description,			\
		.gauge = true,					\
		.sees_others = true,				\
		.needs_sets = true,				\
	}

static const struct pmct_vcounter virt[] = {
	[VIRT_OTHERS] = VIRT(GIVEN, "", "misses of others in this cache, by their last rates"),
	[VIRT_QUALITY] = ESTIMATE("quality", "speed over that without others, in thousandths"),
	[VIRT_SF] = ESTIMATE("sf", "speed on big cores over that on small ones, in thousandths"),
	[VIRT_SF + 1] = ESTIMATE("sf_2", "the same, for the second type of small cores"),
	[VIRT_SF + 2] = ESTIMATE("sf_3", "the same, for the third type of small cores"),
};

static_assert(ARRAY_SIZE(virt) == VIRT_SF + PMCT_MAX_SMALL);

/**
 * struct thread - what is known of a thread
 * @round: its samples
 * @rate: misses of the last-level cache per ms, in the thread's last sample that counted them
 * @cpu: where the thread ran last
 */
struct thread {
	struct pmct_round round;
	u32 rate;
	int cpu;
};

/**
 * struct running - what runs on a CPU
 * @ctx: the thread that runs there, if it is monitored; for comparison only
 * @tgid: its process
 * @rate: the thread's rate
 *
 * The CPU writes, others read. Members that are read together may be of different moments.
 */
struct running {
	const struct pmct_ctx *ctx;
	pid_t tgid;
	u32 rate;
};

static DEFINE_PER_CPU_SHARED_ALIGNED(struct running, running);
/* Valid while the module is active. */
static struct pmct_neighbours neighbours;

static struct pmct_models models = { .given = GIVEN };
static struct pmct_estimate sf = {
	.kind = "speedup_factor",
	.metric = pmct_sf_metric,
	.first = VIRT_SF,
};

/**
 * struct undisturbed - how to compute the quality from a core type's model
 * @output: the part of stalls for data that would be there alone, in thousandths
 * @stalls: index of the feature that is the part of the time in such stalls
 */
static struct undisturbed {
	const struct pmct_output *output;
	unsigned int stalls;
} undisturbed[PMCTRACK_MAX_CORE_TYPES];

/* Scale of the feature stall_backend over cycles. */
#define STALLS_SCALE	10000

/* The events that are counted without a model. */
enum { INSTR, CYCLES, LLC_MISSES };

static const char *const events[] = {
	[INSTR] = "instr", [CYCLES] = "cycles", [LLC_MISSES] = "llc_misses",
};

static const char *const sets[] = { "instr,cycles,llc_misses" };

/* Index of "llc_misses" in monitoring_module::events. Valid while the module is active. */
static unsigned int llc_misses;

static void forget_cpus(void)
{
	int cpu;

	for_each_possible_cpu(cpu)
		memset(per_cpu_ptr(&running, cpu), 0, sizeof(struct running));
}

/* Returns the index of the feature @part over @whole of a model, or -ENODATA. */
static int find_feature(const struct pmct_regression *model, const char *part, const char *whole,
			u32 scale)
{
	int i;

	for (i = 0; i < model->nr_features; i++) {
		const struct pmct_feature *f = &model->feature[i];

		if (!strcmp(model->event[f->part], part) &&
		    !strcmp(model->event[f->whole], whole) && f->scale == scale)
			return i;
	}
	return -ENODATA;
}

static int find_outputs(const struct monitoring_module *self)
{
	unsigned int type;
	int stalls;

	for (type = 0; type < pmct_mmon_nr_core_types(); type++) {
		undisturbed[type].output = pmct_models_output(&models, type, "undisturbed", type);
		stalls = find_feature(models.of_type[type], "stall_backend", "cycles",
				      STALLS_SCALE);
		if (!undisturbed[type].output || stalls < 0) {
			pr_err("pmctrack: monitoring module %s: the model for %s does not say how threads disturb each other: train it anew\n",
			       self->name, pmct_mmon_core_type(type));
			return -ENODATA;
		}
		undisturbed[type].stalls = stalls;
	}
	for (llc_misses = 0; llc_misses < self->nr_events; llc_misses++) {
		if (!strcmp(self->events[llc_misses], "llc_misses"))
			return 0;
	}
	pr_err("pmctrack: monitoring module %s: its models do not count llc_misses: train them anew\n",
	       self->name);
	return -ENODATA;
}

static int enable_with_models(struct monitoring_module *self)
{
	int nr = pmct_models_enable(&models, self) ?:
		 pmct_estimate_enable(&sf, &models, self->name);
	int err = nr < 0 ? nr : find_outputs(self);

	self->nr_virt = VIRT_SF + max(nr, 0);
	return err;
}

static int enable_for_training(struct monitoring_module *self)
{
	self->events = events;
	self->nr_events = ARRAY_SIZE(events);
	self->nr_virt = VIRT_OTHERS + 1;
	llc_misses = LLC_MISSES;
	return configure_performance_counters_set(self, sets, ARRAY_SIZE(sets));
}

static void contention_disable(struct monitoring_module *self)
{
	pmct_neighbours_free(&neighbours);
}

static int contention_enable(struct monitoring_module *self)
{
	int err = pmct_neighbours_find(&neighbours);

	if (err)
		return err;
	forget_cpus();
	err = training ? enable_for_training(self) : enable_with_models(self);
	if (err)
		contention_disable(self);
	return err;
}

static void contention_on_switch_in(struct pmct_ctx *ctx, int cpu)
{
	const struct task_struct *task = pmct_mmon_task(ctx);
	struct running *r = this_cpu_ptr(&running);
	struct thread *t = pmct_mmon_data(ctx);

	t->cpu = cpu;
	/* A context of a CPU is no thread. */
	if (!task)
		return;
	WRITE_ONCE(r->rate, t->rate);
	WRITE_ONCE(r->tgid, task->tgid);
	WRITE_ONCE(r->ctx, ctx);
}

static void contention_on_switch_out(struct pmct_ctx *ctx, int cpu)
{
	WRITE_ONCE(*this_cpu_ptr(&running.ctx), NULL);
}

/* No on_switch_in() came for a thread that ran when its monitoring or the module began. */
static void contention_on_tick(struct pmct_ctx *ctx, int cpu)
{
	if (__this_cpu_read(running.ctx) != ctx)
		contention_on_switch_in(ctx, cpu);
}

/*
 * Returns the misses of others on the cache of CPU @here in @ns, at their last known rates. The
 * thread's own process is not counted, because it would disturb the thread alone, too.
 */
static u64 misses_of_others(const struct pmct_ctx *ctx, unsigned int here, u64 ns)
{
	const struct task_struct *task = pmct_mmon_task(ctx);
	unsigned int cpu;
	u64 rate = 0;

	for_each_set_bit(cpu, pmct_neighbours_of(&neighbours, here), nr_cpu_ids) {
		const struct running *r = per_cpu_ptr(&running, cpu);

		if (READ_ONCE(r->ctx) && !(task && READ_ONCE(r->tgid) == task->tgid))
			rate += READ_ONCE(r->rate);
	}
	return rate * div_u64(ns, NSEC_PER_USEC) / USEC_PER_MSEC;
}

/* Store the thread's own misses, which others see from now on. */
static void note_misses(struct pmct_ctx *ctx, struct thread *t, const struct pmct_sample *sample)
{
	u64 misses, rate;

	if (sample->rec->hw_ns < PMCT_ROUND_LEAST_NS ||
	    sample->rec->flags & PMCTRACK_RECORD_F_DISTURBED ||
	    pmct_sample_count(sample, llc_misses, &misses) ||
	    !pmct_ratio(misses, sample->rec->hw_ns, NSEC_PER_MSEC, &rate))
		return;
	t->rate = min_t(u64, rate, U32_MAX);
	if (__this_cpu_read(running.ctx) == ctx)
		WRITE_ONCE(*this_cpu_ptr(&running.rate), t->rate);
}

static void publish_quality(struct pmct_ctx *ctx, const struct thread *t,
			    struct pmct_sample *sample)
{
	const struct pmct_round *round = &t->round;
	const struct undisturbed *u = &undisturbed[round->core_type];
	const struct pmct_regression *model = models.of_type[round->core_type];
	u32 alone = min(pmct_regression_eval(model, u->output, round->feature), 1000U);
	u32 stalls = min_t(u32, round->feature[u->stalls], STALLS_SCALE);
	u32 quality = 1000 - stalls * (1000 - alone) / STALLS_SCALE;

	pmct_mmon_publish(ctx, PMCT_METRIC_QUALITY, quality,
			  pmct_models_confidence(&models, round));
	pmct_sample_virt(sample, VIRT_QUALITY, quality);
}

static void mark_stale(struct pmct_ctx *ctx)
{
	pmct_estimate_mark_stale(&sf, ctx);
	pmct_mmon_mark_stale(ctx, PMCT_METRIC_QUALITY);
}

static void contention_on_new_sample(struct pmct_ctx *ctx, struct pmct_sample *sample)
{
	struct thread *t = pmct_mmon_data(ctx);
	u64 misses;

	note_misses(ctx, t, sample);
	/* At a migration, the record's CPU is the new one already; on_switch_in() comes later. */
	misses = misses_of_others(ctx, sample->rec->kind == PMCTRACK_RECORD_MIGRATION ?
				  t->cpu : sample->rec->cpu, sample->rec->hw_ns);
	t->round.given = min_t(u64, misses, U32_MAX);
	pmct_sample_virt(sample, VIRT_OTHERS, misses);
	if (training)
		return;
	switch (pmct_models_sample(&models, &t->round, sample)) {
	case PMCT_ROUND_COMPLETE:
		pmct_estimate_publish(&sf, &models, &t->round, ctx, sample);
		publish_quality(ctx, t, sample);
		break;
	case PMCT_ROUND_STALE:
		mark_stale(ctx);
		break;
	case PMCT_ROUND_GOES_ON:
		break;
	}
}

/* The thread executes another program from now on. */
static void contention_on_exec(struct pmct_ctx *ctx)
{
	struct thread *t = pmct_mmon_data(ctx);

	memset(&t->round, 0, sizeof(t->round));
	if (!training)
		mark_stale(ctx);
}

/* The thread may be running, here or elsewhere. Then no callback comes when it leaves the CPU. */
static void contention_on_exit(struct pmct_ctx *ctx)
{
	const struct thread *t = pmct_mmon_data(ctx);

	(void)cmpxchg(&per_cpu_ptr(&running, t->cpu)->ctx, ctx, NULL);
}

static int contention_load_model(struct monitoring_module *self, char *text, struct pmct_msg *msg)
{
	return pmct_models_load(&models, self->name, text, msg);
}

static void contention_show_models(const struct monitoring_module *self, struct seq_file *m)
{
	pmct_models_show(&models, m);
}

static struct monitoring_module contention = {
	.name		= "contention",
	.description	= "how much of its speed alone a thread has beside others, by a model",
	.owner		= THIS_MODULE,
	.virt		= virt,
	.period_ms	= 50,
	.enable		= contention_enable,
	.disable	= contention_disable,
	.on_switch_in	= contention_on_switch_in,
	.on_switch_out	= contention_on_switch_out,
	.on_tick	= contention_on_tick,
	.on_new_sample	= contention_on_new_sample,
	.on_exec	= contention_on_exec,
	.on_exit	= contention_on_exit,
	.load_model	= contention_load_model,
	.show_models	= contention_show_models,
};

static int __init contention_init(void)
{
	BUILD_BUG_ON(sizeof(struct thread) > PMCT_MMON_DATA);
	return register_monitoring_module(&contention);
}

static void __exit contention_exit(void)
{
	unregister_monitoring_module(&contention);
	pmct_models_free(&models);
}

module_init(contention_init);
module_exit(contention_exit);

MODULE_ALIAS("pmctrack-mmon-contention");
MODULE_DESCRIPTION("PMCTrack monitoring module: contention for caches and memory");
MODULE_AUTHOR("PMCTrack developers");
MODULE_LICENSE("GPL");
