// SPDX-License-Identifier: GPL-2.0-only
/* What monitoring modules share: ratios that cannot overflow, averages, the phase guard. */
#include <kunit/test.h>

#include "../mmon-common.h"

struct ratio_case {
	const char *desc;
	u64 part, whole;
	u32 scale;
	bool ok;
	u64 result;
};

static const struct ratio_case ratio_cases[] = {
	{ "half", 1, 2, 1000, true, 500 },
	{ "rounded down", 2, 3, 1000, true, 666 },
	{ "nothing", 0, 5, 1000, true, 0 },
	{ "by nothing", 5, 0, 1000, false },
	{ "scale 0", 5, 2, 0, true, 0 },
	{ "largest scale", 3, 2, U32_MAX, true, 3ULL * U32_MAX / 2 },
	{ "product of 64 bits", U64_MAX / 1000, 1, 1000, true, U64_MAX / 1000 * 1000 },
	{ "product of more bits", U64_MAX, U64_MAX, 1000, true, 1000 },
	{ "product of more bits, small divisor", U64_MAX / 8, 1000, 1000, true, U64_MAX / 8 },
	{ "product of more bits, less than 1", U64_MAX / 4, U64_MAX / 2 + 1, 1000, true, 499 },
	{ "largest result", U64_MAX, 1, 1, true, U64_MAX },
	{ "too large", U64_MAX, 1, 2, false },
	{ "too large by its rest", U64_MAX - 1, 3, 4, false },
};

static void ratio_desc(const struct ratio_case *c, char *desc)
{
	strscpy(desc, c->desc, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(ratio, ratio_cases, ratio_desc);

static void ratio_test(struct kunit *test)
{
	const struct ratio_case *c = test->param_value;
	u64 result = 0;

	KUNIT_EXPECT_EQ(test, pmct_ratio(c->part, c->whole, c->scale, &result), c->ok);
	KUNIT_EXPECT_EQ(test, result, c->result);
}

static void average_first_values_test(struct kunit *test)
{
	struct pmct_average a = {};

	KUNIT_EXPECT_EQ(test, pmct_average_value(&a), 0ULL);
	pmct_average_add(&a, 100);
	KUNIT_EXPECT_EQ(test, pmct_average_value(&a), 100ULL);
	pmct_average_add(&a, 200);
	KUNIT_EXPECT_EQ(test, pmct_average_value(&a), (100ULL + 200) / 2);
	pmct_average_add(&a, 600);
	KUNIT_EXPECT_EQ(test, pmct_average_value(&a), (100ULL + 200 + 600) / 3);
}

/* The average comes to within one of a value that does not change, from both sides. */
static void average_converges_test(struct kunit *test)
{
	struct pmct_average a = {};
	unsigned int i;

	for (i = 0; i < 20; i++)
		pmct_average_add(&a, 1000000);
	for (i = 0; i < 200; i++)
		pmct_average_add(&a, 7);
	KUNIT_EXPECT_LE(test, pmct_average_value(&a), 8ULL);
	KUNIT_EXPECT_GE(test, pmct_average_value(&a), 7ULL);
	for (i = 0; i < 200; i++)
		pmct_average_add(&a, 1000);
	KUNIT_EXPECT_LE(test, pmct_average_value(&a), 1000ULL);
	KUNIT_EXPECT_GE(test, pmct_average_value(&a), 999ULL);
}

static void average_limits_test(struct kunit *test)
{
	struct pmct_average a = {};
	unsigned int i;

	for (i = 0; i < 20; i++)
		pmct_average_add(&a, U64_MAX);
	KUNIT_EXPECT_EQ(test, pmct_average_value(&a), PMCT_AVERAGE_MAX);
	pmct_average_add(&a, 0);
	KUNIT_EXPECT_LT(test, pmct_average_value(&a), PMCT_AVERAGE_MAX);
}

static void guard_test(struct kunit *test)
{
	struct pmct_average a = {};

	/* There is no phase before the first value. */
	KUNIT_EXPECT_FALSE(test, pmct_average_guard(&a, 1000, 10));
	KUNIT_EXPECT_FALSE(test, pmct_average_guard(&a, 1100, 10));
	KUNIT_EXPECT_EQ(test, pmct_average_value(&a), 1050ULL);
	KUNIT_EXPECT_FALSE(test, pmct_average_guard(&a, 945, 10));
	/* From 1015 on, 101 below is of the same phase, and 102 below of another one. */
	KUNIT_EXPECT_EQ(test, pmct_average_value(&a), 1015ULL);
	KUNIT_EXPECT_TRUE(test, pmct_average_guard(&a, 1015 - 102, 10));
	/* The average has no values of the phase before. */
	KUNIT_EXPECT_EQ(test, pmct_average_value(&a), 1015ULL - 102);
	KUNIT_EXPECT_FALSE(test, pmct_average_guard(&a, 1015 - 102 + 91, 10));
}

static void guard_limits_test(struct kunit *test)
{
	struct pmct_average a = {};

	KUNIT_EXPECT_FALSE(test, pmct_average_guard(&a, 0, 50));
	KUNIT_EXPECT_TRUE(test, pmct_average_guard(&a, 1, 50));
	KUNIT_EXPECT_TRUE(test, pmct_average_guard(&a, U64_MAX, 50));
	KUNIT_EXPECT_FALSE(test, pmct_average_guard(&a, U64_MAX, 50));
	KUNIT_EXPECT_TRUE(test, pmct_average_guard(&a, 0, 50));
}

static struct kunit_case mmon_common_cases[] = {
	KUNIT_CASE_PARAM(ratio_test, ratio_gen_params),
	KUNIT_CASE(average_first_values_test),
	KUNIT_CASE(average_converges_test),
	KUNIT_CASE(average_limits_test),
	KUNIT_CASE(guard_test),
	KUNIT_CASE(guard_limits_test),
	{}
};

static struct kunit_suite mmon_common_suite = {
	.name = "pmctrack_mmon_common",
	.test_cases = mmon_common_cases,
};

kunit_test_suite(mmon_common_suite);
