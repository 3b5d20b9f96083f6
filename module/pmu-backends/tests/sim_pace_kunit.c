// SPDX-License-Identifier: GPL-2.0-only
/* When the simulated machine is updated. */
#include <kunit/test.h>

#include "../sim/model.h"

#define US	1000ULL		/* ns */
#define MS	1000000ULL

static void calm_test(struct kunit *test)
{
	struct pmct_sim_pace pace;
	u64 now;

	pmct_sim_pace_init(&pace, 5 * MS);
	for (now = 6 * MS; now < 10 * MS; now += MS) {
		KUNIT_EXPECT_EQ(test, pace.next, now);
		KUNIT_EXPECT_TRUE(test, pmct_sim_pace_stepped(&pace, now));
	}
}

/* After a change, steps come soon, then later and later. Meters keep their period of 1 ms. */
static void change_test(struct kunit *test)
{
	static const u64 at[] = { 320, 340, 380, 460, 560, 660, 760, 860, 960 };
	struct pmct_sim_pace pace;
	unsigned int i;

	pmct_sim_pace_init(&pace, 0);
	pmct_sim_pace_changed(&pace, 300 * US);
	/* The next step covers the second change, too. */
	pmct_sim_pace_changed(&pace, 310 * US);
	for (i = 0; i < ARRAY_SIZE(at); i++) {
		KUNIT_EXPECT_EQ(test, pace.next, at[i] * US);
		KUNIT_EXPECT_FALSE(test, pmct_sim_pace_stepped(&pace, pace.next));
	}
	KUNIT_EXPECT_EQ(test, pace.next, MS);
	while (pace.next < 5 * MS)
		pmct_sim_pace_stepped(&pace, pace.next);
	/* If a change is just before a step, that step sees it first, and others follow soon. */
	pmct_sim_pace_changed(&pace, pace.next - 10 * US);
	KUNIT_EXPECT_EQ(test, pace.next, 5 * MS);
	pmct_sim_pace_stepped(&pace, pace.next);
	KUNIT_EXPECT_EQ(test, pace.next, 5 * MS + 20 * US);
}

/* Of 10,000 changes in a second, only those are followed that are paid for. */
static void storm_test(struct kunit *test)
{
	struct pmct_sim_pace pace;
	unsigned int i, steps = 0;

	pmct_sim_pace_init(&pace, 0);
	for (i = 1; i <= 10000; i++) {
		for (; pace.next <= i * 100 * US; steps++)
			pmct_sim_pace_stepped(&pace, pace.next);
		pmct_sim_pace_changed(&pace, i * 100 * US);
	}
	KUNIT_EXPECT_GT(test, steps, 1000 + 100 * 3);
	KUNIT_EXPECT_LT(test, steps, 1000 + 105 * 40);
}

static struct kunit_case pace_kunit_cases[] = {
	KUNIT_CASE(calm_test),
	KUNIT_CASE(change_test),
	KUNIT_CASE(storm_test),
	{}
};

static struct kunit_suite pace_suite = {
	.name = "pmctrack_sim_pace",
	.test_cases = pace_kunit_cases,
};

kunit_test_suite(pace_suite);
