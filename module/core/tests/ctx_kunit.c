// SPDX-License-Identifier: GPL-2.0-only
/*
 * Whose events are they? Switches between contexts on a PMU in memory, without
 * threads: the hot callbacks are called as the scheduler would.
 */
#include <kunit/test.h>
#include <linux/jiffies.h>

#include "../../pmu-backends/tests/fake.h"
#include "../core.h"
#include "../evset.h"

struct fixture {
	const struct pmct_backend *native;
	struct pmct_session *s;
	struct pmct_ctx *a, *b;
	unsigned long flags;
};

static struct pmct_ctx *new_ctx(struct kunit *test, struct pmct_session *s, pid_t tid)
{
	struct pmct_ctx *ctx = kunit_kzalloc(test, struct_size(ctx, sum, 8), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, ctx);
	ctx->session = s;
	pmct_ctx_use_core_type(ctx, 0);
	ctx->state = PMCT_CTX_COUNTING;
	ctx->head.tid = tid;
	ctx->head.tgid = tid;
	ctx->deadline = jiffies + HZ * 1000;
	return ctx;
}

/* A session for the fake PMU; the native one stays idle meanwhile. */
static int ctx_init(struct kunit *test)
{
	struct fixture *f = kunit_kzalloc(test, sizeof(*f), GFP_KERNEL);
	struct pmct_session_params *params = kunit_kzalloc(test, sizeof(*params), GFP_KERNEL);
	struct pmct_msg msg = {};

	KUNIT_ASSERT_NOT_NULL(test, f);
	KUNIT_ASSERT_NOT_NULL(test, params);
	/* Some kernels run suites before the module's init. */
	pmct_count_init();
	pmct_sample_init();
	pmct_fake_reset();
	pmct_fake_narrow = test->param_value && *(const bool *)test->param_value;
	f->native = pmct_backend;
	pmct_backend = &pmct_fake;
	params->raw[params->nr_raw++] = "pmc0,pmc1=0x10,pmc2=0x11";
	params->ring_size = PMCT_RING_MIN;
	params->period_ns = NSEC_PER_SEC;
	f->s = pmct_session_create(params, &msg);
	if (IS_ERR(f->s)) {
		pmct_backend = f->native;
		KUNIT_FAIL(test, "session: %s", msg.text);
		return PTR_ERR(f->s);
	}
	f->a = new_ctx(test, f->s, 1);
	f->b = new_ctx(test, f->s, 2);
	test->priv = f;
	return 0;
}

static void ctx_exit(struct kunit *test)
{
	struct fixture *f = test->priv;

	if (!f)
		return;
	pmct_session_destroy(f->s);
	pmct_backend = f->native;
}

static void enter_cpu(struct fixture *f)
{
	local_irq_save(f->flags);
	pmct_count_forget_cpu();
}

static void leave_cpu(struct fixture *f)
{
	pmct_count_forget_cpu();
	local_irq_restore(f->flags);
}

static void switch_to(struct pmct_ctx *prev, struct pmct_ctx *next)
{
	if (prev)
		pmct_sched_out(prev, smp_processor_id());
	if (prev || next)
		pmct_sched_in(next, smp_processor_id());
}

static void count_all(u64 events)
{
	unsigned int i;

	for (i = 0; i < 3; i++)
		pmct_fake_count(i, events << i);
}

static void expect_counts(struct kunit *test, const struct pmct_ctx *ctx, u64 events)
{
	unsigned int i;

	for (i = 0; i < 3; i++)
		KUNIT_EXPECT_EQ(test, ctx->sum[i], events << i);
}

