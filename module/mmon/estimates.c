// SPDX-License-Identifier: GPL-2.0-only
/* Turns complete rounds into metrics and virtual counters. */
#include "estimates.h"

const enum pmct_metric pmct_sf_metric[PMCT_MAX_SMALL] = {
	PMCT_METRIC_SPEEDUP_FACTOR, PMCT_METRIC_SPEEDUP_FACTOR_2, PMCT_METRIC_SPEEDUP_FACTOR_3,
};
EXPORT_SYMBOL_GPL(pmct_sf_metric);

const struct pmct_vcounter pmct_sf_virt[PMCT_MAX_SMALL] = {
	PMCT_ESTIMATE_VIRT("sf", "speed on big cores over that on small ones, in thousandths"),
	PMCT_ESTIMATE_VIRT("sf_2", "the same, for the second type of small cores"),
	PMCT_ESTIMATE_VIRT("sf_3", "the same, for the third type of small cores"),
};
EXPORT_SYMBOL_GPL(pmct_sf_virt);

/**
 * pmct_estimate_enable() - find the outputs of a kind in the models of this machine
 * @estimate: the kind
 * @models: the models, after pmct_models_enable()
 * @user: name of the monitoring module
 *
 * Context: monitoring_module::enable.
 * Return: the number of types of small cores; -ENODATA if a model has no such output. The kernel
 * log says which model.
 */
int pmct_estimate_enable(struct pmct_estimate *estimate, const struct pmct_models *models,
			 const char *user)
{
	unsigned int from, small, n = 0;
	const struct pmct_output *output;

	for (small = 0; small < pmct_mmon_nr_core_types(); small++) {
		if (small == models->big)
			continue;
		for (from = 0; from < pmct_mmon_nr_core_types(); from++) {
			output = pmct_models_output(models, from, estimate->kind, small);
			if (!output) {
				pr_err("pmctrack: monitoring module %s: the model for %s has no output '%s %s': train it anew\n",
				       user, pmct_mmon_core_type(from), estimate->kind,
				       pmct_mmon_core_type(small));
				return -ENODATA;
			}
			estimate->output[from][n] = output;
		}
		n++;
	}
	return n;
}
EXPORT_SYMBOL_GPL(pmct_estimate_enable);

/**
 * pmct_estimate_publish() - publish the estimates of a thread whose round is complete
 * @estimate: the kind
 * @models: the models
 * @round: the round of the thread
 * @ctx: the thread
 * @sample: the last sample of the round
 *
 * Context: monitoring_module::on_new_sample.
 */
void pmct_estimate_publish(const struct pmct_estimate *estimate, const struct pmct_models *models,
			   const struct pmct_round *round, struct pmct_ctx *ctx,
			   struct pmct_sample *sample)
{
	enum pmct_confidence confidence = pmct_models_confidence(models, round);
	const struct pmct_regression *model = models->of_type[round->core_type];
	unsigned int i;
	u32 value;

	for (i = 0; i + 1 < pmct_mmon_nr_core_types(); i++) {
		value = pmct_regression_eval(model, estimate->output[round->core_type][i],
					     round->feature);
		pmct_mmon_publish(ctx, estimate->metric[i], value, confidence);
		pmct_sample_virt(sample, estimate->first + i, value);
	}
}
EXPORT_SYMBOL_GPL(pmct_estimate_publish);

/* Mark the estimates of a thread as stale, because they are of its last phase. */
void pmct_estimate_mark_stale(const struct pmct_estimate *estimate, struct pmct_ctx *ctx)
{
	unsigned int i;

	for (i = 0; i + 1 < pmct_mmon_nr_core_types(); i++)
		pmct_mmon_mark_stale(ctx, estimate->metric[i]);
}
EXPORT_SYMBOL_GPL(pmct_estimate_mark_stale);
