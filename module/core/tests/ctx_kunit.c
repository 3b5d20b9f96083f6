// SPDX-License-Identifier: GPL-2.0-only
/*
 * Attribution of events to contexts: switches between contexts on a PMU in memory, without threads.
 * The hot callbacks are called as the scheduler would call them.
 */
#include <kunit/test.h>
#include <linux/jiffies.h>

#include "fixture.h"

static void expect_counts(struct kunit *test, const struct pmct_ctx *ctx, u64 events)
{
	unsigned int i;

	for (i = 0; i < 3; i++)
		KUNIT_EXPECT_EQ(test, ctx->sum[i], events << i);
}

/* Monitored and unmonitored threads in all orders: no thread gets events of another one. */
static void attribution_test(struct kunit *test)
{
	struct fixture *f = test->priv;

	enter_cpu(f);
	count_all(1000);		/* before any thread */
	switch_to(NULL, f->a);
	count_all(1);
	switch_to(f->a, f->b);
	count_all(10);
	switch_to(f->b, NULL);
	count_all(2000);		/* an unmonitored thread */
	switch_to(NULL, f->b);
	count_all(100);
	switch_to(f->b, f->a);
	count_all(3);
	switch_to(f->a, NULL);
	leave_cpu(f);

	expect_counts(test, f->a, 1 + 3);
	expect_counts(test, f->b, 10 + 100);
}

/* If threads have the same set, it is programmed once, and each switch reads it once. */
static void lazy_test(struct kunit *test)
{
	struct fixture *f = test->priv;
	unsigned int programmed, reads;

	enter_cpu(f);
	switch_to(NULL, f->a);
	programmed = pmct_fake_state.nr_program;
	reads = pmct_fake_state.nr_read;
	switch_to(f->a, f->b);
	switch_to(f->b, f->a);
	leave_cpu(f);

	KUNIT_EXPECT_EQ(test, programmed, 1);
	KUNIT_EXPECT_EQ(test, pmct_fake_state.nr_program, 1);
	KUNIT_EXPECT_EQ(test, pmct_fake_state.nr_read, reads + 2);
}

/* A detached thread leaves without a save: the next thread must not get its events. */
static void unsaved_test(struct kunit *test)
{
	struct fixture *f = test->priv;

	enter_cpu(f);
	switch_to(NULL, f->a);
	count_all(500);
	switch_to(NULL, f->b);		/* a's delivery was disabled meanwhile */
	count_all(5);
	/* The context was untied between the checks of the flag and of the pointer. */
	pmct_tick(NULL, smp_processor_id());
	pmct_sched_out(NULL, smp_processor_id());
	pmct_sched_in(f->b, smp_processor_id());
	count_all(50);
	switch_to(f->b, NULL);
	leave_cpu(f);

	/* It is not known which thread caused these events, so they are not attributed. */
	expect_counts(test, f->b, 50);
}

/* After registers were lost, no earlier value may be added. */
static void forget_test(struct kunit *test)
{
	struct fixture *f = test->priv;

	enter_cpu(f);
	switch_to(NULL, f->a);
	count_all(7);
	switch_to(f->a, NULL);
	pmct_count_forget_cpu();
	memset(pmct_fake_state.value, 0, sizeof(pmct_fake_state.value));
	switch_to(NULL, f->a);
	count_all(8);
	switch_to(f->a, NULL);
	leave_cpu(f);

	expect_counts(test, f->a, 7 + 8);
	KUNIT_EXPECT_EQ(test, pmct_fake_state.nr_program, 2);
}

