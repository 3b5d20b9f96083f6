// SPDX-License-Identifier: GPL-2.0-only
/* The share of a CPU's time that samples by events take, on a simulated CPU. */
#include <kunit/test.h>

#include "../ebs_limit.h"

#define WINDOW	1000ULL	/* events that the user asked for */

/**
 * struct limit_case - a thread that samples, alone on a CPU
 * @desc: for people
 * @percent: the limit
 * @per_event: clock ticks of the thread for an event; in odd phases, see @per_event_odd
 * @per_event_odd: the same in odd phases, if the program has phases
 * @handler: clock ticks of a sample's handler
 * @interrupts: clock ticks of entry and exit
 * @expect: greatest share of samples, in per mille of the CPU's time
 * @widened: true if windows are made longer
 */
struct limit_case {
	const char *desc;
	u32 percent;
	u32 per_event, per_event_odd;
	u32 handler, interrupts;
	u32 expect;
	bool widened;
};

static const struct limit_case limit_cases[] = {
	{ "cheap samples", 25, 10, 10, 500, 500, 100, false },
	{ "samples that take the CPU", 25, 1, 1, 3000, 2000, 250, true },
	{ "the same without a limit", 100, 1, 1, 3000, 2000, 834, false },
	{ "one percent", 1, 1, 1, 1000, 1000, 10, true },
	{ "a slow and a fast phase", 25, 1, 100, 3000, 2000, 250, true },
	{ "events that are rare at times", 25, 1, 10000, 3000, 2000, 250, true },
};

static void limit_desc(const struct limit_case *c, char *desc)
{
	strscpy(desc, c->desc, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(limit, limit_cases, limit_desc);

/* As pmct_ebs_close(), with an interrupt handler around it. */
static void limit_test(struct kunit *test)
{
	const struct limit_case *c = test->param_value;
	const struct pmct_ebs_machine machine = pmct_ebs_machine;
	struct pmct_ebs_limit limit = {};
	u64 now = 1000000, in_samples = 0, begin = now, least, longest = 0;
	u64 events = WINDOW;
	unsigned int i;

	pmct_ebs_machine.interrupts = c->interrupts;
	pmct_ebs_machine.burst = 1000000;
	limit.since = now;
	for (i = 0; i < 20000; i++) {
		u64 run = events * (i / 10 % 2 ? c->per_event_odd : c->per_event);
		u64 entered;

		longest = max(longest, events);
		now += run + c->interrupts / 2;
		entered = now;
		/* The window that the handler closes has half of the last sample in it. */
		least = pmct_ebs_limit_window(&limit, now, c->percent, events,
					      run + c->handler / 2 + c->interrupts);
		now += c->handler;
		pmct_ebs_limit_charge(&limit, entered, now, c->percent);
		now += c->interrupts / 2;
		in_samples += c->handler + c->interrupts;
		events = max_t(u64, DIV_ROUND_UP_ULL(least, WINDOW), 1) * WINDOW;
	}
	/* Time that was saved before the first sample may have been spent. */
	KUNIT_EXPECT_LE(test, in_samples * 1000, (now - begin) * c->expect + 1000000 * 1000);
	KUNIT_EXPECT_EQ(test, longest > WINDOW, c->widened);
	/* The limit must not lead to far fewer samples than it allows. */
	if (c->widened && c->per_event == c->per_event_odd)
		KUNIT_EXPECT_GE(test, in_samples * 1000, (now - begin) * c->expect / 4);
	pmct_ebs_machine = machine;
}

/* After a sleep the clock may begin anew. Nobody pays for that; no more than a burst is saved. */
static void limit_slept_test(struct kunit *test)
{
	const struct pmct_ebs_machine machine = pmct_ebs_machine;
	struct pmct_ebs_limit limit = { .since = 1ULL << 50 };
	const u64 before = limit.since + 3000, after = 20;
	unsigned int i;

	pmct_ebs_machine.interrupts = 2000;
	pmct_ebs_machine.burst = 1000000;
	for (i = 0; i < 1000; i++)
		pmct_ebs_limit_charge(&limit, before - 3000, before, 25);
	KUNIT_EXPECT_LT(test, limit.left, -1000000);
	KUNIT_EXPECT_NE(test, pmct_ebs_limit_window(&limit, before, 25, WINDOW, WINDOW), 0);

	KUNIT_EXPECT_EQ(test, pmct_ebs_limit_window(&limit, after, 25, WINDOW, WINDOW), 0);
	KUNIT_EXPECT_EQ(test, limit.since, after);
	KUNIT_EXPECT_EQ(test, limit.left, 250000);
	pmct_ebs_limit_charge(&limit, after, after + 4000, 25);
	KUNIT_EXPECT_EQ(test, limit.left, 250000 - 6000);
	pmct_ebs_machine = machine;
}

static struct kunit_case limit_kunit_cases[] = {
	KUNIT_CASE_PARAM(limit_test, limit_gen_params),
	KUNIT_CASE(limit_slept_test),
	{}
};

static struct kunit_suite limit_suite = {
	.name = "pmctrack_ebs_limit",
	.test_cases = limit_kunit_cases,
};

kunit_test_suite(limit_suite);
