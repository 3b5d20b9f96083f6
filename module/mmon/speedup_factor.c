// SPDX-License-Identifier: GPL-2.0-only
/*
 * Monitoring module "speedup_factor": how many times faster a thread is on the big cores of a
 * hybrid machine than on the small ones (paper on PMCTrack, section 4.1), estimated from the
 * counts of the core type on which it runs. Models are made by pmctrack-train.
 */
#include "models.h"

/* Of the machine's core types but the big one, in their order. */
static const enum pmct_metric sf_metric[] = {
	PMCT_METRIC_SPEEDUP_FACTOR, PMCT_METRIC_SPEEDUP_FACTOR_2, PMCT_METRIC_SPEEDUP_FACTOR_3,
};

#define SF_VIRT(_name, _description)			\
	{						\
		.name = _name,				\
		.unit = "milli",			\
		.description = _description,		\
		.gauge = true,				\
		.needs_sets = true,			\
	}

static const struct pmct_vcounter sf_virt[] = {
	SF_VIRT("sf", "speed on big cores over that on small ones, in thousandths"),
	SF_VIRT("sf_2", "the same, for the second type of small cores"),
	SF_VIRT("sf_3", "the same, for the third type of small cores"),
};

static struct pmct_models sf_models;
/* From each core type, for each small one; valid while the module is active. */
static const struct pmct_output *sf_output[PMCTRACK_MAX_CORE_TYPES][ARRAY_SIZE(sf_metric)];

static int sf_find_outputs(struct monitoring_module *self)
{
	unsigned int from, small, n = 0;

	for (small = 0; small < pmct_mmon_nr_core_types(); small++) {
		if (small == sf_models.big)
			continue;
		for (from = 0; from < pmct_mmon_nr_core_types(); from++) {
			sf_output[from][n] = pmct_models_output(&sf_models, from,
								"speedup_factor", small);
			if (sf_output[from][n])
				continue;
			pr_err("pmctrack: monitoring module speedup_factor: the model for %s has no output 'speedup_factor %s': train it anew\n",
			       pmct_mmon_core_type(from), pmct_mmon_core_type(small));
			return -ENODATA;
		}
		n++;
	}
	self->nr_virt = n;
	return 0;
}

static int sf_enable(struct monitoring_module *self)
{
	return pmct_models_enable(&sf_models, self) ?: sf_find_outputs(self);
}

static void sf_publish(struct pmct_ctx *ctx, const struct pmct_round *round,
		       struct pmct_sample *sample)
{
	enum pmct_confidence confidence = pmct_models_confidence(&sf_models, round);
	const struct pmct_output *output;
	unsigned int i;
	u32 sf;

	for (i = 0; i < ARRAY_SIZE(sf_metric); i++) {
		output = sf_output[round->core_type][i];
		if (!output)
			return;
		sf = pmct_regression_eval(output, round->feature);
		pmct_mmon_publish(ctx, sf_metric[i], sf, confidence);
		pmct_sample_virt(sample, i, sf);
	}
}

static void sf_on_new_sample(struct pmct_ctx *ctx, struct pmct_sample *sample)
{
	struct pmct_round *round = pmct_mmon_data(ctx);
	unsigned int i;

	switch (pmct_models_sample(&sf_models, round, sample)) {
	case PMCT_ROUND_COMPLETE:
		sf_publish(ctx, round, sample);
		break;
	case PMCT_ROUND_NEW_PHASE:
		for (i = 0; i < ARRAY_SIZE(sf_metric); i++)
			pmct_mmon_mark_stale(ctx, sf_metric[i]);
		break;
	case PMCT_ROUND_GOES_ON:
		break;
	}
}

static int sf_load_model(struct monitoring_module *self, char *text, struct pmct_msg *msg)
{
	return pmct_models_load(&sf_models, self->name, text, msg);
}

static void sf_show_models(const struct monitoring_module *self, struct seq_file *m)
{
	pmct_models_show(&sf_models, m);
}

static struct monitoring_module sf = {
	.name		= "speedup_factor",
	.description	= "how many times faster a thread is on big cores, by a model",
	.owner		= THIS_MODULE,
	.virt		= sf_virt,
	.nr_virt	= ARRAY_SIZE(sf_virt),
	.period_ms	= 200,
	.enable		= sf_enable,
	.on_new_sample	= sf_on_new_sample,
	.load_model	= sf_load_model,
	.show_models	= sf_show_models,
};

static int __init sf_init(void)
{
	BUILD_BUG_ON(sizeof(struct pmct_round) > PMCT_MMON_DATA);
	return register_monitoring_module(&sf);
}

static void __exit sf_exit(void)
{
	unregister_monitoring_module(&sf);
	pmct_models_free(&sf_models);
}

module_init(sf_init);
module_exit(sf_exit);

MODULE_ALIAS("pmctrack-mmon-speedup_factor");
MODULE_DESCRIPTION("PMCTrack monitoring module: speedup factor");
MODULE_AUTHOR("PMCTrack developers");
MODULE_LICENSE("GPL");
