// SPDX-License-Identifier: GPL-2.0-only
/* Meters that wrap around, shares that add up, energy-delay products. */
#include <kunit/test.h>
#include <linux/ktime.h>

#include "../share.h"

static const struct pmct_meter rapl = { .uj_mul = 1000000, .uj_shift = 16, .width = 32 };
static const struct pmct_meter narrow = { .uj_mul = 3, .uj_shift = 0, .width = 8 };

static void advance_test(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, pmct_meter_advance(&rapl, 5, 5), 0ULL);
	KUNIT_EXPECT_EQ(test, pmct_meter_advance(&rapl, 5, 12), 7ULL);
	KUNIT_EXPECT_EQ(test, pmct_meter_advance(&rapl, U32_MAX, 0), 1ULL);
	KUNIT_EXPECT_EQ(test, pmct_meter_advance(&narrow, 250, 4), 10ULL);
	KUNIT_EXPECT_EQ(test, pmct_meter_advance(&narrow, 4, 3), 255ULL);
}

static void uj_test(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, pmct_meter_uj(&rapl, 1), 15ULL);
	KUNIT_EXPECT_EQ(test, pmct_meter_uj(&rapl, 65536), 1000000ULL);
	/* A year at 1000 W. */
	KUNIT_EXPECT_EQ(test, pmct_meter_uj(&rapl, 31536000000ULL << 16), 31536000000ULL * 1000000);
	KUNIT_EXPECT_EQ(test, pmct_meter_uj(&narrow, 7), 21ULL);
}

static void plausible_test(struct kunit *test)
{
	/* 10 J in 10 ms are 1000 W. The update may have begun 5 ms earlier. */
	KUNIT_EXPECT_TRUE(test, pmct_meter_plausible(&rapl, 10 << 16, 10 * NSEC_PER_MSEC, 1000));
	KUNIT_EXPECT_TRUE(test, pmct_meter_plausible(&rapl, 15 << 16, 10 * NSEC_PER_MSEC, 1000));
	KUNIT_EXPECT_FALSE(test, pmct_meter_plausible(&rapl, 16 << 16, 10 * NSEC_PER_MSEC, 1000));
	KUNIT_EXPECT_FALSE(test, pmct_meter_plausible(&rapl, U32_MAX, 10 * NSEC_PER_MSEC, 1000));
}

/* Each CPU gets its part, rounded to a unit. All CPUs together get all. */
static void shares_test(struct kunit *test)
{
	static const u64 parts[] = { 1, 0, 333, 333, 1000, 7, 999999 };
	u64 whole = 0, sum, one, units;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(parts); i++)
		whole += parts[i];
	for (units = 0; units < 1000000; units += 1 + units / 3) {
		struct pmct_share share = { .units = units, .whole = whole };

		for (i = 0, sum = 0; i < ARRAY_SIZE(parts); i++) {
			one = pmct_share_next(&share, parts[i]);
			KUNIT_EXPECT_LE(test, one, units * parts[i] / whole + 1);
			KUNIT_EXPECT_GE(test, one + 1, units * parts[i] / whole);
			sum += one;
		}
		KUNIT_EXPECT_EQ(test, sum, units);
		KUNIT_EXPECT_EQ(test, share.given, units);
	}
}

/* If less than one CPU was busy, the rest belongs to no CPU. */
static void share_of_idle_test(struct kunit *test)
{
	struct pmct_share share = { .units = 1000, .whole = 1000000 };

	KUNIT_EXPECT_EQ(test, pmct_share_next(&share, 250000), 250ULL);
	KUNIT_EXPECT_EQ(test, share.given, 250ULL);
	share = (struct pmct_share) { .units = 1000 };
	KUNIT_EXPECT_EQ(test, pmct_share_next(&share, 0), 0ULL);
}

