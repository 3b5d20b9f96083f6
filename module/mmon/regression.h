/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Regression models: estimates from counts. pmctrack-train makes models from runs on the machine;
 * Documentation/models.md describes the file. Reading and evaluating a file is safe, whatever the
 * file says.
 *
 * A model has one of two forms. The first is a sum of steps of its features (ratios of two events):
 * each step adds one of two values, depending on whether a feature is below a threshold. The second
 * is 2 to the power of a polynomial of the second degree in logarithms of features. The polynomial
 * knows how features act together, and extrapolates where the training had gaps. All numbers are
 * integers.
 */
#ifndef _PMCT_REGRESSION_H
#define _PMCT_REGRESSION_H

#include <linux/types.h>
#include <pmctrack/msg.h>

#define PMCT_REGRESSION_VERSION	2
#define PMCT_REGRESSION_BYTES	65536	/* of a file, at most */

#define PMCT_REGRESSION_NAME	32	/* bytes of names, with NUL */
#define PMCT_REGRESSION_SETS	8
#define PMCT_REGRESSION_SET	128	/* bytes of a set, with NUL */
#define PMCT_REGRESSION_EVENTS	16
#define PMCT_REGRESSION_FEATURES	12
#define PMCT_REGRESSION_OUTPUTS	6
#define PMCT_REGRESSION_STUMPS	256	/* of an output */

/*
 * Values of stumps and the constants of their outputs are in 1 / PMCT_REGRESSION_PARTS of the
 * output's unit.
 */
#define PMCT_REGRESSION_PARTS	1000

/* Coefficients of polynomials, in 2^-16: sums of all their products fit into 64 bits. */
#define PMCT_REGRESSION_COEFFICIENT	16777216

/**
 * struct pmct_feature - a ratio of two events
 * @part: index of the numerator's event in pmct_regression::event
 * @whole: index of the denominator's event
 * @scale: factor of the ratio
 * @least: smallest value that the model was trained with
 * @most: largest value that the model was trained with
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
 * @high: what is added at the threshold and above
 */
struct pmct_stump {
	u8 feature;
	u32 threshold;
	s32 low;
	s32 high;
};

/**
 * struct pmct_polynomial - a polynomial of the second degree, in logarithms of features
 * @center: subtracted from the logarithm of a feature; all values are in 2^-16
 * @linear: coefficient of the difference
 * @product: coefficient of the product of two differences; the first index is not the larger one
 */
struct pmct_polynomial {
	u32 center[PMCT_REGRESSION_FEATURES];
	s32 linear[PMCT_REGRESSION_FEATURES];
	s32 product[PMCT_REGRESSION_FEATURES][PMCT_REGRESSION_FEATURES];
};

/**
 * struct pmct_output - what a model estimates
 * @kind: "speedup_factor", "ef", "undisturbed"
 * @small: core type with which the big one is compared, or the core type of the counts
 * @error: mean absolute error in the training's cross validation, in the output's unit; for
 *	"undisturbed", the resulting error of the quality
 * @base: the constant, in PMCT_REGRESSION_PARTS; of a polynomial, in 2^-16
 * @quadratic: the output is 2 to the power of @polynomial, not a sum of steps
 * @polynomial: the logarithm of the output
 * @nr_stumps: number of steps
 * @stump: the steps, ordered by feature and threshold
 * @low: sum of pmct_stump::low of all steps
 * @first: index of the first step of each feature; the last entry is the end of all steps
 * @above: for each step, what the feature's steps up to this one add to @low
 */
struct pmct_output {
	char kind[PMCT_REGRESSION_NAME];
	char small[PMCT_REGRESSION_NAME];
	u32 error;
	s32 base;
	bool quadratic;
	struct pmct_polynomial polynomial;
	u16 nr_stumps;
	struct pmct_stump stump[PMCT_REGRESSION_STUMPS];
	s64 low;
	u16 first[PMCT_REGRESSION_FEATURES + 1];
	s64 above[PMCT_REGRESSION_STUMPS];
};

/**
 * struct pmct_regression - a model: estimates from the counts of one core type
 * @module: the monitoring module that uses the model
 * @from: core type whose counts the model takes
 * @big: the fast core type
 * @guard: how many percent of its average IPC may change within a phase
 * @nr_events: number of different events
 * @event: names of the events
 * @given: mask of @event: events that the monitoring module adds, because no counter counts them
 * @nr_sets: number of event sets
 * @set: events of each set, as for configure_performance_counters_set()
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
	u32 given;
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
u32 pmct_regression_eval(const struct pmct_regression *model, const struct pmct_output *output,
			 const u32 *feature);

#endif /* _PMCT_REGRESSION_H */