/* On a CPU without usable counters, nothing is programmed, and the record says so. */
static void no_core_type_test(struct kunit *test)
{
	struct fixture *f = test->priv;
	struct pmct_test_record rec;
	struct pmct_cpu *cs;
	unsigned int programmed;
	u8 core_type;

	enter_cpu(f);
	cs = this_cpu_ptr(&pmct_cpu);
	core_type = cs->core_type;
	switch_to(NULL, f->a);
	count_all(6);
	switch_to(f->a, NULL);
	programmed = pmct_fake_state.nr_program;

	/* As if the thread migrated to such a CPU. */
	pmct_count_forget_cpu();
	cs->core_type = PMCT_NO_CORE_TYPE;
	switch_to(NULL, f->a);
	count_all(1000);
	switch_to(f->a, NULL);
	KUNIT_EXPECT_EQ(test, pmct_fake_state.nr_program, programmed);
	KUNIT_EXPECT_EQ(test, f->a->head.nr_counts, 0);
	KUNIT_EXPECT_EQ(test, f->a->head.core_type, PMCTRACK_MAX_CORE_TYPES);

	pmct_count_forget_cpu();
	cs->core_type = core_type;
	switch_to(NULL, f->a);
	count_all(7);
	switch_to(f->a, NULL);
	leave_cpu(f);

	expect_counts(test, f->a, 7);
	KUNIT_EXPECT_EQ(test, pmct_fake_state.nr_program, programmed + 1);
	/* What was counted before is in a record of its own. */
	KUNIT_EXPECT_EQ(test, f->s->rings.ring->head,
			(u64)pmct_record_size(3) + pmct_record_size(0));
	KUNIT_EXPECT_GT(test, pmct_fixture_take(f->s->rings.ring, &rec), 0);
	KUNIT_EXPECT_EQ(test, rec.head.run_ns, rec.head.hw_ns);
	KUNIT_EXPECT_GT(test, pmct_fixture_take(f->s->rings.ring, &rec), 0);
	KUNIT_EXPECT_GT(test, rec.head.run_ns, 0);
	KUNIT_EXPECT_EQ(test, rec.head.hw_ns, 0);
}

/* Registers are lost while a thread is on the CPU, as in suspend. */
static void power_test(struct kunit *test)
{
	struct fixture *f = test->priv;

	enter_cpu(f);
	switch_to(NULL, f->a);
	count_all(3);
	pmct_count_power_down();
	memset(pmct_fake_state.value, 0, sizeof(pmct_fake_state.value));
	pmct_count_power_up();
	count_all(4);
	switch_to(f->a, NULL);
	pmct_count_power_down();
	pmct_count_power_up();
	count_all(100);
	leave_cpu(f);

	expect_counts(test, f->a, 3 + 4);
	KUNIT_EXPECT_EQ(test, pmct_fake_state.nr_program, 2);
}

/* More than 2^32 events, by interrupt, by switch, and behind an unmonitored thread. */
static void wrap_test(struct kunit *test)
{
	struct fixture *f = test->priv;
	u64 expect = 0;
	int i;

	enter_cpu(f);
	switch_to(NULL, f->a);
	for (i = 0; i < 10; i++) {
		pmct_fake_count(1, U32_MAX - 5);
		expect += U32_MAX - 5;
		if (pmct_fake_state.overflow)
			KUNIT_EXPECT_TRUE(test, pmct_overflow());
	}
	pmct_fake_count(1, BIT_ULL(32) - 1);	/* flag pending at the switch */
	expect += BIT_ULL(32) - 1;
	switch_to(f->a, NULL);
	pmct_fake_count(1, U32_MAX);		/* not the thread's events */
	switch_to(NULL, f->a);
	pmct_fake_count(1, 11);
	expect += 11;
	switch_to(f->a, NULL);
	leave_cpu(f);

	KUNIT_EXPECT_EQ(test, f->a->sum[1], expect);
}

/* The end of a period, at the tick or at the switch, closes the interval once. */
static void period_test(struct kunit *test)
{
	struct fixture *f = test->priv;
	struct pmct_test_record rec;

	enter_cpu(f);
	switch_to(NULL, f->a);
	count_all(9);
	pmct_tick(f->a, smp_processor_id());		/* too early */
	f->a->deadline = jiffies;
	pmct_tick(f->a, smp_processor_id());
	count_all(4);
	f->a->deadline = jiffies - 3 * HZ;		/* slept through periods */
	switch_to(f->a, NULL);
	leave_cpu(f);

	KUNIT_EXPECT_EQ(test, pmct_fixture_take(f->s->rings.ring, &rec), pmct_record_size(3));
	KUNIT_EXPECT_EQ(test, rec.head.kind, PMCTRACK_RECORD_TICK);
	KUNIT_EXPECT_EQ(test, rec.head.tid, 1);
	KUNIT_EXPECT_EQ(test, rec.head.counters, 0x7U);
	KUNIT_EXPECT_EQ(test, pmct_fixture_take(f->s->rings.ring, &rec), pmct_record_size(3));
	KUNIT_EXPECT_EQ(test, pmct_fixture_take(f->s->rings.ring, &rec), 0);
	KUNIT_EXPECT_TRUE(test, time_after(f->a->deadline, jiffies));
	KUNIT_EXPECT_TRUE(test, time_before_eq(f->a->deadline, jiffies + HZ));
	expect_counts(test, f->a, 0);
}

