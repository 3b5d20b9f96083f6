// SPDX-License-Identifier: GPL-2.0-only
/* Interrupts of counters that come late, come twice, or interrupt other work. */
#include <linux/delay.h>

#include "x86_model.h"

static unsigned int overflows;

static bool count_overflows(void)
{
	overflows++;
	return true;
}

static const struct x86_machine *begin(struct kunit *test, struct pmct_hwset *set)
{
	const struct x86_machine *m = x86_machine_begin(test, count_overflows);

	overflows = 0;
	x86_machine_program(test, m, m->ebs, set);
	return m;
}

/* Load the counter so that it overflows after @events, as the core does it. */
static void load(const struct x86_machine *m, const struct pmct_hwset *set, u64 events)
{
	m->backend->write(m->counter, -events & set->mask[set->ebs_index]);
	m->backend->overflow_clear(BIT_ULL(m->counter));
}

/* Sampling works: the next overflow interrupts, and is ours. */
static void expect_sampling(struct kunit *test, const struct x86_machine *m,
			    const struct pmct_hwset *set)
{
	unsigned int before = overflows;

	load(m, set, 5000);
	KUNIT_EXPECT_TRUE(test, x86_model_count(5000));
	KUNIT_EXPECT_TRUE(test, x86_model_nmi());
	KUNIT_EXPECT_EQ(test, overflows, before + 1);
}

/* A set is replaced while the NMI of one of its counters is on its way. */
static void replaced_before_test(struct kunit *test)
{
	struct pmct_hwset set, other;
	const struct x86_machine *m = begin(test, &set);

	load(m, &set, 5000);
	KUNIT_EXPECT_TRUE(test, x86_model_count(5000));
	x86_machine_program(test, m, m->plain, &other);
	KUNIT_EXPECT_TRUE(test, x86_model_nmi());
	KUNIT_EXPECT_EQ(test, overflows, 0);
	KUNIT_EXPECT_FALSE(test, x86_model_nmi());
	m->backend->program(&set);
	expect_sampling(test, m, &set);
	x86_machine_end(m);
}

/* A set is replaced after the NMI, but before its overflow was accounted for. */
static void replaced_after_test(struct kunit *test)
{
	struct pmct_hwset set, other;
	const struct x86_machine *m = begin(test, &set);

	load(m, &set, 5000);
	KUNIT_EXPECT_TRUE(test, x86_model_count(5000));
	KUNIT_EXPECT_TRUE(test, x86_model_nmi());
	x86_machine_program(test, m, m->plain, &other);
	KUNIT_EXPECT_FALSE(test, x86_model_nmi());
	m->backend->program(&set);
	expect_sampling(test, m, &set);
	/* And it is replaced by the same set, as each sample does. */
	m->backend->program(&set);
	expect_sampling(test, m, &set);
	x86_machine_end(m);
}

/* A counter that the next set leaves out does not interrupt when perf enables all counters. */
static void dropped_test(struct kunit *test)
{
	struct pmct_hwset set, other;
	const struct x86_machine *m = begin(test, &set);

	load(m, &set, 5000);
	x86_machine_program(test, m, m->plain, &other);
	x86_model_set(m->global, 0x7);
	KUNIT_EXPECT_FALSE(test, x86_model_count(5000));
	m->backend->program(&set);
	expect_sampling(test, m, &set);
	x86_machine_end(m);
}

/* Two overflows are accounted for before the NMI of the first one comes. */
static void two_late_test(struct kunit *test)
{
	struct pmct_hwset set;
	const struct x86_machine *m = begin(test, &set);
	int i;

	load(m, &set, 5000);
	for (i = 0; i < 2; i++) {
		KUNIT_EXPECT_TRUE(test, x86_model_count(5000));
		load(m, &set, 5000);
	}
	KUNIT_EXPECT_TRUE(test, x86_model_nmi());
	KUNIT_EXPECT_TRUE(test, x86_model_nmi());
	KUNIT_EXPECT_EQ(test, overflows, 0);
	KUNIT_EXPECT_FALSE(test, x86_model_nmi());
	expect_sampling(test, m, &set);
	x86_machine_end(m);
}

/* NMIs that never come (they were merged) hide other NMIs only briefly, and only a few. */
static void expired_test(struct kunit *test)
{
	struct pmct_hwset set;
	const struct x86_machine *m = begin(test, &set);
	int i;

	load(m, &set, 5000);
	for (i = 0; i < 20; i++) {
		KUNIT_EXPECT_TRUE(test, x86_model_count(5000));
		load(m, &set, 5000);
	}
	KUNIT_EXPECT_TRUE(test, x86_model_nmi());
	KUNIT_EXPECT_TRUE(test, x86_model_nmi());
	KUNIT_EXPECT_FALSE(test, x86_model_nmi());
	KUNIT_EXPECT_TRUE(test, x86_model_count(5000));
	load(m, &set, 5000);
	msleep(150);
	KUNIT_EXPECT_FALSE(test, x86_model_nmi());
	x86_machine_end(m);
}

