/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Estimates that modules with models publish for a thread: one estimate of some kind (speedup
 * factor, energy efficiency) for each type of small cores. It is part of pmctrack.ko.
 */
#ifndef _PMCT_ESTIMATES_H
#define _PMCT_ESTIMATES_H

#include "models.h"

#define PMCT_MAX_SMALL	(PMCTRACK_MAX_CORE_TYPES - 1)

/**
 * struct pmct_estimate - estimates of one kind
 * @kind: its name in the models, for example "speedup_factor"
 * @metric: the metric of each type of small cores, in the order of these types
 * @first: index of the virtual counter of the first type; those of the other types follow
 * @output: output of the model of each core type, for each type of small cores; valid while the
 *	module is active
 */
struct pmct_estimate {
	const char *kind;
	const enum pmct_metric *metric;
	unsigned int first;
	const struct pmct_output *output[PMCTRACK_MAX_CORE_TYPES][PMCT_MAX_SMALL];
};

#define PMCT_ESTIMATE_VIRT(_name, _description)		\
	{						\
		.name = _name,				\
		.unit = "milli",			\
		.description = _description,		\
		.gauge = true,				\
		.needs_sets = true,			\
	}

/* For all modules that estimate how many times faster a thread is on big cores. */
extern const enum pmct_metric pmct_sf_metric[PMCT_MAX_SMALL];
extern const struct pmct_vcounter pmct_sf_virt[PMCT_MAX_SMALL];

int pmct_estimate_enable(struct pmct_estimate *estimate, const struct pmct_models *models,
			 const char *user);
void pmct_estimate_publish(const struct pmct_estimate *estimate, const struct pmct_models *models,
			   const struct pmct_round *round, struct pmct_ctx *ctx,
			   struct pmct_sample *sample);
void pmct_estimate_mark_stale(const struct pmct_estimate *estimate, struct pmct_ctx *ctx);

#endif /* _PMCT_ESTIMATES_H */
