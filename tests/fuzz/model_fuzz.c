// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * module/mmon/regression_text.c: any file is refused with a reason, or is a model whose indices are
 * valid, and which can be evaluated with any counts.
 */
#include <math.h>

#include "kernel_side.h"
#include "fixed_log.h"
#include "regression.h"

static void check_name(const char *name)
{
	size_t len = strnlen(name, PMCT_REGRESSION_NAME);

	expect(len && len < PMCT_REGRESSION_NAME, "a name of %zu bytes", len);
}

static void check_sets(const struct pmct_regression *m)
{
	u32 seen = 0;

	expect(m->nr_sets && m->nr_sets <= PMCT_REGRESSION_SETS, "%u sets", m->nr_sets);
	expect(m->nr_events >= 2 && m->nr_events <= PMCT_REGRESSION_EVENTS, "%u events", m->nr_events);
	for (unsigned int i = 0; i < m->nr_events; i++)
		check_name(m->event[i]);
	for (unsigned int i = 0; i < m->nr_sets; i++) {
		expect(strnlen(m->set[i], PMCT_REGRESSION_SET) < PMCT_REGRESSION_SET, "a set without end");
		expect(m->in_set[i] >> m->nr_events == 0, "%#x of %u events", m->in_set[i], m->nr_events);
		seen |= pmct_regression_features_of(m, i);
	}
	expect(m->nr_features && m->nr_features <= PMCT_REGRESSION_FEATURES, "%u features", m->nr_features);
	/* Otherwise a round would never be complete. */
	expect(seen == (1u << m->nr_features) - 1, "features %#x of %u", seen, m->nr_features);
}

/* The definition of the value that pmct_regression_eval() finds faster. */
static uint32_t by_each_stump(const struct pmct_output *o, const u32 *feature)
{
	int64_t sum = o->base;

	for (unsigned int i = 0; i < o->nr_stumps; i++)
		sum += feature[o->stump[i].feature] < o->stump[i].threshold ? o->stump[i].low
									     : o->stump[i].high;
	if (sum < 0)
		return 0;
	return sum / PMCT_REGRESSION_PARTS < UINT32_MAX ? sum / PMCT_REGRESSION_PARTS : UINT32_MAX;
}

/* The same for polynomials: without rounding, except for that of the logarithms. */
static double by_powers(const struct pmct_regression *m, const struct pmct_output *o, const u32 *feature)
{
	double x[PMCT_REGRESSION_FEATURES], log = o->base;

	for (unsigned int i = 0; i < m->nr_features; i++) {
		const struct pmct_feature *f = &m->feature[i];
		u32 seen = feature[i] < f->least ? f->least : feature[i] > f->most ? f->most : feature[i];

		x[i] = ((double)pmct_log2(seen) - o->polynomial.center[i]) / 65536;
	}
	for (unsigned int i = 0; i < m->nr_features; i++) {
		log += o->polynomial.linear[i] * x[i];
		for (unsigned int j = i; j < m->nr_features; j++)
			log += o->polynomial.product[i][j] * x[i] * x[j];
	}
	return log < 0 ? 0 : log >= 32 * 65536.0 ? UINT32_MAX : exp2(log / 65536);
}

static bool near(double a, double b)
{
	return fabs(a - b) <= 2 + b / 100;
}

static void check_value(const struct pmct_regression *m, const struct pmct_output *o, const u32 *feature)
{
	u32 value = pmct_regression_eval(m, o, feature);

	if (o->quadratic)
		expect(near(value, by_powers(m, o, feature)), "%u, not %g", value, by_powers(m, o, feature));
	else
		expect(value == by_each_stump(o, feature), "another value");
}

static void check_output(const struct pmct_regression *m, const struct pmct_output *o)
{
	static const u32 values[] = { 0, 1, 1000, U32_MAX };
	u32 feature[PMCT_REGRESSION_FEATURES];

	check_name(o->kind);
	check_name(o->small);
	expect(o->nr_stumps <= PMCT_REGRESSION_STUMPS, "%u stumps", o->nr_stumps);
	for (unsigned int i = 0; i < o->nr_stumps; i++)
		expect(o->stump[i].feature < m->nr_features, "feature %u", o->stump[i].feature);
	for (unsigned int v = 0; v < ARRAY_SIZE(values); v++) {
		for (unsigned int i = 0; i < PMCT_REGRESSION_FEATURES; i++)
			feature[i] = values[(v + i) % ARRAY_SIZE(values)];
		check_value(m, o, feature);
		pmct_regression_known(m, feature);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct pmct_regression m;
	char *text = fuzz_text(data, size);
	struct pmct_msg msg = { "" };
	int err = pmct_regression_parse(text, &m, &msg);

	if (err) {
		expect(err == -EINVAL, "error %d", err);
		kernel_check_msg(&msg, "a model");
	} else {
		expect(!msg.text[0], "accepted, but '%s'", msg.text);
		check_name(m.module);
		check_name(m.from);
		check_name(m.big);
		check_sets(&m);
		expect(m.nr_outputs && m.nr_outputs <= PMCT_REGRESSION_OUTPUTS, "%u outputs", m.nr_outputs);
		for (unsigned int i = 0; i < m.nr_outputs; i++)
			check_output(&m, &m.output[i]);
	}
	free(text);
	return 0;
}
