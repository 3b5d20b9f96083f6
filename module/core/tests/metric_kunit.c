// SPDX-License-Identifier: GPL-2.0-only
/* Published metrics: value, age and confidence belong together for every reader at any time. */
#include <kunit/test.h>
#include <linux/jiffies.h>

#include "../metric_slot.h"
#include "../mmon_call.h"
#include "fixture.h"

struct slot {
	u32 version;
	struct pmct_metric_copy copy[2];
};

static void slot_empty_test(struct kunit *test)
{
	struct slot s = {};
	struct pmct_metric_copy c;

	KUNIT_EXPECT_EQ(test, pmct_metric_read(&s.version, s.copy, &c), -ENODATA);
}

static void slot_last_value_test(struct kunit *test)
{
	struct slot s = {};
	struct pmct_metric_copy c;
	u64 i;

	for (i = 1; i < 10; i++) {
		pmct_metric_write(&s.version, s.copy, i, 100 + i);
		KUNIT_EXPECT_EQ(test, pmct_metric_read(&s.version, s.copy, &c), 0);
		KUNIT_EXPECT_EQ(test, c.value, i);
		KUNIT_EXPECT_EQ(test, c.stamp, 100 + i);
	}
}

/* The state that an NMI in the middle of pmct_metric_write() sees. */
static void slot_half_written_test(struct kunit *test)
{
	struct slot s = {};
	struct pmct_metric_copy c;

	pmct_metric_write(&s.version, s.copy, 1, 101);
	s.copy[(s.version + 1) & 1].value = 2;
	KUNIT_EXPECT_EQ(test, pmct_metric_read(&s.version, s.copy, &c), 0);
	KUNIT_EXPECT_EQ(test, c.value, 1ULL);
	KUNIT_EXPECT_EQ(test, c.stamp, 101ULL);
}

/* The version that means "no value" is skipped. */
static void slot_wrap_test(struct kunit *test)
{
	struct slot s = { .version = U32_MAX - 1 };
	struct pmct_metric_copy c;
	u64 i;

	for (i = 1; i < 6; i++) {
		pmct_metric_write(&s.version, s.copy, i, 100 + i);
		KUNIT_EXPECT_NE(test, s.version, 0U);
		KUNIT_EXPECT_EQ(test, pmct_metric_read(&s.version, s.copy, &c), 0);
		KUNIT_EXPECT_EQ(test, c.value, i);
		KUNIT_EXPECT_EQ(test, c.stamp, 100 + i);
	}
}

static void stamp_test(struct kunit *test)
{
	const unsigned long times[] = { 0, 1, U32_MAX, BIT_ULL(62) - 1 };
	unsigned int i, confidence;
	u64 stamp;

	for (i = 0; i < ARRAY_SIZE(times); i++) {
		for (confidence = 0; confidence <= PMCT_MEASURED; confidence++) {
			stamp = pmct_metric_stamp(times[i], confidence);
			KUNIT_EXPECT_EQ(test, pmct_metric_time(stamp), times[i]);
			KUNIT_EXPECT_EQ(test, pmct_metric_confidence(stamp), confidence);
		}
	}
}

static struct kunit_case slot_cases[] = {
	KUNIT_CASE(slot_empty_test),
	KUNIT_CASE(slot_last_value_test),
	KUNIT_CASE(slot_half_written_test),
	KUNIT_CASE(slot_wrap_test),
	KUNIT_CASE(stamp_test),
	{}
};

static struct kunit_suite slot_suite = {
	.name = "pmctrack_metric_slot",
	.test_cases = slot_cases,
};

/* A module that is active for the fixture's threads, and publishes when a test requests it. */
static struct monitoring_module publisher = { .name = "publisher", .gen = 1 };

static int read_metric(struct pmct_ctx *ctx, int key, struct pmct_metric_value *value)
{
	int err;

	rcu_read_lock();
	err = pmct_mmon_read(ctx, key, value);
	rcu_read_unlock();
	return err;
}

static int publish_init(struct kunit *test)
{
	struct fixture *f;
	int err = pmct_fixture_init(test);

	if (err)
		return err;
	f = test->priv;
	f->a->mm.gen = publisher.gen;
	pmct_mmon_lock();
	/* No other module is active while suites run. */
	rcu_assign_pointer(pmct_mmon, &publisher);
	pmct_mmon_unlock();
	return 0;
}

static void publish_exit(struct kunit *test)
{
	pmct_mmon_lock();
	RCU_INIT_POINTER(pmct_mmon, NULL);
	pmct_mmon_unlock();
	synchronize_rcu();
	pmct_fixture_exit(test);
}