/* Steps of 1 ms: idle time that becomes known by ticks of 4 ms is used in four steps. */
static void idle_by_ticks_test(struct kunit *test)
{
	u64 used = 1000000, now = used, sum = 0;
	unsigned int i;

	for (i = 1; i <= 40; i++) {
		if (i % 4 == 0)
			now += 4000;
		sum += pmct_idle_step(&used, now, NSEC_PER_MSEC, 4 * NSEC_PER_MSEC);
	}
	/* The last three are still late. */
	KUNIT_EXPECT_EQ(test, sum, 37 * NSEC_PER_MSEC);
	KUNIT_EXPECT_EQ(test, used, now - 3000);
}

static void idle_step_test(struct kunit *test)
{
	u64 used = 1000;

	/* Half of the step. */
	KUNIT_EXPECT_EQ(test, pmct_idle_step(&used, 1500, 1000000, 0), 500000ULL);
	/* The account goes back, and catches up. */
	KUNIT_EXPECT_EQ(test, pmct_idle_step(&used, 1400, 1000000, 0), 0ULL);
	KUNIT_EXPECT_EQ(test, pmct_idle_step(&used, 1700, 1000000, 0), 200000ULL);
	/* Without lateness, what exceeds the step is lost; with it, no more is kept. */
	KUNIT_EXPECT_EQ(test, pmct_idle_step(&used, 9700, 1000000, 0), 1000000ULL);
	KUNIT_EXPECT_EQ(test, pmct_idle_step(&used, 9700, 1000000, 0), 0ULL);
	KUNIT_EXPECT_EQ(test, pmct_idle_step(&used, 19700, 1000000, 2000000), 1000000ULL);
	KUNIT_EXPECT_EQ(test, pmct_idle_step(&used, 19700, 1500000, 2000000), 1500000ULL);
	KUNIT_EXPECT_EQ(test, pmct_idle_step(&used, 19700, 1500000, 2000000), 500000ULL);
	/* 3 ms more than there is were used, by an estimate. */
	used += 3000;
	KUNIT_EXPECT_EQ(test, pmct_idle_step(&used, 20700, 1000000, 2000000), 0ULL);
	KUNIT_EXPECT_EQ(test, pmct_idle_step(&used, 23700, 3000000, 2000000), 1000000ULL);
}

struct edp_case {
	const char *desc;
	u64 uj, ns, instr;
	bool ok;
	u64 edp;
};

static const struct edp_case edp_cases[] = {
	/* 2 nJ and 0.5 ns for an instruction: 2000 pJ * 500 ps. */
	{ "second", 4000000, NSEC_PER_SEC, 2000000000, true, 1000000 },
	{ "window of a tenth", 400000, NSEC_PER_SEC / 10, 200000000, true, 1000000 },
	/* 333.333 pJ * 333.333 ps */
	{ "fractions", 1000, 1000000, 3000000, true, 111110 },
	{ "no energy", 0, NSEC_PER_SEC, 1000000, true, 0 },
	{ "no instructions", 1, 1, 0, false },
	{ "one instruction in a second", 1, NSEC_PER_SEC, 1, false },
};

static void edp_desc(const struct edp_case *c, char *desc)
{
	strscpy(desc, c->desc, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(edp, edp_cases, edp_desc);

static void edp_test(struct kunit *test)
{
	const struct edp_case *c = test->param_value;
	u64 edp = 0;

	KUNIT_EXPECT_EQ(test, pmct_edp(c->uj, c->ns, c->instr, &edp), c->ok);
	KUNIT_EXPECT_EQ(test, edp, c->edp);
}

static struct kunit_case share_cases[] = {
	KUNIT_CASE(advance_test),
	KUNIT_CASE(uj_test),
	KUNIT_CASE(plausible_test),
	KUNIT_CASE(shares_test),
	KUNIT_CASE(share_of_idle_test),
	KUNIT_CASE(idle_by_ticks_test),
	KUNIT_CASE(idle_step_test),
	KUNIT_CASE_PARAM(edp_test, edp_gen_params),
	{}
};

static struct kunit_suite share_suite = {
	.name = "pmctrack_share",
	.test_cases = share_cases,
};

kunit_test_suite(share_suite);