/* Monitored and unmonitored threads in all orders: nobody gets others' events. */
static void attribution_test(struct kunit *test)
{
	struct fixture *f = test->priv;

	enter_cpu(f);
	count_all(1000);		/* before anybody */
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

/* The same set is programmed once, and read once a switch between two. */
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

/* A detached thread leaves without a save: the next one must not inherit. */
static void unsaved_test(struct kunit *test)
{
	struct fixture *f = test->priv;

	enter_cpu(f);
	switch_to(NULL, f->a);
	count_all(500);
	switch_to(NULL, f->b);		/* a's delivery was disabled meanwhile */
	count_all(5);
	/* Its context went between the look at the flag and at the pointer. */
	pmct_tick(NULL, smp_processor_id());
	pmct_sched_out(NULL, smp_processor_id());
	pmct_sched_in(f->b, smp_processor_id());
	count_all(50);
	switch_to(f->b, NULL);
	leave_cpu(f);

	/* Who was counted when is not known any more: nothing is guessed. */
	expect_counts(test, f->b, 50);
}

/* Registers lost: nothing of before may be added. */
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

/* A CPU without usable counters: nothing is programmed, and the record says so. */
static void no_core_type_test(struct kunit *test)
{
	struct fixture *f = test->priv;
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

	/* As if it migrated there. */
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
	KUNIT_EXPECT_EQ(test, f->s->ring.head,
			(u64)pmct_record_size(3) + pmct_record_size(0));
}

/* The same with a thread on the CPU, as in suspend. */
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
	pmct_fake_count(1, U32_MAX);		/* not its business */
	switch_to(NULL, f->a);
	pmct_fake_count(1, 11);
	expect += 11;
	switch_to(f->a, NULL);
	leave_cpu(f);

	KUNIT_EXPECT_EQ(test, f->a->sum[1], expect);
}

static u64 take_record(struct pmct_ring *ring, struct pmctrack_record *copy)
{
	u64 tail = ring->ctl->tail;
	const struct pmctrack_record *rec;
	bool found = false;

	while (tail != ring->head && !found) {
		rec = ring->data + (tail & (ring->size - 1));
		found = rec->kind != PMCTRACK_RECORD_PAD;
		if (found)
			*copy = *rec;
		tail += rec->size;
	}
	/* As the reader does. */
	smp_store_release(&ring->ctl->tail, tail);
	return found ? copy->size : 0;
}

/* The end of a period, at the tick or at the switch, closes the interval once. */
static void period_test(struct kunit *test)
{
	struct fixture *f = test->priv;
	struct pmctrack_record rec;

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

	KUNIT_EXPECT_EQ(test, take_record(&f->s->ring, &rec), pmct_record_size(3));
	KUNIT_EXPECT_EQ(test, rec.kind, PMCTRACK_RECORD_TICK);
	KUNIT_EXPECT_EQ(test, rec.tid, 1);
	KUNIT_EXPECT_EQ(test, rec.counters, 0x7U);
	KUNIT_EXPECT_EQ(test, take_record(&f->s->ring, &rec), pmct_record_size(3));
	KUNIT_EXPECT_EQ(test, take_record(&f->s->ring, &rec), 0);
	KUNIT_EXPECT_TRUE(test, time_after(f->a->deadline, jiffies));
	KUNIT_EXPECT_TRUE(test, time_before_eq(f->a->deadline, jiffies + HZ));
	expect_counts(test, f->a, 0);
}

/* A full ring delays ticks, and loses only last records, with account. */
static void full_ring_test(struct kunit *test)
{
	struct fixture *f = test->priv;
	struct pmct_ring *ring = &f->s->ring;
	unsigned int fits = ring->size / pmct_record_size(3);
	struct pmctrack_record rec;
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
	take_record(ring, &rec);
	take_record(ring, &rec);
	enter_cpu(f);
	pmct_sample_close(f->a, PMCTRACK_RECORD_TICK, 0);
	leave_cpu(f);
	expect_counts(test, f->a, 0);

	/* What has no later record is lost, once the ring is full again. */
	enter_cpu(f);
	for (i = 0; i < 3; i++)
		pmct_sample_close(f->a, PMCTRACK_RECORD_TICK, 0);
	switch_to(NULL, f->a);
	count_all(6);
	switch_to(f->a, NULL);
	pmct_sample_close(f->a, PMCTRACK_RECORD_MIGRATION, 0);
	leave_cpu(f);
	KUNIT_EXPECT_EQ(test, ring->ctl->lost, 1ULL);
	KUNIT_EXPECT_EQ(test, ring->ctl->lost_counts[0][2], 6ULL << 2);
	expect_counts(test, f->a, 0);
	KUNIT_EXPECT_FALSE(test, f->a->merged);

	for (i = 0; take_record(ring, &rec); )
		i += !!(rec.flags & PMCTRACK_RECORD_F_MERGED);
	KUNIT_EXPECT_EQ(test, i, 1);
}

static const bool widths[] = { false, true };

static void width_desc(const bool *narrow, char *desc)
{
	strscpy(desc, *narrow ? "32-bit counters" : "64-bit counters", KUNIT_PARAM_DESC_SIZE);
}

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
	.init = ctx_init,
	.exit = ctx_exit,
	.test_cases = ctx_cases,
};

kunit_test_suite(ctx_suite);