static unsigned int addresses;

static void count_address(struct pmct_ctx *ctx, u64 ip)
{
	addresses++;
}

/* An address each 1000 events, or up to a quarter later; the interval goes on. */
static void address_test(struct kunit *test)
{
	struct fixture *f = test->priv;
	struct pmct_test_record rec;
	unsigned int i;

	pmct_fixture_reopen(test, "pmc0,pmc1=0x10,ip1=1000", NULL);
	f->a->mm.gen = publisher.gen;
	f->s->mm_sets = true;
	f->s->mm_gen = publisher.gen;
	publisher.on_address = count_address;
	addresses = 0;
	KUNIT_EXPECT_FALSE(test, f->s->sets.by_events);
	KUNIT_EXPECT_NE(test, f->s->period, 0);
	enter_cpu(f);
	switch_to(NULL, f->a);
	pmct_fake_count(1, 999);
	KUNIT_EXPECT_FALSE(test, pmct_overflow());
	KUNIT_EXPECT_EQ(test, addresses, 0);
	for (i = 0; i < 1000; i++) {
		pmct_fake_count(1, 50);
		pmct_overflow();
	}
	KUNIT_EXPECT_GE(test, addresses, 51 * 4 / 5);
	KUNIT_EXPECT_LE(test, addresses, 51);
	switch_to(f->a, NULL);
	KUNIT_EXPECT_EQ(test, f->a->sum[1], 50999ULL);
	switch_to(NULL, f->a);
	KUNIT_EXPECT_EQ(test, pmct_fixture_take(f->s->rings.ring, &rec), 0);
	/* A thread of another module, or of a user's sets, has no addresses. */
	f->s->mm_sets = false;
	i = addresses;
	pmct_fake_count(1, 10000);
	pmct_overflow();
	KUNIT_EXPECT_EQ(test, addresses, i);
	switch_to(f->a, NULL);
	leave_cpu(f);
	publisher.on_address = NULL;
}

static void publish_test(struct kunit *test)
{
	struct fixture *f = test->priv;
	struct pmct_metric_value v;

	KUNIT_EXPECT_EQ(test, read_metric(f->a, PMCT_METRIC_IPC, &v), -ENODATA);
	pmct_mmon_publish(f->a, PMCT_METRIC_IPC, 1500, PMCT_ESTIMATED);
	KUNIT_EXPECT_EQ(test, read_metric(f->a, PMCT_METRIC_IPC, &v), 0);
	KUNIT_EXPECT_EQ(test, v.value, 1500ULL);
	KUNIT_EXPECT_EQ(test, v.confidence, PMCT_ESTIMATED);
	KUNIT_EXPECT_LT(test, v.age_ms, 10 * MSEC_PER_SEC);
	/* Neither another metric nor another thread has the value. */
	KUNIT_EXPECT_EQ(test, read_metric(f->a, PMCT_METRIC_EF, &v), -ENODATA);
	KUNIT_EXPECT_EQ(test, read_metric(f->b, PMCT_METRIC_IPC, &v), -ENODATA);
	KUNIT_EXPECT_EQ(test, read_metric(f->a, PMCT_NR_METRICS, &v), -EINVAL);
	KUNIT_EXPECT_EQ(test, read_metric(f->a, -1, &v), -EINVAL);
}

/* Several metrics at once: each has the same result as alone, or an error. */
static void batch_test(struct kunit *test)
{
	const u32 keys[] = { PMCT_METRIC_EF, PMCT_METRIC_IPC, PMCT_NR_METRICS };
	struct pmct_metric_value v[ARRAY_SIZE(keys)];
	struct fixture *f = test->priv;

	memset(v, 0xff, sizeof(v));
	pmct_mmon_publish(f->a, PMCT_METRIC_IPC, 1500, PMCT_ESTIMATED);
	rcu_read_lock();
	KUNIT_EXPECT_EQ(test, pmct_mmon_read_all(f->a, keys, ARRAY_SIZE(keys), v), 1);
	rcu_read_unlock();
	KUNIT_EXPECT_EQ(test, v[0].error, -ENODATA);
	KUNIT_EXPECT_EQ(test, v[0].value, 0ULL);
	KUNIT_EXPECT_EQ(test, v[1].error, 0);
	KUNIT_EXPECT_EQ(test, v[1].value, 1500ULL);
	KUNIT_EXPECT_EQ(test, v[1].confidence, PMCT_ESTIMATED);
	KUNIT_EXPECT_EQ(test, v[2].error, -EINVAL);
	/*
	 * An unmonitored thread has no values. A metric that does not exist has the same error as
	 * before.
	 */
	rcu_read_lock();
	KUNIT_EXPECT_EQ(test, pmct_mmon_read_all(NULL, keys, ARRAY_SIZE(keys), v), 0);
	rcu_read_unlock();
	KUNIT_EXPECT_EQ(test, v[1].error, -ENODATA);
	KUNIT_EXPECT_EQ(test, v[1].value, 0ULL);
	KUNIT_EXPECT_EQ(test, v[2].error, -EINVAL);
}

