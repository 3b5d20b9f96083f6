/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Regression models: what is estimated from counts. pmctrack-train makes them, from runs on
 * the machine; Documentation/models.md describes the file. Whatever a file says, reading and
 * evaluating it is safe.
 *
 * A model is additive: a constant, and for each of its stumps one of two values, by whether
 * a feature (a ratio of two events) is below a threshold. All numbers are integers.
 */
#ifndef _PMCT_REGRESSION_H
#define _PMCT_REGRESSION_H

#include <linux/types.h>
#include <pmctrack/msg.h>

#define PMCT_REGRESSION_VERSION	1
#define PMCT_REGRESSION_BYTES	65536	/* of a file, at most */

#define PMCT_REGRESSION_NAME	32	/* bytes of names, with NUL */
#define PMCT_REGRESSION_SETS	8
#define PMCT_REGRESSION_SET	128	/* bytes of a set, with NUL */
#define PMCT_REGRESSION_EVENTS	16
#define PMCT_REGRESSION_FEATURES	12
#define PMCT_REGRESSION_OUTPUTS	6
#define PMCT_REGRESSION_STUMPS	256	/* of an output */

/* Values of stumps and constants are in such parts of the output's unit. */
#define PMCT_REGRESSION_PARTS	1000

/**
 * struct pmct_feature - a ratio of two events
 * @part: index of the event above the line in pmct_regression::event
 * @whole: index of the one below
 * @scale: the ratio is multiplied by it
 * @least: smallest value that the model was trained with
 * @most: largest one
 */
struct pmct_feature {
	u8 part;
	u8 whole;
	u32 scale;
	u32 least;
	u32 most;
};

/**
 * struct pmct_stump - a step of the model
 * @feature: index of the feature
 * @threshold: where the step is
 * @low: what is added below the threshold
 * @high: what is added from it on
 */
struct pmct_stump {
	u8 feature;
	u32 threshold;
	s32 low;
	s32 high;
};

/**
 * struct pmct_output - what a model estimates
 * @kind: "speedup_factor", "ef"
 * @small: core type with which the big one is compared
 * @error: mean absolute error in the training's cross validation, in the output's unit
 * @base: the constant
 * @nr_stumps: number of steps
 * @stump: the steps
 */
struct pmct_output {
	char kind[PMCT_REGRESSION_NAME];
	char small[PMCT_REGRESSION_NAME];
	u32 error;
	s32 base;
	u16 nr_stumps;
	struct pmct_stump stump[PMCT_REGRESSION_STUMPS];
};

/**
 * struct pmct_regression - a model: estimates from the counts of one core type
 * @module: the monitoring module that it is for
 * @from: core type whose counts it takes
 * @big: the fast core type
 * @guard: how many percent of its average IPC may change within a phase
 * @nr_events: number of different events
 * @event: their names
 * @nr_sets: number of event sets
 * @set: their events, as for configure_performance_counters_set()
 * @in_set: events of each set, as a mask of @event
 * @nr_features: number of features
 * @feature: the features
 * @nr_outputs: number of outputs
 * @output: the outputs
 */
struct pmct_regression {
	char module[PMCT_REGRESSION_NAME];
	char from[PMCT_REGRESSION_NAME];
	char big[PMCT_REGRESSION_NAME];
	u32 guard;
	u8 nr_events;
	char event[PMCT_REGRESSION_EVENTS][PMCT_REGRESSION_NAME];
	u8 nr_sets;
	char set[PMCT_REGRESSION_SETS][PMCT_REGRESSION_SET];
	u32 in_set[PMCT_REGRESSION_SETS];
	u8 nr_features;
	struct pmct_feature feature[PMCT_REGRESSION_FEATURES];
	u8 nr_outputs;
	struct pmct_output output[PMCT_REGRESSION_OUTPUTS];
};

int pmct_regression_parse(char *text, struct pmct_regression *model, struct pmct_msg *msg);
u32 pmct_regression_features_of(const struct pmct_regression *model, unsigned int set);
bool pmct_regression_known(const struct pmct_regression *model, const u32 *feature);
u32 pmct_regression_eval(const struct pmct_output *output, const u32 *feature);

#endif /* _PMCT_REGRESSION_H */
