// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * module/mmon/regression.c: any file is refused with a reason, or is a model whose indices are
 * valid, and which can be evaluated with any counts.
 */
#include "kernel_side.h"
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
		pmct_regression_eval(o, feature);
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
