// SPDX-License-Identifier: GPL-2.0-only
/* Evaluates regression models, in fixed point. Pure. */
#include <linux/export.h>
#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/minmax.h>

#include "fixed_log.h"
#include "regression.h"

/**
 * pmct_regression_features_of() - find the features that an event set can measure
 * @model: the model
 * @set: index of the set
 *
 * Return: mask of the features whose events are in the set.
 */
u32 pmct_regression_features_of(const struct pmct_regression *model, unsigned int set)
{
	u32 in_set = model->in_set[set];
	u32 mask = 0;
	unsigned int i;

	for (i = 0; i < model->nr_features; i++) {
		const struct pmct_feature *f = &model->feature[i];

		if ((in_set & 1U << f->part) && (in_set & 1U << f->whole))
			mask |= 1U << i;
	}
	return mask;
}
EXPORT_SYMBOL_GPL(pmct_regression_features_of);

/**
 * pmct_regression_known() - is the model trained for these values?
 * @model: the model
 * @feature: a value for each feature
 *
 * Return: false if one value is outside of the range that the model was trained with.
 */
bool pmct_regression_known(const struct pmct_regression *model, const u32 *feature)
{
	unsigned int i;

	for (i = 0; i < model->nr_features; i++) {
		if (feature[i] < model->feature[i].least || feature[i] > model->feature[i].most)
			return false;
	}
	return true;
}
EXPORT_SYMBOL_GPL(pmct_regression_known);

/* What the steps of a feature add to pmct_output::low. */
static s64 steps_of(const struct pmct_output *o, unsigned int feature, u32 value)
{
	unsigned int begin = o->first[feature], low = begin, high = o->first[feature + 1];

	/* Find how many steps have thresholds that are not above the value. */
	while (low < high) {
		unsigned int middle = (low + high) / 2;

		if (value < o->stump[middle].threshold)
			high = middle;
		else
			low = middle + 1;
	}
	return low > begin ? o->above[low - 1] : 0;
}

static u32 sum_of_steps(const struct pmct_output *o, const u32 *feature)
{
	s64 sum = o->base + o->low;
	unsigned int i;

	for (i = 0; i < PMCT_REGRESSION_FEATURES; i++) {
		if (o->first[i] < o->first[i + 1])
			sum += steps_of(o, i, feature[i]);
	}
	if (sum < 0)
		return 0;
	return min_t(u64, div_u64(sum, PMCT_REGRESSION_PARTS), U32_MAX);
}

/* Features outside of the trained range are clamped to it, because squares grow too fast. */
static u32 power_of_polynomial(const struct pmct_regression *m, const struct pmct_output *o,
			       const u32 *feature)
{
	const struct pmct_polynomial *p = &o->polynomial;
	s64 row, sum = (s64)o->base * PMCT_LOG_ONE;
	s32 x[PMCT_REGRESSION_FEATURES];
	const s32 *c, *other, *end = &x[m->nr_features];
	unsigned int i;

	for (i = 0; i < m->nr_features; i++)
		x[i] = pmct_log2(clamp(feature[i], m->feature[i].least, m->feature[i].most)) -
		       p->center[i];
	/* |x| <= 2^21: a row is below 2^49, and the sum of all rows is below 2^58. */
	for (i = 0; i < m->nr_features; i++) {
		row = (s64)p->linear[i] * PMCT_LOG_ONE;
		for (c = &p->product[i][i], other = &x[i]; other < end; c++, other++)
			row += (s64)*c * *other;
		sum += (row >> PMCT_LOG_BITS) * x[i];
	}
	return pmct_exp2(sum >> PMCT_LOG_BITS);
}

/**
 * pmct_regression_eval() - evaluate a model
 * @model: the model
 * @output: one of its outputs
 * @feature: a value for each feature of the model
 *
 * Return: the estimate in the output's unit; 0 if it would be negative.
 */
u32 pmct_regression_eval(const struct pmct_regression *model, const struct pmct_output *output,
			 const u32 *feature)
{
	return output->quadratic ? power_of_polynomial(model, output, feature) :
				   sum_of_steps(output, feature);
}
EXPORT_SYMBOL_GPL(pmct_regression_eval);