/*
 * A full ring delays records of ticks. Only last records are lost, and their events are summed up.
 */
static void full_ring_test(struct kunit *test)
{
	struct fixture *f = test->priv;
	struct pmct_ring *ring = f->s->rings.ring;
	unsigned int fits = ring->size / pmct_record_size(3);
	struct pmct_test_record rec;
	unsigned int i;

	enter_cpu(f);
	switch_to(NULL, f->a);
	for (i = 0; i < fits + 5; i++) {
		count_all(1);
		f->a->deadline = jiffies;
		pmct_tick(f->a, smp_processor_id());
	}
	switch_to(f->a, NULL);
	leave_cpu(f);

	/* The last five are still in the open interval, nothing is lost. */
	expect_counts(test, f->a, 5);
	KUNIT_EXPECT_EQ(test, ring->ctl->lost, 0ULL);

	/* With room again, the record says that it covers more. */
	pmct_fixture_take(ring, &rec);
	pmct_fixture_take(ring, &rec);
	enter_cpu(f);
	pmct_sample_close(f->a, PMCTRACK_RECORD_TICK, 0);
	leave_cpu(f);
	expect_counts(test, f->a, 0);

	/* If the ring is full again, a record without a later one is lost. */
	enter_cpu(f);
	for (i = 0; i < 3; i++)
		pmct_sample_close(f->a, PMCTRACK_RECORD_TICK, 0);
	switch_to(NULL, f->a);
	count_all(6);
	switch_to(f->a, NULL);
	pmct_sample_close(f->a, PMCTRACK_RECORD_MIGRATION, 0);
	leave_cpu(f);
	KUNIT_EXPECT_EQ(test, ring->ctl->lost, 1ULL);
	KUNIT_EXPECT_EQ(test, ring->ctl->lost_counts[0][0][2], 6ULL << 2);
	/* Each core type has its own lost counts. */
	enter_cpu(f);
	pmct_ctx_use_core_type(f->a, 1);
	f->a->sum[1] = 7;
	pmct_sample_close(f->a, PMCTRACK_RECORD_DETACH, 0);
	pmct_ctx_use_core_type(f->a, 0);
	leave_cpu(f);
	KUNIT_EXPECT_EQ(test, ring->ctl->lost, 2ULL);
	KUNIT_EXPECT_EQ(test, ring->ctl->lost_counts[1][0][1], 7ULL);
	KUNIT_EXPECT_EQ(test, ring->ctl->lost_counts[0][0][1], 6ULL << 1);
	expect_counts(test, f->a, 0);
	KUNIT_EXPECT_FALSE(test, f->a->merged);

	for (i = 0; pmct_fixture_take(ring, &rec); )
		i += !!(rec.head.flags & PMCTRACK_RECORD_F_MERGED);
	KUNIT_EXPECT_EQ(test, i, 1);
}

static const bool widths[] = { false, true };

KUNIT_ARRAY_PARAM(width, widths, width_desc);

static struct kunit_case ctx_cases[] = {
	KUNIT_CASE_PARAM(attribution_test, width_gen_params),
	KUNIT_CASE_PARAM(lazy_test, width_gen_params),
	KUNIT_CASE_PARAM(unsaved_test, width_gen_params),
	KUNIT_CASE_PARAM(forget_test, width_gen_params),
	KUNIT_CASE_PARAM(no_core_type_test, width_gen_params),
	KUNIT_CASE_PARAM(power_test, width_gen_params),
	KUNIT_CASE_PARAM(wrap_test, width_gen_params),
	KUNIT_CASE_PARAM(period_test, width_gen_params),
	KUNIT_CASE_PARAM(full_ring_test, width_gen_params),
	{}
};

static struct kunit_suite ctx_suite = {
	.name = "pmctrack_ctx",
	.init = pmct_fixture_init,
	.exit = pmct_fixture_exit,
	.test_cases = ctx_cases,
};

kunit_test_suite(ctx_suite);
