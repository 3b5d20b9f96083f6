// SPDX-License-Identifier: GPL-2.0-only
/*
 * Monitoring module "speedup_factor": how many times faster a thread is on the big cores of a
 * hybrid machine than on the small ones (paper on PMCTrack, section 4.1). The factor is estimated
 * from the counts of the core type on which the thread runs. pmctrack-train makes the models.
 */
#include <linux/string.h>

#include "estimates.h"

static struct pmct_models sf_models;
static struct pmct_estimate sf_estimate = {
	.kind = "speedup_factor",
	.metric = pmct_sf_metric,
};

static int sf_enable(struct monitoring_module *self)
{
	int ret = pmct_models_enable(&sf_models, self) ?:
		  pmct_estimate_enable(&sf_estimate, &sf_models, self->name);

	if (ret < 0)
		return ret;
	self->nr_virt = ret;
	return 0;
}

static void sf_on_new_sample(struct pmct_ctx *ctx, struct pmct_sample *sample)
{
	struct pmct_round *round = pmct_mmon_data(ctx);

	switch (pmct_models_sample(&sf_models, round, sample)) {
	case PMCT_ROUND_COMPLETE:
		pmct_estimate_publish(&sf_estimate, &sf_models, round, ctx, sample);
		break;
	case PMCT_ROUND_STALE:
		pmct_estimate_mark_stale(&sf_estimate, ctx);
		break;
	case PMCT_ROUND_GOES_ON:
		break;
	}
}

/* The thread executes another program from now on. */
static void sf_on_exec(struct pmct_ctx *ctx)
{
	memset(pmct_mmon_data(ctx), 0, sizeof(struct pmct_round));
	pmct_estimate_mark_stale(&sf_estimate, ctx);
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
	.virt		= pmct_sf_virt,
	.period_ms	= 200,
	.enable		= sf_enable,
	.on_new_sample	= sf_on_new_sample,
	.on_exec	= sf_on_exec,
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
