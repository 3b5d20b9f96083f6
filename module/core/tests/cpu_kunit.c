// SPDX-License-Identifier: GPL-2.0-only
/* Other uses of a CPU's counters: the context of the CPU itself, and reads by threads. */
#include <kunit/test.h>
#include <linux/sched/clock.h>

#include "fixture.h"

static struct pmct_ctx *cpu_ctx(struct kunit *test, struct pmct_session *s)
{
	struct pmct_ctx *ctx = pmct_fixture_ctx(test, s, -1);

	ctx->task = NULL;
	return ctx;
}

/* Threads have the counters while they run. Records say what the CPU's context has missed. */
static void base_test(struct kunit *test)
{
	struct fixture *f = test->priv;
	struct pmct_session *s = pmct_fixture_session(test, "pmc1=0x10", NULL);
	struct pmct_test_record rec;
	struct pmct_ctx *base;
	u64 begin;

	KUNIT_ASSERT_FALSE(test, IS_ERR(s));
	base = cpu_ctx(test, s);
	enter_cpu(f);
	count_all(1000);
	pmct_count_base_on(base);
	pmct_fake_count(1, 100);
	switch_to(NULL, f->a);
	count_all(50);
	begin = local_clock();
	while (local_clock() - begin < 10000)
		cpu_relax();
	switch_to(f->a, f->b);
	count_all(7);
	switch_to(f->b, NULL);
	pmct_fake_count(1, 20);
	pmct_count_close(base, PMCTRACK_RECORD_TICK);
	pmct_fake_count(1, 3);
	/* The target leaves, and comes back while a thread runs. */
	pmct_count_base_off(base);
	count_all(1000);
	switch_to(NULL, f->a);
	count_all(5);
	pmct_count_base_on(base);
	switch_to(f->a, NULL);
	pmct_fake_count(1, 4);
	pmct_count_base_off(base);
	pmct_count_close(base, PMCTRACK_RECORD_DETACH);
	leave_cpu(f);

	KUNIT_EXPECT_EQ(test, f->a->sum[1], 2 * 55ULL);
	KUNIT_EXPECT_EQ(test, f->b->sum[1], 2 * 7ULL);
	KUNIT_EXPECT_GT(test, pmct_fixture_take(s->rings.ring, &rec), 0);
	KUNIT_EXPECT_EQ(test, rec.counts[0], 120ULL);
	KUNIT_EXPECT_EQ(test, rec.head.tid, -1);
	KUNIT_EXPECT_GE(test, rec.head.run_ns, rec.head.hw_ns + 10000);
	KUNIT_EXPECT_GT(test, pmct_fixture_take(s->rings.ring, &rec), 0);
	KUNIT_EXPECT_EQ(test, rec.counts[0], 7ULL);
	pmct_session_destroy(s);
}

/* Without monitored threads, the context has the counters all the time. */
static void base_alone_test(struct kunit *test)
{
	struct fixture *f = test->priv;
	struct pmct_session *s = pmct_fixture_session(test, "pmc1=0x10", NULL);
	struct pmct_test_record rec;
	struct pmct_ctx *base;
	unsigned int i;

	KUNIT_ASSERT_FALSE(test, IS_ERR(s));
	base = cpu_ctx(test, s);
	enter_cpu(f);
	pmct_count_base_on(base);
	for (i = 0; i < 3; i++) {
		pmct_fake_count(1, 10 + i);
		pmct_count_close(base, PMCTRACK_RECORD_TICK);
	}
	pmct_count_base_off(base);
	leave_cpu(f);
	for (i = 0; i < 3; i++) {
		KUNIT_EXPECT_GT(test, pmct_fixture_take(s->rings.ring, &rec), 0);
		KUNIT_EXPECT_EQ(test, rec.counts[0], 10ULL + i);
		KUNIT_EXPECT_EQ(test, rec.head.run_ns, rec.head.hw_ns);
	}
	pmct_session_destroy(s);
}

/* The value that the thread reads, by the rule of struct pmctrack_user_read. */
static u64 user_read(const struct pmct_session *s, unsigned int counter)
{
	const struct pmctrack_user_read *page = &s->rings.ctl->user_read;

	return page->offset[counter] +
	       (page->counters & BIT(counter) ? pmct_fake_state.value[counter] : 0);
}

/* The sum grows only by the thread's own events. */
static void user_read_test(struct kunit *test)
{
	struct fixture *f = test->priv;
	struct pmct_session *s = pmct_fixture_session(test, "pmc1=0x10", NULL);
	u64 seen[5];
	struct pmct_ctx *ctx;

	KUNIT_ASSERT_FALSE(test, IS_ERR(s));
	ctx = pmct_fixture_ctx(test, s, 3);
	ctx->wants = PMCT_SWITCH_USER_READ;
	enter_cpu(f);
	count_all(1000);
	switch_to(NULL, ctx);
	seen[0] = user_read(s, 1);
	pmct_fake_count(1, 100);
	seen[1] = user_read(s, 1);
	pmct_tick(ctx, smp_processor_id());
	seen[2] = user_read(s, 1);
	switch_to(ctx, f->a);
	seen[3] = user_read(s, 1);
	count_all(30);
	switch_to(f->a, ctx);
	pmct_fake_count(1, 5);
	seen[4] = user_read(s, 1);
	switch_to(ctx, NULL);
	leave_cpu(f);

	KUNIT_EXPECT_EQ(test, seen[0], 0ULL);
	KUNIT_EXPECT_EQ(test, seen[1], 100ULL);
	KUNIT_EXPECT_EQ(test, seen[2], 100ULL);
	KUNIT_EXPECT_EQ(test, seen[3], 100ULL);
	KUNIT_EXPECT_EQ(test, seen[4], 105ULL);
	KUNIT_EXPECT_EQ(test, ctx->sum[0], 105ULL);
	KUNIT_EXPECT_EQ(test, s->rings.ctl->user_read.counters, 0U);
	KUNIT_EXPECT_EQ(test, f->a->sum[1], 2 * 30ULL);
	pmct_session_destroy(s);
}

