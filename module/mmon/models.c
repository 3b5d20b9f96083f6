// SPDX-License-Identifier: GPL-2.0-only
/* Loads models, and collects rounds of samples for them. */
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/seq_file.h>
#include <linux/slab.h>

#include "models.h"

/**
 * pmct_models_load() - load a model
 * @models: the models of a monitoring module
 * @module: name of the module
 * @text: the model's file; it is changed
 * @msg: on failure, the reason
 *
 * The model replaces the one for the same core type. Context: monitoring_module::load_model.
 * Return: 0, -EINVAL, -ENOSPC: there are models for too many core types, or -ENOMEM.
 */
int pmct_models_load(struct pmct_models *models, const char *module, char *text,
		     struct pmct_msg *msg)
{
	struct pmct_regression *model = kvzalloc(sizeof(*model), GFP_KERNEL_ACCOUNT);
	unsigned int i;
	int err;

	if (!model)
		return -ENOMEM;
	err = pmct_regression_parse(text, model, msg);
	if (!err && strcmp(model->module, module))
		err = pmct_refuse(msg, -EINVAL, "the model is for monitoring module %s",
				  model->module);
	for (i = 0; !err && i < model->nr_events; i++) {
		if (model->given & BIT(i) &&
		    (!models->given || strcmp(model->event[i], models->given)))
			err = pmct_refuse(msg, -EINVAL, "monitoring module %s has no event '%s'",
					  module, model->event[i]);
	}
	for (i = 0; i < models->nr && strcmp(models->loaded[i]->from, model->from); i++)
		;
	if (!err && i == ARRAY_SIZE(models->loaded))
		err = pmct_refuse(msg, -ENOSPC, "there are models for %u core types already",
				  models->nr);
	if (err) {
		kvfree(model);
		return err;
	}
	if (i < models->nr)
		kvfree(models->loaded[i]);
	else
		models->nr++;
	models->loaded[i] = model;
	return 0;
}
EXPORT_SYMBOL_GPL(pmct_models_load);

/* Print a line for each output: "MODULE: from= kind= big= small= error_milli= form=". */
void pmct_models_show(const struct pmct_models *models, struct seq_file *m)
{
	unsigned int i, n;

	for (i = 0; i < models->nr; i++) {
		const struct pmct_regression *model = models->loaded[i];

		for (n = 0; n < model->nr_outputs; n++)
			seq_printf(m, "%s: from=%s kind=%s big=%s small=%s error_milli=%u form=%s\n",
				   model->module, model->from, model->output[n].kind, model->big,
				   model->output[n].small, model->output[n].error,
				   model->output[n].quadratic ? "quadratic" : "steps");
	}
}
EXPORT_SYMBOL_GPL(pmct_models_show);

/* Free all models, when the monitoring module is unloaded. */
void pmct_models_free(struct pmct_models *models)
{
	while (models->nr)
		kvfree(models->loaded[--models->nr]);
}
EXPORT_SYMBOL_GPL(pmct_models_free);

static int pmct_models_find_type(const char *name)
{
	int i;

	for (i = 0; i < pmct_mmon_nr_core_types(); i++) {
		if (!strcmp(pmct_mmon_core_type(i), name))
			return i;
	}
	return -ENOENT;
}

/* Returns the index of an event in the list of all models, or -E2BIG if there are too many. */
static int pmct_models_add_event(struct pmct_models *models, unsigned int *nr, const char *name)
{
	unsigned int i;

	for (i = 0; i < *nr; i++) {
		if (!strcmp(models->event[i], name))
			return i;
	}
	if (*nr == ARRAY_SIZE(models->event))
		return -E2BIG;
	models->event[*nr] = name;
	return (*nr)++;
}

static int pmct_models_use(struct pmct_models *models, const struct pmct_regression *model,
			   unsigned int type, unsigned int *nr_events)
{
	unsigned int i;
	int index;

	for (i = 0; i < model->nr_events; i++) {
		if (model->given & BIT(i)) {
			models->index[type][i] = PMCT_MODELS_GIVEN;
			continue;
		}
		index = pmct_models_add_event(models, nr_events, model->event[i]);
		if (index < 0)
			return index;
		models->index[type][i] = index;
		/* Each model has both events. */
		if (!strcmp(model->event[i], "instr"))
			models->instr = index;
		else if (!strcmp(model->event[i], "cycles"))
			models->cycles = index;
	}
	models->of_type[type] = model;
	return 0;
}

