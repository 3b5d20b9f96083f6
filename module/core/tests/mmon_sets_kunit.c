// SPDX-License-Identifier: GPL-2.0-only
/* Event sets of monitoring modules: raw strings for each core type, and positions of counts. */
#include <kunit/test.h>

#include "../../pmu-backends/tests/fake.h"
#include "../mmon_call.h"
#include "../owner.h"

enum { INSTR, CYCLES, BRANCHES, KERNEL };

static const char *const events[] = {
	[INSTR] = "instr", [CYCLES] = "cycles", [BRANCHES] = "branches", [KERNEL] = "cycles:k",
};

static struct monitoring_module counter = {
	.name = "counter", .description = "for tests", .events = events,
	.nr_events = ARRAY_SIZE(events),
};

/* A record of three counts: 100, 101, 102. */
static struct {
	struct pmctrack_record head;
	u64 counts[3];
} record = { .counts = { 100, 101, 102 } };

/* The same as pmct_mmon_sample() for the module's own sets. */
static int count_of(unsigned int core_type, unsigned int set, unsigned int event, u64 *value)
{
	struct pmct_sample sample = {
		.rec = &record.head,
		.own_sets = true,
		.where = counter.sets->where[core_type][set],
	};

	record.head.core_type = core_type;
	record.head.set = set;
	record.head.nr_counts = 3;
	return pmct_sample_count(&sample, event, value);
}

static int sets_init(struct kunit *test)
{
	pmct_fake_reset();
	test->priv = (void *)pmct_backend;
	pmct_owner_use(&pmct_fake);
	return 0;
}

/* Called as by enable(). */
static int configure(const char *const *sets, unsigned int nr)
{
	int err;

	pmct_mmon_lock();
	err = configure_performance_counters_set(&counter, sets, nr);
	pmct_mmon_unlock();
	return err;
}

/* Raw strings belong to the module. What the core owned is freed. */
static void sets_exit(struct kunit *test)
{
	static const char *const raw[] = { "pmc0" };

	pmct_mmon_lock();
	KUNIT_EXPECT_EQ(test, configure_raw_performance_counters_set(&counter, raw, 1), 0);
	pmct_mmon_unlock();
	KUNIT_EXPECT_NULL(test, counter.sets);
	KUNIT_EXPECT_PTR_EQ(test, counter.raw, (const char *const *)raw);
	counter.raw = NULL;
	counter.nr_raw = 0;
	pmct_owner_use(test->priv);
}

static void all_core_types_test(struct kunit *test)
{
	static const char *const sets[] = { "instr,cycles", "cycles:k,cycles,branches" };

	KUNIT_ASSERT_EQ(test, configure(sets, 2), 0);
	KUNIT_ASSERT_EQ(test, counter.nr_raw, 4U);
	KUNIT_EXPECT_STREQ(test, counter.raw[0], "pmc0,pmc1=0x10,coretype=0");
	KUNIT_EXPECT_STREQ(test, counter.raw[1], "pmc0,pmc1=0x10,coretype=1");
	KUNIT_EXPECT_STREQ(test, counter.raw[2],
			   "pmc0,usr0=0,os0=1,pmc1=0x11,pmc2=0x12,coretype=0");
	KUNIT_EXPECT_STREQ(test, counter.raw[3],
			   "pmc0,usr0=0,os0=1,pmc1=0x11,pmc2=0x12,coretype=1");
}

static void where_test(struct kunit *test)
{
	/* The first set of core type 1 is the second of core type 0. */
	static const char *const sets[] = { "coretype=0:instr", "instr,cycles,branches" };
	u64 value = 0;

	KUNIT_ASSERT_EQ(test, configure(sets, 2), 0);
	KUNIT_EXPECT_EQ(test, counter.nr_raw, 3U);
	KUNIT_EXPECT_EQ(test, counter.sets->nr[0], 2);
	KUNIT_EXPECT_EQ(test, counter.sets->nr[1], 1);
	KUNIT_EXPECT_EQ(test, count_of(0, 0, INSTR, &value), 0);
	KUNIT_EXPECT_EQ(test, value, 100ULL);
	KUNIT_EXPECT_EQ(test, count_of(0, 0, CYCLES, &value), -ENODATA);
	KUNIT_EXPECT_EQ(test, count_of(0, 1, CYCLES, &value), 0);
	KUNIT_EXPECT_EQ(test, value, 100ULL);
	KUNIT_EXPECT_EQ(test, count_of(1, 0, INSTR, &value), 0);
	KUNIT_EXPECT_EQ(test, value, 101ULL);
	KUNIT_EXPECT_EQ(test, count_of(1, 0, BRANCHES, &value), 0);
	KUNIT_EXPECT_EQ(test, value, 102ULL);
	KUNIT_EXPECT_EQ(test, count_of(1, 0, KERNEL, &value), -ENODATA);
	KUNIT_EXPECT_EQ(test, count_of(1, 0, PMCT_MAX_MMON_EVENTS, &value), -ENODATA);
}

/* If the next sets cannot be counted, the previous ones stay. */
static void refused_test(struct kunit *test)
{
	static const char *const good[] = { "instr,cycles" };
	static const char *const unknown[] = { "instr", "cycles,cycles:uk" };
	static const char *const empty[] = { "" };
	const char *many[PMCTRACK_MAX_SETS + 1];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(many); i++)
		many[i] = "instr";
	KUNIT_ASSERT_EQ(test, configure(good, 1), 0);
	KUNIT_EXPECT_EQ(test, configure(unknown, 2), -EINVAL);
	KUNIT_EXPECT_EQ(test, configure(empty, 1), -EINVAL);
	KUNIT_EXPECT_EQ(test, configure(NULL, 0), -EINVAL);
	KUNIT_EXPECT_EQ(test, configure(many, ARRAY_SIZE(many)), -E2BIG);
	KUNIT_EXPECT_EQ(test, counter.nr_raw, 2U);
	KUNIT_EXPECT_STREQ(test, counter.raw[0], "pmc0,pmc1=0x10,coretype=0");
}

/* The user counts other events, or the module has given raw strings. */
static void no_names_test(struct kunit *test)
{
	struct pmct_sample sample = { .rec = &record.head };
	u64 value;

	record.head.nr_counts = 3;
	KUNIT_EXPECT_EQ(test, pmct_sample_count(&sample, INSTR, &value), -ENODATA);
}

static struct kunit_case mmon_sets_cases[] = {
	KUNIT_CASE(all_core_types_test),
	KUNIT_CASE(where_test),
	KUNIT_CASE(refused_test),
	KUNIT_CASE(no_names_test),
	{}
};

static struct kunit_suite mmon_sets_suite = {
	.name = "pmctrack_mmon_sets",
	.init = sets_init,
	.exit = sets_exit,
	.test_cases = mmon_sets_cases,
};

kunit_test_suite(mmon_sets_suite);