/* The counters are given back while an NMI is on its way. */
static void released_test(struct kunit *test)
{
	struct pmct_hwset set;
	const struct x86_machine *m = begin(test, &set);
	struct pmct_msg msg = {};

	load(m, &set, 5000);
	KUNIT_EXPECT_TRUE(test, x86_model_count(5000));
	m->backend->release();
	KUNIT_EXPECT_TRUE(test, x86_model_nmi());
	KUNIT_EXPECT_FALSE(test, x86_model_nmi());
	KUNIT_EXPECT_EQ(test, overflows, 0);
	KUNIT_EXPECT_EQ(test, m->backend->claim(count_overflows, &msg), 0);
	m->backend->program(&set);
	expect_sampling(test, m, &set);
	x86_machine_end(m);
	m->backend->exit();
	KUNIT_EXPECT_NULL(test, x86_model.handler);
}

/* The NMI comes just before the flag is cleared. */
static void amid_clear_test(struct kunit *test)
{
	struct pmct_hwset set;
	const struct x86_machine *m = begin(test, &set);

	load(m, &set, 5000);
	KUNIT_EXPECT_TRUE(test, x86_model_count(5000));
	x86_model.before = MSR_CORE_PERF_GLOBAL_OVF_CTRL;
	x86_model.nmi = true;
	m->backend->overflow_clear(BIT_ULL(m->counter));
	if (m->vendor == X86_VENDOR_INTEL && m->pmu.version >= 2)
		KUNIT_EXPECT_EQ(test, x86_model.before, 0);
	expect_sampling(test, m, &set);
	x86_machine_end(m);
}

/* The counter that samples overflows while the flag of another counter is cleared. */
static void amid_other_clear_test(struct kunit *test)
{
	struct pmct_hwset set;
	const struct x86_machine *m = begin(test, &set);

	load(m, &set, 5000);
	x86_model_set(MSR_CORE_PERF_FIXED_CTR0, -1000 & GENMASK_ULL(47, 0));
	KUNIT_EXPECT_FALSE(test, x86_model_count(4999));
	x86_model.before = MSR_CORE_PERF_GLOBAL_OVF_CTRL;
	x86_model.events = 1;
	m->backend->overflow_clear(set.counters);
	if (m->vendor != X86_VENDOR_INTEL || m->pmu.version < 2)
		KUNIT_EXPECT_TRUE(test, x86_model_count(1));
	else
		KUNIT_EXPECT_TRUE(test, x86_model.raised);
	KUNIT_EXPECT_TRUE(test, x86_model_nmi());
	KUNIT_EXPECT_EQ(test, overflows, 1);
	KUNIT_EXPECT_EQ(test, m->backend->overflow_pending(), BIT_ULL(m->counter));
	expect_sampling(test, m, &set);
	x86_machine_end(m);
}

/* A counter overflows just before it is loaded again. Without a flag, the new value hides that. */
static void amid_write_test(struct kunit *test)
{
	struct pmct_hwset set;
	const struct x86_machine *m = begin(test, &set);

	load(m, &set, 5000);
	KUNIT_EXPECT_FALSE(test, x86_model_count(4990));
	x86_model.before = m->value;
	x86_model.events = 10;
	load(m, &set, 5000);
	KUNIT_EXPECT_TRUE(test, x86_model.raised);
	KUNIT_EXPECT_TRUE(test, x86_model_nmi());
	KUNIT_EXPECT_EQ(test, overflows, 0);
	KUNIT_EXPECT_FALSE(test, x86_model_nmi());
	expect_sampling(test, m, &set);
	x86_machine_end(m);
}

static struct kunit_case nmi_cases[] = {
	KUNIT_CASE_PARAM(replaced_before_test, x86_machine_gen_params),
	KUNIT_CASE_PARAM(replaced_after_test, x86_machine_gen_params),
	KUNIT_CASE_PARAM(dropped_test, x86_machine_gen_params),
	KUNIT_CASE_PARAM(two_late_test, x86_machine_gen_params),
	KUNIT_CASE_PARAM(expired_test, x86_machine_gen_params),
	KUNIT_CASE_PARAM(released_test, x86_machine_gen_params),
	KUNIT_CASE_PARAM(amid_clear_test, x86_machine_gen_params),
	KUNIT_CASE_PARAM(amid_other_clear_test, x86_machine_gen_params),
	KUNIT_CASE_PARAM(amid_write_test, x86_machine_gen_params),
	{}
};

static struct kunit_suite nmi_suite = {
	.name = "pmctrack_x86_nmi",
	.init = x86_model_init,
	.exit = x86_model_exit,
	.test_cases = nmi_cases,
};

kunit_test_suite(nmi_suite);
