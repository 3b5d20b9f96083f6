// SPDX-License-Identifier: GPL-2.0-only
/* RMIDs: each application has one, no RMID is used twice, and the order is that of the policy. */
#include <kunit/test.h>

#include "../rmids.h"

static struct pmct_rmids *new_rmids(struct kunit *test, unsigned int nr,
				    enum pmct_rmid_policy policy, bool waits)
{
	struct pmct_rmids *r = kunit_kzalloc(test, sizeof(*r), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, r);
	pmct_rmids_init(r, nr, policy, waits);
	return r;
}

static void threads_test(struct kunit *test)
{
	struct pmct_rmids *r = new_rmids(test, 4, PMCT_RMID_FIFO, false);
	unsigned int a = pmct_rmids_get(r, 100);
	unsigned int b = pmct_rmids_get(r, 200);

	KUNIT_EXPECT_NE(test, a, 0U);
	KUNIT_EXPECT_NE(test, b, 0U);
	KUNIT_EXPECT_NE(test, a, b);
	KUNIT_EXPECT_EQ(test, pmct_rmids_get(r, 100), a);
	pmct_rmids_put(r, a, false);
	KUNIT_EXPECT_EQ(test, pmct_rmids_get(r, 100), a);
	pmct_rmids_put(r, a, false);
	pmct_rmids_put(r, a, false);
	/* The RMID is free. A new process with the same PID is another application. */
	KUNIT_EXPECT_NE(test, pmct_rmids_get(r, 100), a);
}

static void used_up_test(struct kunit *test)
{
	struct pmct_rmids *r = new_rmids(test, 3, PMCT_RMID_FIFO, false);
	unsigned int a = pmct_rmids_get(r, 1);

	KUNIT_EXPECT_NE(test, pmct_rmids_get(r, 2), 0U);
	KUNIT_EXPECT_EQ(test, pmct_rmids_get(r, 3), 0U);
	KUNIT_EXPECT_EQ(test, r->refused, 1ULL);
	/* A thread without an RMID gives none back. */
	pmct_rmids_put(r, 0, false);
	pmct_rmids_put(r, a, false);
	KUNIT_EXPECT_EQ(test, pmct_rmids_get(r, 3), a);
}

/* The order in which RMIDs that were given back are used again. */
static void policies_test(struct kunit *test)
{
	static const u8 expected[][3] = {
		[PMCT_RMID_FIFO] = { 4, 5, 2 }, [PMCT_RMID_LIFO] = { 1, 3, 2 },
	};
	unsigned int policy, i;

	for (policy = 0; policy < ARRAY_SIZE(expected); policy++) {
		struct pmct_rmids *r = new_rmids(test, 6, policy, false);
		unsigned int first[6];

		for (i = 1; i < 6; i++)
			first[i] = pmct_rmids_get(r, i);
		/* FIFO has given 1 to 5, LIFO 5 to 1. */
		KUNIT_EXPECT_EQ(test, first[1], policy == PMCT_RMID_FIFO ? 1U : 5U);
		pmct_rmids_put(r, policy == PMCT_RMID_FIFO ? 4 : 2, false);
		pmct_rmids_put(r, policy == PMCT_RMID_FIFO ? 5 : 3, false);
		pmct_rmids_put(r, policy == PMCT_RMID_FIFO ? 2 : 1, false);
		for (i = 0; i < 3; i++)
			KUNIT_EXPECT_EQ(test, pmct_rmids_get(r, 10 + i), expected[policy][i]);
	}
}

static void random_test(struct kunit *test)
{
	struct pmct_rmids *r = new_rmids(test, 200, PMCT_RMID_RANDOM, false);
	bool seen[200] = {};
	unsigned int i, rmid, ascending = 0, last = 0;

	for (i = 1; i < 200; i++) {
		rmid = pmct_rmids_get(r, i);
		KUNIT_ASSERT_LT(test, rmid, 200U);
		KUNIT_EXPECT_FALSE(test, seen[rmid]);
		seen[rmid] = true;
		ascending += rmid > last;
		last = rmid;
	}
	KUNIT_EXPECT_LT(test, ascending, 150U);
	KUNIT_EXPECT_EQ(test, pmct_rmids_get(r, 1000), 0U);
}

/* An RMID whose lines are still in the cache would begin with lines of another application. */
static void waits_test(struct kunit *test)
{
	struct pmct_rmids *r = new_rmids(test, 3, PMCT_RMID_LIFO, true);
	unsigned int a = pmct_rmids_get(r, 1);
	unsigned int b = pmct_rmids_get(r, 2);

	pmct_rmids_put(r, a, false);
	pmct_rmids_put(r, b, false);
	KUNIT_EXPECT_EQ(test, pmct_rmids_get(r, 3), 0U);
	pmct_rmids_clean(r, b);
	pmct_rmids_clean(r, b);
	KUNIT_EXPECT_EQ(test, pmct_rmids_get(r, 3), b);
	KUNIT_EXPECT_EQ(test, pmct_rmids_get(r, 4), 0U);
	pmct_rmids_clean(r, a);
	KUNIT_EXPECT_EQ(test, pmct_rmids_get(r, 4), a);
}

/* A CPU may still have the RMID of a thread that did not give it back itself. */
static void linger_test(struct kunit *test)
{
	struct pmct_rmids *r = new_rmids(test, 3, PMCT_RMID_FIFO, false);
	unsigned int a = pmct_rmids_get(r, 1);
	unsigned int b = pmct_rmids_get(r, 2);

	KUNIT_EXPECT_EQ(test, pmct_rmids_get(r, 1), a);
	/* One of two threads lingers, whatever the last one does. */
	pmct_rmids_put(r, a, true);
	pmct_rmids_put(r, a, false);
	KUNIT_EXPECT_EQ(test, pmct_rmids_get(r, 3), 0U);
	pmct_rmids_clean(r, a);
	KUNIT_EXPECT_EQ(test, pmct_rmids_get(r, 3), a);
	/* The next application is not affected. */
	pmct_rmids_put(r, a, false);
	KUNIT_EXPECT_EQ(test, pmct_rmids_get(r, 4), a);
	pmct_rmids_put(r, b, false);
}

static struct kunit_case rmids_cases[] = {
	KUNIT_CASE(threads_test),
	KUNIT_CASE(used_up_test),
	KUNIT_CASE(policies_test),
	KUNIT_CASE(random_test),
	KUNIT_CASE(waits_test),
	KUNIT_CASE(linger_test),
	{}
};

static struct kunit_suite rmids_suite = {
	.name = "pmctrack_rmids",
	.test_cases = rmids_cases,
};

kunit_test_suite(rmids_suite);