/* For tests/bench: with a fixed icount, a nanosecond is an instruction. */
static void cost_test(struct kunit *test)
{
	struct fixture *f = test->priv;
	struct pmct_metric_value v;
	u64 start, published, read;
	unsigned int i;
	int err = 0;

	start = ktime_get_mono_fast_ns();
	for (i = 0; i < 1000; i++)
		pmct_mmon_publish(f->a, PMCT_METRIC_IPC, i, PMCT_ESTIMATED);
	published = ktime_get_mono_fast_ns();
	/* As in a scheduler. */
	rcu_read_lock();
	for (i = 0; i < 1000 / 4; i++) {
		err |= pmct_mmon_read(f->a, PMCT_METRIC_IPC, &v);
		err |= pmct_mmon_read(f->a, PMCT_METRIC_IPC, &v);
		err |= pmct_mmon_read(f->a, PMCT_METRIC_IPC, &v);
		err |= pmct_mmon_read(f->a, PMCT_METRIC_IPC, &v);
	}
	rcu_read_unlock();
	read = ktime_get_mono_fast_ns();
	KUNIT_EXPECT_EQ(test, err, 0);
	KUNIT_EXPECT_EQ(test, v.value, 999ULL);
	kunit_info(test, "cost: metric_publish %llu", (published - start) / 1000);
	kunit_info(test, "cost: metric_read %llu", (read - published) / 1000);
}

static void stale_test(struct kunit *test)
{
	struct fixture *f = test->priv;
	struct pmct_metric_value v;
	u32 *version = &f->a->mm.version[PMCT_METRIC_EF];
	unsigned long day = 86400UL * HZ;

	pmct_mmon_mark_stale(f->a, PMCT_METRIC_EF);
	KUNIT_EXPECT_EQ(test, read_metric(f->a, PMCT_METRIC_EF, &v), -ENODATA);
	pmct_metric_write(version, f->a->mm.metric[PMCT_METRIC_EF], 900,
			  pmct_metric_stamp(jiffies - 60 * day, PMCT_MEASURED));
	pmct_mmon_mark_stale(f->a, PMCT_METRIC_EF);
	KUNIT_EXPECT_EQ(test, read_metric(f->a, PMCT_METRIC_EF, &v), 0);
	KUNIT_EXPECT_EQ(test, v.value, 900ULL);
	KUNIT_EXPECT_EQ(test, v.confidence, PMCT_STALE);
	/* More than 32 bits of milliseconds. */
	KUNIT_EXPECT_GE(test, v.age_ms, 60 * 86400ULL * MSEC_PER_SEC);
}

/* Values that the previous module published are not those of the next one. */
static void replaced_test(struct kunit *test)
{
	struct fixture *f = test->priv;
	struct pmct_metric_value v;

	pmct_mmon_publish(f->a, PMCT_METRIC_IPC, 1500, PMCT_MEASURED);
	publisher.gen++;
	KUNIT_EXPECT_EQ(test, read_metric(f->a, PMCT_METRIC_IPC, &v), -ENODATA);
	local_irq_save(f->flags);
	pmct_mmon_enter(f->a, NULL);
	local_irq_restore(f->flags);
	KUNIT_EXPECT_EQ(test, read_metric(f->a, PMCT_METRIC_IPC, &v), -ENODATA);
	pmct_mmon_publish(f->a, PMCT_METRIC_IPC, 700, PMCT_MEASURED);
	KUNIT_EXPECT_EQ(test, read_metric(f->a, PMCT_METRIC_IPC, &v), 0);
	KUNIT_EXPECT_EQ(test, v.value, 700ULL);
}

static struct kunit_case publish_cases[] = {
	KUNIT_CASE(publish_test),
	KUNIT_CASE(address_test),
	KUNIT_CASE(batch_test),
	KUNIT_CASE(cost_test),
	KUNIT_CASE(stale_test),
	KUNIT_CASE(replaced_test),
	{}
};

static struct kunit_suite publish_suite = {
	.name = "pmctrack_publish",
	.init = publish_init,
	.exit = publish_exit,
	.test_cases = publish_cases,
};

kunit_test_suites(&slot_suite, &publish_suite);
