// SPDX-License-Identifier: GPL-2.0-only
/* Several event sets, and sampling by events, on a PMU in memory. */
#include <kunit/test.h>
#include <linux/jiffies.h>

#include "fixture.h"

/* Sets take turns at the end of a period, and each record is of one set. */
static void rotation_test(struct kunit *test)
{
	struct fixture *f = test->priv;
	struct pmct_test_record rec;
	unsigned int i;

	pmct_fixture_reopen(test, "pmc0,pmc1=0x10", "pmc0,pmc2=0x11,pmc3=0x12");
	enter_cpu(f);
	switch_to(NULL, f->a);
	for (i = 0; i < 4; i++) {
		pmct_fake_count(0, 100 + i);
		pmct_fake_count(1, 10 + i);
		pmct_fake_count(2, 20 + i);
		f->a->deadline = jiffies;
		if (i % 2) {
			switch_to(f->a, NULL);
			count_all(1000);
			switch_to(NULL, f->a);
		} else {
			pmct_tick(f->a, smp_processor_id());
		}
	}
	leave_cpu(f);

	for (i = 0; i < 4; i++) {
		KUNIT_ASSERT_GT(test, pmct_fixture_take(f->s->rings.ring, &rec), 0);
		KUNIT_EXPECT_EQ(test, rec.head.set, i % 2);
		KUNIT_EXPECT_EQ(test, rec.head.counters, i % 2 ? 0xdU : 0x3U);
		KUNIT_EXPECT_EQ(test, rec.head.run_ns, rec.head.hw_ns);
		KUNIT_EXPECT_EQ(test, rec.counts[0], 100ULL + i);
		KUNIT_EXPECT_EQ(test, rec.counts[1], (i % 2 ? 20ULL : 10ULL) + i);
	}
	KUNIT_EXPECT_EQ(test, pmct_fixture_take(f->s->rings.ring, &rec), 0);
}

/* A record that waits for room is of one set, so this set keeps its turn. */
static void rotation_full_test(struct kunit *test)
{
	struct fixture *f = test->priv;
	struct pmct_test_record rec;
	unsigned int i, seen[2] = {};
	u64 sum[2] = {};

	pmct_fixture_reopen(test, "pmc0", "pmc1=0x10");
	enter_cpu(f);
	switch_to(NULL, f->a);
	for (i = 0; i < 100; i++) {
		pmct_fake_count(0, 1);
		pmct_fake_count(1, 1);
		f->a->deadline = jiffies;
		pmct_tick(f->a, smp_processor_id());
	}
	KUNIT_EXPECT_TRUE(test, f->a->merged);
	while (pmct_fixture_take(f->s->rings.ring, &rec)) {
		seen[rec.head.set]++;
		sum[rec.head.set] += rec.counts[0];
	}
	sum[f->a->set->index] += f->a->sum[0];
	leave_cpu(f);

	KUNIT_EXPECT_EQ(test, sum[0] + sum[1], 100ULL);
	KUNIT_EXPECT_LE(test, abs((int)(seen[0] - seen[1])), 1);
	KUNIT_EXPECT_EQ(test, sum[1 - f->a->set->index], (u64)seen[1 - f->a->set->index]);
}

static void expect_ebs(struct kunit *test, struct pmct_ring *ring, int tid, u64 events)
{
	struct pmct_test_record rec;

	/* No assertion here, because interrupts are off. */
	if (!pmct_fixture_take(ring, &rec)) {
		KUNIT_FAIL(test, "no record of thread %d", tid);
		return;
	}
	KUNIT_EXPECT_EQ(test, rec.head.kind, PMCTRACK_RECORD_EBS);
	KUNIT_EXPECT_EQ(test, rec.head.tid, tid);
	KUNIT_EXPECT_EQ(test, rec.counts[1], events);
}

/* After @more events and the interrupt, the window of thread @tid is over, with @events. */
static void fill_window(struct kunit *test, int tid, u64 more, u64 events)
{
	struct fixture *f = test->priv;

	pmct_fake_count(1, more);
	KUNIT_EXPECT_TRUE(test, pmct_overflow());
	expect_ebs(test, f->s->rings.ring, tid, events);
}

