// SPDX-License-Identifier: GPL-2.0-only
/*
 * Monitoring module "ef": on which core type a thread's work takes the least energy-delay product
 * (paper on PMCTrack, section 4.2). It uses models, like "speedup_factor". Because one module is
 * active at a time, it also provides the speedup factor and the energy of the machine's meters.
 */
#include <linux/string.h>

#include "energy-common.h"
#include "estimates.h"

/* Sampling period of threads in scheduler mode. */
#define PERIOD_MS	200

static const enum pmct_metric ef_metric[PMCT_MAX_SMALL] = {
	PMCT_METRIC_EF, PMCT_METRIC_EF_2, PMCT_METRIC_EF_3,
};

static const struct pmct_vcounter ef_estimates[PMCT_MAX_SMALL] = {
	PMCT_ESTIMATE_VIRT("ef", "EDP on small cores over that on big ones, in thousandths"),
	PMCT_ESTIMATE_VIRT("ef_2", "the same, for the second type of small cores"),
	PMCT_ESTIMATE_VIRT("ef_3", "the same, for the third type of small cores"),
};

/* First the factors of all types of small cores, then the virtual counters of "energy". */
static struct pmct_vcounter ef_virt[2 * PMCT_MAX_SMALL + PMCT_ENERGY_NR_VIRT];
static unsigned int ef_first_energy;

static_assert(ARRAY_SIZE(ef_virt) <= PMCTRACK_MAX_VIRT);

/**
 * struct ef_thread - what the module knows of a thread
 * @round: samples for the model
 * @energy: energy that the thread has used
 */
struct ef_thread {
	struct pmct_round round;
	struct pmct_energy energy;
};

static_assert(sizeof(struct ef_thread) <= PMCT_MMON_DATA);

static struct pmct_models ef_models;
static struct pmct_estimate ef_sf = {
	.kind = "speedup_factor",
	.metric = pmct_sf_metric,
};

static struct pmct_estimate ef_ef = {
	.kind = "ef",
	.metric = ef_metric,
};

static int ef_enable(struct monitoring_module *self)
{
	int nr, err = pmct_models_enable(&ef_models, self);

	if (err)
		return err;
	nr = pmct_estimate_enable(&ef_sf, &ef_models, self->name);
	if (nr < 0)
		return nr;
	err = pmct_estimate_enable(&ef_ef, &ef_models, self->name);
	if (err < 0)
		return err;
	err = pmct_energy_start(self->name);
	if (err)
		return err;
	ef_ef.first = nr;
	ef_first_energy = 2 * nr;
	memcpy(ef_virt, pmct_sf_virt, nr * sizeof(*ef_virt));
	memcpy(&ef_virt[nr], ef_estimates, nr * sizeof(*ef_virt));
	self->nr_virt = ef_first_energy + pmct_energy_virt(&ef_virt[ef_first_energy]);
	self->period_ms = pmct_energy_period_ms(PERIOD_MS);
	return 0;
}

static void ef_disable(struct monitoring_module *self)
{
	pmct_energy_stop();
}

static void ef_on_enter(struct pmct_ctx *ctx, const struct pmct_ctx *parent)
{
	struct ef_thread *t = pmct_mmon_data(ctx);

	pmct_energy_on_enter(ctx, &t->energy);
}

static void ef_on_switch_in(struct pmct_ctx *ctx, int cpu)
{
	struct ef_thread *t = pmct_mmon_data(ctx);

	pmct_energy_on_switch_in(&t->energy);
}

static void ef_on_switch_out(struct pmct_ctx *ctx, int cpu)
{
	struct ef_thread *t = pmct_mmon_data(ctx);

	pmct_energy_on_switch_out(&t->energy);
}

static void ef_on_tick(struct pmct_ctx *ctx, int cpu)
{
	struct ef_thread *t = pmct_mmon_data(ctx);

	if (pmct_mmon_task(ctx))
		pmct_energy_on_tick(&t->energy);
}

static void ef_on_new_sample(struct pmct_ctx *ctx, struct pmct_sample *sample)
{
	struct ef_thread *t = pmct_mmon_data(ctx);

	pmct_energy_publish(ctx, &t->energy, sample, ef_first_energy, ef_models.instr);
	switch (pmct_models_sample(&ef_models, &t->round, sample)) {
	case PMCT_ROUND_COMPLETE:
		pmct_estimate_publish(&ef_sf, &ef_models, &t->round, ctx, sample);
		pmct_estimate_publish(&ef_ef, &ef_models, &t->round, ctx, sample);
		break;
	case PMCT_ROUND_STALE:
		pmct_estimate_mark_stale(&ef_sf, ctx);
		pmct_estimate_mark_stale(&ef_ef, ctx);
		break;
	case PMCT_ROUND_GOES_ON:
		break;
	}
}

/* The thread executes another program from now on. Its energy goes on. */
static void ef_on_exec(struct pmct_ctx *ctx)
{
	struct ef_thread *t = pmct_mmon_data(ctx);

	memset(&t->round, 0, sizeof(t->round));
	pmct_estimate_mark_stale(&ef_sf, ctx);
	pmct_estimate_mark_stale(&ef_ef, ctx);
}

static int ef_load_model(struct monitoring_module *self, char *text, struct pmct_msg *msg)
{
	return pmct_models_load(&ef_models, self->name, text, msg);
}

static void ef_show_models(const struct monitoring_module *self, struct seq_file *m)
{
	pmct_models_show(&ef_models, m);
}

static void ef_show_state(const struct monitoring_module *self, struct seq_file *m)
{
	pmct_energy_show(m);
}

static struct monitoring_module ef = {
	.name		= "ef",
	.description	= "speed and energy efficiency of big cores for a thread, by a model",
	.owner		= THIS_MODULE,
	.virt		= ef_virt,
	.enable		= ef_enable,
	.disable	= ef_disable,
	.show_state	= ef_show_state,
	.on_enter	= ef_on_enter,
	.on_switch_in	= ef_on_switch_in,
	.on_switch_out	= ef_on_switch_out,
	.on_tick	= ef_on_tick,
	.on_new_sample	= ef_on_new_sample,
	.on_exec	= ef_on_exec,
	.load_model	= ef_load_model,
	.show_models	= ef_show_models,
};

static int __init ef_init(void)
{
	return register_monitoring_module(&ef);
}

static void __exit ef_exit(void)
{
	unregister_monitoring_module(&ef);
	pmct_models_free(&ef_models);
}

module_init(ef_init);
module_exit(ef_exit);

MODULE_ALIAS("pmctrack-mmon-ef");
MODULE_DESCRIPTION("PMCTrack monitoring module: speedup factor and energy efficiency");
MODULE_AUTHOR("PMCTrack developers");
MODULE_LICENSE("GPL");
