// SPDX-License-Identifier: GPL-2.0-only
/* Raw strings, event sets, and the arithmetic of counters that wrap. */
#include <kunit/test.h>

#include "../../pmu-backends/tests/fake.h"
#include "../evset.h"

struct parse_case {
	const char *desc;
	const char *raw;
	int err;
	const char *says;	/* part of the message */
	unsigned int nr;
	u32 counters;
};

static const struct parse_case parse_cases[] = {
	{ "fixed counter", "pmc0", 0, NULL, 1, 0x1 },
	{ "two counters", "pmc0,pmc3=0x2e", 0, NULL, 2, 0x9 },
	{ "order of items is free", "usr3=0,os3,pmc3=11,pmc0", 0, NULL, 2, 0x9 },
	{ "key of the backend", "pmc1=0x2e,umask1=0x41", 0, NULL, 1, 0x2 },
	{ "core type", "pmc1=8,coretype=1", 0, NULL, 1, 0x2 },
	{ "last counter", "pmc31=8", 0, NULL, 1, 0x80000000 },
	{ "empty", "", -EINVAL, "cannot read" },
	{ "empty item", "pmc0,,pmc1=1", -EINVAL, "cannot read" },
	{ "trailing comma", "pmc0,", -EINVAL, "cannot read" },
	{ "not a key", "foo1=1,pmc1=1", -EINVAL, "foo" },
	{ "no index", "pmc=8", -EINVAL, "lacks the number" },
	{ "counter out of range", "pmc32=8", -EINVAL, "names no counter" },
	{ "huge index", "pmc99999999999=8", -EINVAL, "names no counter" },
	{ "negative index", "pmc-1=8", -EINVAL, "names no counter" },
	{ "no number", "pmc1=zz", -EINVAL, "hexadecimal" },
	{ "empty number", "pmc1=", -EINVAL, "hexadecimal" },
	{ "signed number", "pmc1=+1", -EINVAL, "hexadecimal" },
	{ "number too long", "pmc1=0x10000000000000000", -EINVAL, "hexadecimal" },
	{ "flag neither 0 nor 1", "pmc1=1,usr1=2", -EINVAL, "usr1" },
	{ "counter twice", "pmc1=1,pmc1=2", -EINVAL, "pmc1 is given twice" },
	{ "flag twice", "pmc1=1,os1,os1=0", -EINVAL, "os1 is given twice" },
	{ "core type twice", "pmc1=1,coretype=0,coretype=0", -EINVAL, "twice" },
	{ "settings without counter", "pmc1=1,usr2", -EINVAL, "pmc2 is not used" },
	{ "counts in no mode", "pmc1=1,usr1=0", -EINVAL, "neither" },
	{ "only settings", "coretype=1", -EINVAL, "no counter" },
	{ "ebs of nothing", "pmc1=1,ebs1=0", -EINVAL, "ebs1" },
	{ "addresses of nothing", "pmc1=1,ip1=0", -EINVAL, "ip1" },
	{ "samples and addresses", "pmc1=1,ebs1=5000,ip1=5000", -EINVAL, "ip1 is given twice" },
	{ "key too long", "abcdefghijklmnopq1=1", -EINVAL, "cannot read" },
	{ "control characters", "pmc1\n=1", -EINVAL, "control characters" },
	{ "newline at the end", "pmc1=1\n", -EINVAL, "control characters" },
};