/* Each thread has its own window, however its time on the CPU is divided. */
static void ebs_test(struct kunit *test)
{
	struct fixture *f = test->priv;
	struct pmct_ring *ring;
	unsigned int i;

	pmct_fixture_reopen(test, "pmc0,pmc1=0x10,ebs1=1000", NULL);
	ring = f->s->rings.ring;
	enter_cpu(f);
	switch_to(NULL, f->a);
	pmct_fake_count(1, 400);
	switch_to(f->a, f->b);
	pmct_fake_count(1, 700);
	switch_to(f->b, f->a);
	pmct_fake_count(1, 599);
	KUNIT_EXPECT_FALSE(test, pmct_overflow());
	fill_window(test, 1, 1, 1000);

	/* Seven events too many when the interrupt comes: the next window is shorter. */
	fill_window(test, 1, 1007, 1007);
	pmct_fake_count(1, 992);
	KUNIT_EXPECT_FALSE(test, pmct_overflow());
	switch_to(f->a, NULL);
	count_all(5000);
	pmct_overflow();		/* of an unmonitored thread */
	switch_to(NULL, f->a);
	fill_window(test, 1, 1, 993);

	/*
	 * The window is full when the thread leaves: the switch closes it; no interrupt handles the
	 * flag.
	 */
	switch_to(f->a, f->b);
	pmct_fake_count(1, 300);
	switch_to(f->b, f->a);
	expect_ebs(test, ring, 2, 1000);
	KUNIT_EXPECT_FALSE(test, pmct_overflow());

	/* Interrupts were off for several windows: one record, no event lost. */
	fill_window(test, 1, 3500, 3500);
	fill_window(test, 1, 500, 500);
	for (i = 0; i < 10; i++) {
		pmct_fake_count(1, 100);
		pmct_tick(f->a, smp_processor_id());
	}
	expect_ebs(test, ring, 1, 1000);
	switch_to(f->a, NULL);
	leave_cpu(f);
	KUNIT_EXPECT_EQ(test, ring->ctl->tail, ring->head);
}

/* A window longer than the counter is wide. */
static void ebs_long_test(struct kunit *test)
{
	struct fixture *f = test->priv;
	u64 left = 10ULL << 32, step;

	pmct_fixture_reopen(test, "pmc0,pmc1=0x10,ebs1=42949672960", NULL);
	enter_cpu(f);
	switch_to(NULL, f->a);
	while (left) {
		step = min(left, 1ULL << 30);
		pmct_fake_count(1, step);
		left -= step;
		KUNIT_EXPECT_EQ(test, f->s->rings.ring->head, 0ULL);
		pmct_overflow();
	}
	leave_cpu(f);
	expect_ebs(test, f->s->rings.ring, 1, 10ULL << 32);
}

/* In kernel mode the switch itself causes events, and may end the window that it begins. */
static void ebs_own_events_test(struct kunit *test)
{
	struct fixture *f = test->priv;

	pmct_fixture_reopen(test, "pmc0,pmc1=0x10,ebs1=1000", NULL);
	enter_cpu(f);
	switch_to(NULL, f->a);
	pmct_fake_count(1, 995);
	switch_to(f->a, NULL);
	/*
	 * The value that the other thread left in the counter overflows before the counter is
	 * loaded.
	 */
	pmct_fake_state.own = 10;
	switch_to(NULL, f->b);
	pmct_fake_state.own = 0;
	pmct_fake_count(1, 100);
	switch_to(f->b, NULL);
	KUNIT_EXPECT_EQ(test, f->b->sum[1], 100ULL);
	KUNIT_EXPECT_EQ(test, f->b->ebs_left, 900LL);
	/* The loaded value overflows before it is read. */
	pmct_fake_state.own = 10;
	switch_to(NULL, f->a);
	pmct_fake_state.own = 0;
	pmct_fake_count(1, 100);
	switch_to(f->a, NULL);
	expect_ebs(test, f->s->rings.ring, 1, 1095);
	leave_cpu(f);
}

/* A sample in kernel mode causes events itself; windows are longer than these. */
static void ebs_kernel_test(struct kunit *test)
{
	struct fixture *f = test->priv;
	unsigned int i;

	pmct_fixture_reopen(test, "pmc0,pmc1=0x10,usr1=0,os1,ebs1=1000", NULL);
	enter_cpu(f);
	switch_to(NULL, f->a);
	/* Late once, because interrupts were off. */
	fill_window(test, 1, 1000 + 5300, 6300);
	fill_window(test, 1, 700 + 300, 1000);
	/* Late twice in a row: this is what a sample takes. */
	pmct_fake_count(1, 2399);
	KUNIT_EXPECT_FALSE(test, pmct_overflow());
	fill_window(test, 1, 301, 2700);
	/* In time again. */
	fill_window(test, 1, 2400, 2400);
	fill_window(test, 1, 600, 600);
	/* A sample takes less than a quarter of the window. */
	fill_window(test, 1, 1240, 1240);
	for (i = 0; i < 3; i++)
		fill_window(test, 1, 1000, 1000);
	/* What a sample takes for one thread does not affect another thread. */
	for (i = 0; i < 2; i++)
		fill_window(test, 1, 1200, 1200);
	pmct_fake_count(1, 760);
	KUNIT_EXPECT_FALSE(test, pmct_overflow());
	switch_to(f->a, f->b);
	expect_ebs(test, f->s->rings.ring, 1, 760);
	fill_window(test, 2, 1000, 1000);
	switch_to(f->b, NULL);
	leave_cpu(f);
}