/* Choose the models that are for this machine. */
static int pmct_models_choose(struct pmct_models *models, struct monitoring_module *mm)
{
	unsigned int i, nr_events = 0;
	int type, big, err;

	memset(models->of_type, 0, sizeof(models->of_type));
	models->big = PMCTRACK_MAX_CORE_TYPES;
	for (i = 0; i < models->nr; i++) {
		type = pmct_models_find_type(models->loaded[i]->from);
		big = pmct_models_find_type(models->loaded[i]->big);
		if (type < 0 || big < 0)
			continue;
		if (models->big < PMCTRACK_MAX_CORE_TYPES && models->big != big) {
			pr_err("pmctrack: monitoring module %s: its models do not agree on the fast core type\n",
			       mm->name);
			return -EINVAL;
		}
		models->big = big;
		err = pmct_models_use(models, models->loaded[i], type, &nr_events);
		if (err)
			return err;
	}
	mm->events = models->event;
	mm->nr_events = nr_events;
	return 0;
}

/* Configure the event sets of all models, each for its core type. */
static int pmct_models_configure(const struct pmct_models *models, struct monitoring_module *mm)
{
	const unsigned int max = PMCTRACK_MAX_CORE_TYPES * PMCT_REGRESSION_SETS;
	const struct pmct_regression *model;
	unsigned int type, i, nr = 0;
	const char **sets;
	int err = 0;

	sets = kcalloc(max, sizeof(*sets), GFP_KERNEL);
	if (!sets)
		return -ENOMEM;
	for (type = 0; type < pmct_mmon_nr_core_types(); type++) {
		model = models->of_type[type];
		for (i = 0; !err && i < model->nr_sets; i++) {
			sets[nr] = kasprintf(GFP_KERNEL, "coretype=%u:%s", type, model->set[i]);
			err = sets[nr++] ? 0 : -ENOMEM;
		}
	}
	if (!err)
		err = configure_performance_counters_set(mm, sets, nr);
	while (nr)
		kfree(sets[--nr]);
	kfree(sets);
	return err;
}

/**
 * pmct_models_enable() - choose the models of this machine, and configure their event sets
 * @models: the models of a monitoring module
 * @mm: the module, in its enable()
 *
 * Context: process context, sleeps.
 * Return: 0. -ENODEV: all CPUs are of one type. -ENODATA: a core type has no model. Or an error of
 * configure_performance_counters_set(). The kernel log says why.
 */
int pmct_models_enable(struct pmct_models *models, struct monitoring_module *mm)
{
	unsigned int type;
	int err;

	if (pmct_mmon_nr_core_types() < 2) {
		pr_err("pmctrack: monitoring module %s: all CPUs of this machine are of one type\n",
		       mm->name);
		return -ENODEV;
	}
	err = pmct_models_choose(models, mm);
	if (err)
		return err;
	for (type = 0; type < pmct_mmon_nr_core_types(); type++) {
		if (models->of_type[type])
			continue;
		pr_err("pmctrack: monitoring module %s: no model for the counters of %s: make one with pmctrack-train, and write it to /proc/pmc/mmon_model\n",
		       mm->name, pmct_mmon_core_type(type));
		return -ENODATA;
	}
	return pmct_models_configure(models, mm);
}
EXPORT_SYMBOL_GPL(pmct_models_enable);

/**
 * pmct_models_output() - find an output of a core type's model
 * @models: the models
 * @from: the core type whose counts are used
 * @kind: kind of the output
 * @small: core type with which the big one is compared
 *
 * Return: the output, or NULL if the model has none of that kind.
 */
const struct pmct_output *pmct_models_output(const struct pmct_models *models,
					     unsigned int from, const char *kind,
					     unsigned int small)
{
	const struct pmct_regression *model = models->of_type[from];
	unsigned int i;

	for (i = 0; model && i < model->nr_outputs; i++) {
		if (!strcmp(model->output[i].kind, kind) &&
		    !strcmp(model->output[i].small, pmct_mmon_core_type(small)))
			return &model->output[i];
	}
	return NULL;
}
EXPORT_SYMBOL_GPL(pmct_models_output);