static void parse_desc(const struct parse_case *c, char *desc)
{
	strscpy(desc, c->desc, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(parse, parse_cases, parse_desc);

static void parse_test(struct kunit *test)
{
	static const char *const keys[] = { "umask", NULL };
	const struct parse_case *c = test->param_value;
	struct pmct_evset_spec *spec = kunit_kzalloc(test, sizeof(*spec), GFP_KERNEL);
	struct pmct_msg msg = {};
	u32 counters = 0;
	unsigned int i;

	KUNIT_ASSERT_NOT_NULL(test, spec);
	KUNIT_EXPECT_EQ(test, pmct_evset_parse(c->raw, keys, spec, &msg), c->err);
	if (c->err) {
		KUNIT_EXPECT_TRUE_MSG(test, strstr(msg.text, c->says), "message is: %s", msg.text);
		return;
	}
	KUNIT_EXPECT_EQ(test, spec->nr, c->nr);
	for (i = 0; i < spec->nr; i++) {
		counters |= BIT(spec->event[i].counter);
		if (i)
			KUNIT_EXPECT_LT(test, spec->event[i - 1].counter, spec->event[i].counter);
	}
	KUNIT_EXPECT_EQ(test, counters, c->counters);
}

static void parse_values_test(struct kunit *test)
{
	static const char *const keys[] = { "umask", NULL };
	struct pmct_evset_spec *spec = kunit_kzalloc(test, sizeof(*spec), GFP_KERNEL);
	static const char raw[] = "pmc2=2E,umask2=0x41,os2,pmc1=8,usr1=0,os1=1,ebs1=50,coretype=1";
	struct pmct_msg msg = {};

	KUNIT_ASSERT_NOT_NULL(test, spec);
	KUNIT_ASSERT_EQ(test, 0, pmct_evset_parse(raw, keys, spec, &msg));
	KUNIT_EXPECT_EQ(test, spec->core_type, 1);
	KUNIT_EXPECT_EQ(test, spec->event[0].code, 0x8ULL);
	KUNIT_EXPECT_FALSE(test, spec->event[0].usr);
	KUNIT_EXPECT_TRUE(test, spec->event[0].os);
	KUNIT_EXPECT_EQ(test, spec->event[0].ebs, 50ULL);
	KUNIT_EXPECT_EQ(test, spec->event[1].code, 0x2eULL);
	KUNIT_EXPECT_EQ(test, spec->event[1].extra[0], 0x41U);
	KUNIT_EXPECT_TRUE(test, spec->event[1].usr);
	KUNIT_EXPECT_TRUE(test, spec->event[1].os);
	KUNIT_EXPECT_TRUE(test, pmct_evset_counts_kernel(spec));
}

static void parse_too_long_test(struct kunit *test)
{
	struct pmct_evset_spec *spec = kunit_kzalloc(test, sizeof(*spec), GFP_KERNEL);
	char *raw = kunit_kzalloc(test, PMCTRACK_MAX_RAW + 1, GFP_KERNEL);
	struct pmct_msg msg = {};

	KUNIT_ASSERT_NOT_NULL(test, spec);
	KUNIT_ASSERT_NOT_NULL(test, raw);
	memset(raw, '1', PMCTRACK_MAX_RAW);
	KUNIT_EXPECT_EQ(test, -E2BIG, pmct_evset_parse(raw, NULL, spec, &msg));
}

struct build_case {
	const char *desc;
	const char *raw;
	unsigned int core_type;
	int err;
};

static const struct build_case build_cases[] = {
	{ "fits", "pmc0,pmc1=0x10,pmc7=0x1f", 0, 0 },
	{ "counter the PMU lacks", "pmc8=0x10", 0, -EINVAL },
	{ "counter the small core lacks", "pmc7=0x10", 1, -EINVAL },
	{ "event the PMU lacks", "pmc1=0x20", 0, -EOPNOTSUPP },
	{ "too many samples", "pmc1=0x10,ebs1=999", 0, -EINVAL },
	{ "too few samples", "pmc1=0x10,ebs1=9223372036854775808", 0, -EINVAL },
	{ "too many addresses", "pmc1=0x10,ip1=999", 0, -EINVAL },
	{ "samples, and addresses", "pmc1=0x10,ebs1=1000,pmc2=0x10,ip2=1000", 0, -EINVAL },
	{ "two that sample", "pmc1=0x10,ebs1=1000,pmc2=0x10,ebs2=1000", 0, -EINVAL },
};

static void build_desc(const struct build_case *c, char *desc)
{
	strscpy(desc, c->desc, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(build, build_cases, build_desc);

static void build_test(struct kunit *test)
{
	const struct build_case *c = test->param_value;
	struct pmct_evset_spec *spec = kunit_kzalloc(test, sizeof(*spec), GFP_KERNEL);
	struct pmct_hwset *set = kunit_kzalloc(test, sizeof(*set), GFP_KERNEL);
	struct pmct_msg msg = {};

	KUNIT_ASSERT_NOT_NULL(test, spec);
	KUNIT_ASSERT_NOT_NULL(test, set);
	pmct_fake_reset();
	KUNIT_ASSERT_EQ(test, 0, pmct_evset_parse(c->raw, NULL, spec, &msg));
	KUNIT_EXPECT_EQ(test, c->err, pmct_evset_build(&pmct_fake, spec, c->core_type, set, &msg));
	KUNIT_EXPECT_EQ(test, !!c->err, !!msg.text[0]);
	if (c->err)
		return;
	KUNIT_EXPECT_EQ(test, set->nr, 3);
	KUNIT_EXPECT_EQ(test, set->counters, 0x83U);
	KUNIT_EXPECT_EQ(test, set->config[2], 0x1fULL | BIT_ULL(63));
	KUNIT_EXPECT_FALSE(test, set->narrow);
}

static void build_narrow_test(struct kunit *test)
{
	struct pmct_evset_spec *spec = kunit_kzalloc(test, sizeof(*spec), GFP_KERNEL);
	struct pmct_hwset *set = kunit_kzalloc(test, sizeof(*set), GFP_KERNEL);
	struct pmct_msg msg = {};

	KUNIT_ASSERT_NOT_NULL(test, spec);
	KUNIT_ASSERT_NOT_NULL(test, set);
	pmct_fake_reset();
	pmct_fake_narrow = true;
	KUNIT_ASSERT_EQ(test, 0, pmct_evset_parse("pmc0,pmc1=0x10", NULL, spec, &msg));
	KUNIT_ASSERT_EQ(test, 0, pmct_evset_build(&pmct_fake, spec, 0, set, &msg));
	KUNIT_EXPECT_TRUE(test, set->narrow);
	KUNIT_EXPECT_EQ(test, set->mask[0], U64_MAX);
	KUNIT_EXPECT_EQ(test, set->mask[1], (u64)U32_MAX);
}

struct delta_case {
	const char *desc;
	u64 last, now, mask;
	bool overflowed;
	u64 delta;
};

static const struct delta_case delta_cases[] = {
	{ "plain", 10, 25, U32_MAX, false, 25 - 10 },
	{ "nothing", 10, 10, U32_MAX, false, 0 },
	{ "wrap, flag seen", U32_MAX - 4, 5, U32_MAX, true, 10 },
	{ "wrap, flag not raised yet", U32_MAX - 4, 5, U32_MAX, false, 10 },
	{ "exactly one turn", 10, 10, U32_MAX, true, BIT_ULL(32) },
	{ "more than one turn", 10, 25, U32_MAX, true, BIT_ULL(32) + 15 },
	{ "from zero to the wrap", 0, 0, U32_MAX, true, BIT_ULL(32) },
	{ "64 bits, wrap", U64_MAX - 1, 3, U64_MAX, false, 5 },
	{ "40 bits, wrap", BIT_ULL(40) - 1, 0, BIT_ULL(40) - 1, true, 1 },
};

static void delta_desc(const struct delta_case *c, char *desc)
{
	strscpy(desc, c->desc, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(delta, delta_cases, delta_desc);

static void delta_test(struct kunit *test)
{
	const struct delta_case *c = test->param_value;

	KUNIT_EXPECT_EQ(test, pmct_delta(c->last, c->now, c->mask, c->overflowed), c->delta);
}

static struct kunit_case evset_cases[] = {
	KUNIT_CASE_PARAM(parse_test, parse_gen_params),
	KUNIT_CASE(parse_values_test),
	KUNIT_CASE(parse_too_long_test),
	KUNIT_CASE_PARAM(build_test, build_gen_params),
	KUNIT_CASE(build_narrow_test),
	KUNIT_CASE_PARAM(delta_test, delta_gen_params),
	{}
};

static struct kunit_suite evset_suite = {
	.name = "pmctrack_evset",
	.test_cases = evset_cases,
};

kunit_test_suite(evset_suite);