/* With several sets, each sample ends a turn. */
static void ebs_rotation_test(struct kunit *test)
{
	struct fixture *f = test->priv;
	struct pmct_test_record rec;

	pmct_fixture_reopen(test, "pmc0,pmc1=0x10,ebs1=1000", "pmc0,pmc2=0x10,ebs2=2000");
	enter_cpu(f);
	switch_to(NULL, f->a);
	pmct_fake_count(1, 1000);
	pmct_overflow();
	pmct_fake_count(1, 5000);
	pmct_fake_count(2, 1500);
	KUNIT_EXPECT_FALSE(test, pmct_overflow());
	pmct_fake_count(2, 500);
	pmct_overflow();
	pmct_fake_count(1, 999);
	KUNIT_EXPECT_FALSE(test, pmct_overflow());
	switch_to(f->a, NULL);
	leave_cpu(f);
	expect_ebs(test, f->s->rings.ring, 1, 1000);
	expect_ebs(test, f->s->rings.ring, 1, 2000);
	KUNIT_EXPECT_EQ(test, pmct_fixture_take(f->s->rings.ring, &rec), 0);
	KUNIT_EXPECT_EQ(test, f->a->sum[1], 999ULL);
}

static void expect_window(struct kunit *test, u64 events, u16 flags)
{
	struct fixture *f = test->priv;
	struct pmct_test_record rec = {};

	KUNIT_EXPECT_TRUE(test, pmct_overflow());
	KUNIT_EXPECT_NE(test, pmct_fixture_take(f->s->rings.ring, &rec), 0);
	KUNIT_EXPECT_EQ(test, rec.counts[1], events);
	KUNIT_EXPECT_EQ(test, rec.head.flags, flags);
}

/* If samples of one set come too fast, the windows of another set keep their length. */
static void ebs_rotation_widened_test(struct kunit *test)
{
	struct fixture *f = test->priv;

	pmct_fixture_reopen(test, "pmc0,pmc1=0x10,ebs1=1000", "pmc0,pmc2=0x10,ebs2=2000");
	enter_cpu(f);
	f->a->ebs[1].windows = 3;
	f->a->ebs[1].room = 5000;
	switch_to(NULL, f->a);
	pmct_fake_count(1, 1000);
	expect_window(test, 1000, 0);
	pmct_fake_count(2, 5999);
	KUNIT_EXPECT_FALSE(test, pmct_overflow());
	pmct_fake_count(2, 1);
	expect_window(test, 6000, PMCTRACK_RECORD_F_WIDENED);
	pmct_fake_count(1, 1000);
	expect_window(test, 1000, 0);
	switch_to(f->a, NULL);
	leave_cpu(f);
}

static const bool widths[] = { false, true };

KUNIT_ARRAY_PARAM(width, widths, width_desc);

static struct kunit_case mux_cases[] = {
	KUNIT_CASE_PARAM(rotation_test, width_gen_params),
	KUNIT_CASE_PARAM(rotation_full_test, width_gen_params),
	KUNIT_CASE_PARAM(ebs_test, width_gen_params),
	KUNIT_CASE_PARAM(ebs_long_test, width_gen_params),
	KUNIT_CASE_PARAM(ebs_own_events_test, width_gen_params),
	KUNIT_CASE_PARAM(ebs_kernel_test, width_gen_params),
	KUNIT_CASE_PARAM(ebs_rotation_test, width_gen_params),
	KUNIT_CASE_PARAM(ebs_rotation_widened_test, width_gen_params),
	{}
};

static struct kunit_suite mux_suite = {
	.name = "pmctrack_mux",
	.init = pmct_fixture_init,
	.exit = pmct_fixture_exit,
	.test_cases = mux_cases,
};

kunit_test_suite(mux_suite);