/* Like pmct_sample_count(), also for the event that the module adds. */
static int pmct_round_count(const struct pmct_round *round, const struct pmct_sample *sample,
			    u8 index, u64 *count)
{
	if (index != PMCT_MODELS_GIVEN)
		return pmct_sample_count(sample, index, count);
	*count = round->given;
	return 0;
}

/* Store the features whose events are in this sample. */
static void pmct_round_collect(const struct pmct_models *models, struct pmct_round *round,
			       const struct pmct_sample *sample)
{
	const struct pmct_regression *model = models->of_type[round->core_type];
	const u8 *index = models->index[round->core_type];
	u64 part, whole, value;
	unsigned int i;

	for (i = 0; i < model->nr_features; i++) {
		const struct pmct_feature *f = &model->feature[i];

		if (pmct_round_count(round, sample, index[f->part], &part) ||
		    pmct_round_count(round, sample, index[f->whole], &whole))
			continue;
		/* 0 / 0 is 0, as for pmctrack-train. A value that is too large becomes U32_MAX. */
		if (!pmct_ratio(part, whole ?: 1, f->scale, &value))
			value = U32_MAX;
		round->feature[i] = min_t(u64, value, U32_MAX);
		round->have |= BIT(i);
	}
}

/* Instructions per 1000 cycles. Returns false if the sample does not have them. */
static bool pmct_round_ipc(const struct pmct_models *models, const struct pmct_sample *sample,
			   u64 *ipc)
{
	u64 instr, cycles;

	return !pmct_sample_count(sample, models->instr, &instr) && instr &&
	       !pmct_sample_count(sample, models->cycles, &cycles) &&
	       pmct_ratio(instr, cycles, PMCT_RATIO_SCALE, ipc);
}

static enum pmct_round_state pmct_round_add(const struct pmct_models *models,
					    struct pmct_round *round,
					    const struct pmct_sample *sample)
{
	unsigned int type = sample->rec->core_type;
	const struct pmct_regression *model;
	bool new_phase;
	u64 ipc;

	if (!sample->own_sets || type >= PMCTRACK_MAX_CORE_TYPES ||
	    sample->rec->hw_ns < PMCT_ROUND_LEAST_NS)
		return PMCT_ROUND_GOES_ON;
	model = models->of_type[type];
	if (!model || !pmct_round_ipc(models, sample, &ipc))
		return PMCT_ROUND_GOES_ON;
	new_phase = pmct_average_guard(&round->ipc[type], ipc, model->guard);
	if (new_phase || type != round->core_type)
		round->have = 0;
	round->core_type = type;
	pmct_round_collect(models, round, sample);
	if (round->have == GENMASK(model->nr_features - 1, 0)) {
		round->have = 0;
		return PMCT_ROUND_COMPLETE;
	}
	return new_phase ? PMCT_ROUND_STALE : PMCT_ROUND_GOES_ON;
}

/**
 * pmct_models_sample() - add a sample of a thread to its round
 * @models: the models of the active module
 * @round: the round of the thread
 * @sample: the sample
 *
 * All samples of a round are of one phase and one core type. If IPC changes suddenly, or the thread
 * changes its core type, a new round begins with this sample. A thread that often changes its core
 * type, or hardly runs, completes no round.
 *
 * Context: monitoring_module::on_new_sample.
 * Return: whether the model can be evaluated with pmct_round::feature, or estimates are stale.
 */
enum pmct_round_state pmct_models_sample(const struct pmct_models *models,
					 struct pmct_round *round,
					 const struct pmct_sample *sample)
{
	enum pmct_round_state state = pmct_round_add(models, round, sample);

	if (state == PMCT_ROUND_COMPLETE) {
		round->waited = 0;
		return state;
	}
	if (round->waited < U8_MAX)
		round->waited++;
	return round->waited >= 2 * models->of_type[round->core_type]->nr_sets ?
	       PMCT_ROUND_STALE : state;
}
EXPORT_SYMBOL_GPL(pmct_models_sample);

/* Returns how far an estimate of a complete round can be trusted. Any context. */
enum pmct_confidence pmct_models_confidence(const struct pmct_models *models,
					    const struct pmct_round *round)
{
	return pmct_regression_known(models->of_type[round->core_type], round->feature) ?
	       PMCT_ESTIMATED : PMCT_EXTRAPOLATED;
}
EXPORT_SYMBOL_GPL(pmct_models_confidence);
