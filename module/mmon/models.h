/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What monitoring modules with regression models share: the models that an administrator has
 * loaded, the event sets that these models need, and rounds of samples of one phase (paper on
 * PMCTrack, section 4.1.2 and Fig. 7). It is part of pmctrack.ko.
 */
#ifndef _PMCT_MODELS_H
#define _PMCT_MODELS_H

#include <pmctrack/mmon.h>

#include "mmon-common.h"
#include "regression.h"

/* An entry of pmct_models::index for the event that the module adds. */
#define PMCT_MODELS_GIVEN	U8_MAX

/* Shorter intervals are ignored, because the thread ran too briefly. */
#define PMCT_ROUND_LEAST_NS	1000000

/**
 * struct pmct_models - models of a monitoring module, one for each core type
 * @loaded: the models, in the order in which they were loaded
 * @nr: number of models
 * @given: name of the event that the module itself adds to samples, in pmct_round::given; NULL:
 *	none
 * @of_type: the model of each core type of the machine; NULL: none. Valid while the module is
 *	active
 * @big: index of the fast core type; valid while the module is active
 * @event: names of the events of all models, as in monitoring_module::events
 * @instr: index of "instr" in @event
 * @cycles: index of "cycles" in @event
 * @index: for each core type and each event of its model: index of the event in @event
 */
struct pmct_models {
	struct pmct_regression *loaded[PMCTRACK_MAX_CORE_TYPES];
	unsigned int nr;
	const char *given;
	const struct pmct_regression *of_type[PMCTRACK_MAX_CORE_TYPES];
	unsigned int big;
	const char *event[PMCT_MAX_MMON_EVENTS];
	u8 instr;
	u8 cycles;
	u8 index[PMCTRACK_MAX_CORE_TYPES][PMCT_REGRESSION_EVENTS];
};

/**
 * struct pmct_round - the samples of a thread that are being collected; all zero at first
 * @ipc: average IPC on each core type, in the present phase
 * @feature: values of the model's features
 * @given: count of the event that the module adds, in the next sample
 * @have: mask of the features that have a value of this round
 * @core_type: core type of the round
 * @waited: samples since the last complete round; stays at its largest value
 */
struct pmct_round {
	struct pmct_average ipc[PMCTRACK_MAX_CORE_TYPES];
	u32 feature[PMCT_REGRESSION_FEATURES];
	u32 given;
	u16 have;
	u8 core_type;
	u8 waited;
};

/**
 * enum pmct_round_state - what a sample did to its round
 * @PMCT_ROUND_GOES_ON: nothing new
 * @PMCT_ROUND_STALE: the thread has left the phase of its last estimates, or no round was complete
 *	for twice as many samples as a round needs
 * @PMCT_ROUND_COMPLETE: the model can be evaluated
 */
enum pmct_round_state {
	PMCT_ROUND_GOES_ON,
	PMCT_ROUND_STALE,
	PMCT_ROUND_COMPLETE,
};

int pmct_models_load(struct pmct_models *models, const char *module, char *text,
		     struct pmct_msg *msg);
void pmct_models_show(const struct pmct_models *models, struct seq_file *m);
void pmct_models_free(struct pmct_models *models);
int pmct_models_enable(struct pmct_models *models, struct monitoring_module *mm);
const struct pmct_output *pmct_models_output(const struct pmct_models *models,
					     unsigned int from, const char *kind,
					     unsigned int small);
enum pmct_round_state pmct_models_sample(const struct pmct_models *models,
					 struct pmct_round *round,
					 const struct pmct_sample *sample);
enum pmct_confidence pmct_models_confidence(const struct pmct_models *models,
					    const struct pmct_round *round);

#endif /* _PMCT_MODELS_H */