/* A thread that is being detached does not enter again, and gets no events of other threads. */
static void detaching_test(struct kunit *test)
{
	struct fixture *f = test->priv;
	struct pmct_test_record rec;

	enter_cpu(f);
	switch_to(NULL, f->a);
	count_all(50);
	WRITE_ONCE(f->a->detaching, true);
	/* The thread runs on until it leaves. */
	count_all(5);
	switch_to(f->a, f->b);
	count_all(7);
	switch_to(f->b, f->a);
	count_all(1000);
	pmct_tick(f->a, smp_processor_id());
	switch_to(f->a, NULL);
	pmct_count_close(f->a, PMCTRACK_RECORD_DETACH);
	leave_cpu(f);

	KUNIT_EXPECT_GT(test, pmct_fixture_take(f->s->rings.ring, &rec), 0);
	KUNIT_EXPECT_EQ(test, rec.head.tid, 1);
	KUNIT_EXPECT_EQ(test, rec.counts[1], 2 * 55ULL);
	KUNIT_EXPECT_EQ(test, f->b->sum[1], 2 * 7ULL);
}

/* Other software writes the counters: what is counted before the detection is dropped. */
static void disturb(u64 events)
{
	u64 begin = local_clock();

	pmct_fake_state.disturbed = true;
	count_all(events);
	while (local_clock() - begin < 10000)
		cpu_relax();
}

static void expect_disturbed(struct kunit *test, struct fixture *f, u64 events)
{
	struct pmct_test_record rec;

	KUNIT_EXPECT_GT(test, pmct_fixture_take(f->s->rings.ring, &rec), 0);
	KUNIT_EXPECT_EQ(test, rec.counts[1], 2 * events);
	KUNIT_EXPECT_EQ(test, rec.head.flags, PMCTRACK_RECORD_F_DISTURBED);
	KUNIT_EXPECT_GE(test, rec.head.run_ns, rec.head.hw_ns + 10000);
}

/* The tick notices a disturbance, and so does the switch that ends a period. */
static void disturbed_test(struct kunit *test)
{
	struct fixture *f = test->priv;
	struct pmct_test_record rec;

	enter_cpu(f);
	switch_to(NULL, f->a);
	count_all(100);
	pmct_tick(f->a, smp_processor_id());
	switch_to(f->a, NULL);
	switch_to(NULL, f->a);
	disturb(5000);
	pmct_tick(f->a, smp_processor_id());
	KUNIT_EXPECT_FALSE(test, pmct_fake_state.disturbed);
	count_all(7);
	f->a->deadline = jiffies;
	pmct_tick(f->a, smp_processor_id());
	expect_disturbed(test, f, 107);

	disturb(5000);
	f->a->deadline = jiffies;
	switch_to(f->a, f->b);
	expect_disturbed(test, f, 0);

	/* The next thread and the next record are not affected. */
	count_all(3);
	f->b->deadline = jiffies;
	switch_to(f->b, NULL);
	leave_cpu(f);
	KUNIT_EXPECT_GT(test, pmct_fixture_take(f->s->rings.ring, &rec), 0);
	KUNIT_EXPECT_EQ(test, rec.counts[1], 2 * 3ULL);
	KUNIT_EXPECT_EQ(test, rec.head.flags, 0);
	KUNIT_EXPECT_EQ(test, rec.head.run_ns, rec.head.hw_ns);
}

/* The machine sleeps: registers and clocks begin anew, no event is lost or made up. */
static void suspend_test(struct kunit *test)
{
	struct fixture *f = test->priv;
	struct pmct_test_record rec;

	enter_cpu(f);
	switch_to(NULL, f->a);
	count_all(100);
	pmct_count_suspend();
	memset(pmct_fake_state.value, 0, sizeof(pmct_fake_state.value));
	pmct_fake_state.set = NULL;
	pmct_count_resume();
	KUNIT_EXPECT_PTR_EQ(test, pmct_fake_state.set, f->a->set);
	count_all(20);
	f->a->deadline = jiffies;
	switch_to(f->a, NULL);
	leave_cpu(f);
	KUNIT_EXPECT_GT(test, pmct_fixture_take(f->s->rings.ring, &rec), 0);
	KUNIT_EXPECT_EQ(test, rec.counts[1], 2 * 120ULL);
	KUNIT_EXPECT_EQ(test, rec.head.flags, 0);
}

static const bool widths[] = { false, true };

KUNIT_ARRAY_PARAM(width, widths, width_desc);

static struct kunit_case cpu_cases[] = {
	KUNIT_CASE_PARAM(base_test, width_gen_params),
	KUNIT_CASE_PARAM(base_alone_test, width_gen_params),
	KUNIT_CASE(user_read_test),
	KUNIT_CASE_PARAM(detaching_test, width_gen_params),
	KUNIT_CASE_PARAM(disturbed_test, width_gen_params),
	KUNIT_CASE_PARAM(suspend_test, width_gen_params),
	{}
};

static struct kunit_suite cpu_suite = {
	.name = "pmctrack_cpu",
	.init = pmct_fixture_init,
	.exit = pmct_fixture_exit,
	.test_cases = cpu_cases,
};

kunit_test_suite(cpu_suite);
