// SPDX-License-Identifier: GPL-2.0-only
/* Who owns the registers of a CPU: hotplug, sleep, and other software that writes them. */
#include <linux/preempt.h>
#include <linux/smp.h>
#include <asm/apicdef.h>

#include "x86_model.h"

#define PERF_LVTPC	(APIC_DM_NMI | APIC_LVT_MASKED)
#define PERF_GLOBAL	0x3

static bool no_overflow(void)
{
	return true;
}

static const struct x86_machine *begin(struct kunit *test, struct pmct_hwset *set)
{
	const struct x86_machine *m = x86_machine_begin(test, no_overflow);

	x86_machine_program(test, m, m->ebs, set);
	return m;
}

static void expect_perfs(struct kunit *test, const struct x86_machine *m)
{
	KUNIT_EXPECT_EQ(test, *x86_model_lvtpc(), PERF_LVTPC);
	KUNIT_EXPECT_EQ(test, x86_model_get(m->select), 0);
	if (m->global)
		KUNIT_EXPECT_EQ(test, x86_model_get(m->global), PERF_GLOBAL);
}

/* A CPU leaves with perf's registers, and perf finds them if sessions have ended meanwhile. */
static void down_test(struct kunit *test)
{
	struct pmct_hwset set;
	const struct x86_machine *m = begin(test, &set);

	m->backend->cpu_down(raw_smp_processor_id());
	expect_perfs(test, m);
	x86_model_trace();
	m->backend->release();
	KUNIT_EXPECT_EQ(test, x86_model.nr_writes, 0);
	expect_perfs(test, m);
	migrate_enable();
}

/* perf lets its users read all counters. They must not find what a session has counted. */
static void leftover_test(struct kunit *test)
{
	struct pmct_hwset set;
	const struct x86_machine *m = begin(test, &set);

	x86_model_set(m->value, 123456);
	m->backend->release();
	KUNIT_EXPECT_EQ(test, x86_model_get(m->value), 0);
	expect_perfs(test, m);
	migrate_enable();
}

/* A CPU comes back. Its counters stand still and are ours. What was ours never becomes perf's. */
static void up_test(struct kunit *test)
{
	struct pmct_hwset set;
	const struct x86_machine *m = begin(test, &set);

	m->backend->cpu_down(raw_smp_processor_id());
	x86_model_set(m->value, 77);
	m->backend->cpu_up(raw_smp_processor_id());
	KUNIT_EXPECT_EQ(test, x86_model_get(m->select), 0);
	KUNIT_EXPECT_EQ(test, x86_model_get(m->value), 0);
	KUNIT_EXPECT_EQ(test, *x86_model_lvtpc(), APIC_DM_NMI);
	m->backend->program(&set);
	/* The machine slept without cpu_down(), and some registers were lost. */
	*x86_model_lvtpc() = APIC_LVT_MASKED;
	m->backend->cpu_up(raw_smp_processor_id());
	KUNIT_EXPECT_EQ(test, x86_model_get(m->select), 0);
	KUNIT_EXPECT_EQ(test, *x86_model_lvtpc(), APIC_DM_NMI);
	m->backend->program(&set);
	m->backend->release();
	expect_perfs(test, m);
	migrate_enable();
}

/* Without a session, nothing is touched. */
static void up_unclaimed_test(struct kunit *test)
{
	struct pmct_hwset set;
	const struct x86_machine *m = begin(test, &set);

	m->backend->release();
	x86_model_trace();
	m->backend->cpu_online(raw_smp_processor_id());
	m->backend->cpu_up(raw_smp_processor_id());
	m->backend->cpu_down(raw_smp_processor_id());
	KUNIT_EXPECT_EQ(test, x86_model.nr_writes, 0);
	KUNIT_EXPECT_EQ(test, *x86_model_lvtpc(), PERF_LVTPC);
	KUNIT_EXPECT_EQ(test, m->backend->claim(no_overflow, &(struct pmct_msg){}), 0);
	x86_machine_end(m);
}

/* Asking for the core type changes nothing. A CPU that comes online is added to its type. */
static void core_type_test(struct kunit *test)
{
	struct pmct_hwset set;
	const struct x86_machine *m = begin(test, &set);
	struct cpumask *cpus = (struct cpumask *)&m->backend->core_type(0)->cpus;
	int cpu = raw_smp_processor_id();

	cpumask_clear_cpu(cpu, cpus);
	x86_model_trace();
	KUNIT_EXPECT_EQ(test, m->backend->cpu_core_type(cpu), 0);
	KUNIT_EXPECT_EQ(test, x86_model.nr_writes, 0);
	KUNIT_EXPECT_FALSE(test, cpumask_test_cpu(cpu, cpus));
	m->backend->cpu_online(cpu);
	KUNIT_EXPECT_TRUE(test, cpumask_test_cpu(cpu, cpus));
	KUNIT_EXPECT_EQ(test, x86_model.nr_writes, 0);
	x86_machine_end(m);
}

/* On a CPU that is not ours, the hot calls do nothing. */
static void not_ours_test(struct kunit *test)
{
	u64 values[PMCTRACK_MAX_COUNTERS];
	struct pmct_hwset set;
	const struct x86_machine *m = begin(test, &set);

	m->backend->cpu_down(raw_smp_processor_id());
	x86_model_trace();
	m->backend->program(&set);
	KUNIT_EXPECT_EQ(test, m->backend->read(&set, values), 0);
	m->backend->write(m->counter, -5000 & set.mask[set.ebs_index]);
	KUNIT_EXPECT_EQ(test, m->backend->overflow_pending(), 0);
	m->backend->overflow_clear(set.counters);
	KUNIT_EXPECT_TRUE(test, m->backend->intact(&set));
	KUNIT_EXPECT_FALSE(test, x86_model_nmi());
	KUNIT_EXPECT_EQ(test, x86_model.nr_writes, 0);
	expect_perfs(test, m);
	x86_machine_end(m);
}

/* Nothing that we do, and no overflow, looks as if other software had written the registers. */
static void intact_test(struct kunit *test)
{
	u64 values[PMCTRACK_MAX_COUNTERS];
	struct pmct_hwset set, plain;
	const struct x86_machine *m = begin(test, &set);
	u64 mask = set.mask[set.ebs_index];

	KUNIT_EXPECT_TRUE(test, m->backend->intact(&set));
	m->backend->write(m->counter, -5000 & mask);
	m->backend->overflow_clear(BIT_ULL(m->counter));
	KUNIT_EXPECT_TRUE(test, m->backend->intact(&set));
	KUNIT_EXPECT_TRUE(test, x86_model_count(5000));
	KUNIT_EXPECT_TRUE(test, m->backend->intact(&set));
	/* The local APIC shows that it is sending. */
	*x86_model_lvtpc() |= APIC_SEND_PENDING;
	KUNIT_EXPECT_TRUE(test, m->backend->intact(&set));
	*x86_model_lvtpc() &= ~APIC_SEND_PENDING;
	KUNIT_EXPECT_TRUE(test, x86_model_nmi());
	KUNIT_EXPECT_TRUE(test, m->backend->intact(&set));
	m->backend->read(&set, values);
	KUNIT_EXPECT_TRUE(test, m->backend->intact(&set));
	m->backend->overflow_clear(set.counters);
	KUNIT_EXPECT_TRUE(test, m->backend->intact(&set));
	m->backend->program(&set);
	KUNIT_EXPECT_TRUE(test, m->backend->intact(&set));
	/* This set needs no interrupt, so the entry may have any value. */
	x86_machine_program(test, m, m->plain, &plain);
	*x86_model_lvtpc() = 0;
	KUNIT_EXPECT_TRUE(test, m->backend->intact(&plain));
	x86_machine_end(m);
}

/* Is a change of @msr by other software noticed? Programming the set repairs it. */
static void expect_noticed(struct kunit *test, const struct x86_machine *m,
			   const struct pmct_hwset *set, u32 msr, u64 change)
{
	u64 ours = x86_model_get(msr);

	x86_model_set(msr, ours ^ change);
	KUNIT_EXPECT_FALSE_MSG(test, m->backend->intact(set), "%#x", msr);
	x86_model_set(msr, 0);
	KUNIT_EXPECT_FALSE_MSG(test, m->backend->intact(set), "%#x", msr);
	m->backend->program(set);
	KUNIT_EXPECT_EQ_MSG(test, x86_model_get(msr), ours, "%#x", msr);
	KUNIT_EXPECT_TRUE_MSG(test, m->backend->intact(set), "%#x", msr);
}

static void disturbed_test(struct kunit *test)
{
	struct pmct_hwset set;
	const struct x86_machine *m = begin(test, &set);

	expect_noticed(test, m, &set, m->select, BIT(22));
	expect_noticed(test, m, &set, m->select, BIT(20));
	expect_noticed(test, m, &set, m->select, 0x1);
	if (m->global) {
		u64 ours = x86_model_get(m->global);

		expect_noticed(test, m, &set, m->global, ours & -ours);
		/* perf enables all counters, and ours go on counting. */
		x86_model_set(m->global, ours | 0x2);
		KUNIT_EXPECT_TRUE(test, m->backend->intact(&set));
		x86_model_set(m->global, ours);
	}
	if (m->vendor == X86_VENDOR_INTEL && m->pmu.version >= 2) {
		expect_noticed(test, m, &set, MSR_CORE_PERF_FIXED_CTR_CTRL, 0x1);
		expect_noticed(test, m, &set, m->global, BIT_ULL(32));
	}
	/* Suspend resets the entry. An NMI handler that is not ours leaves the entry masked. */
	*x86_model_lvtpc() = APIC_LVT_MASKED;
	KUNIT_EXPECT_FALSE(test, m->backend->intact(&set));
	*x86_model_lvtpc() = APIC_DM_NMI | APIC_LVT_MASKED;
	KUNIT_EXPECT_FALSE(test, m->backend->intact(&set));
	m->backend->program(&set);
	KUNIT_EXPECT_EQ(test, *x86_model_lvtpc(), APIC_DM_NMI);
	KUNIT_EXPECT_TRUE(test, m->backend->intact(&set));
	x86_machine_end(m);
}

static struct kunit_case state_cases[] = {
	KUNIT_CASE_PARAM(down_test, x86_machine_gen_params),
	KUNIT_CASE_PARAM(leftover_test, x86_machine_gen_params),
	KUNIT_CASE_PARAM(up_test, x86_machine_gen_params),
	KUNIT_CASE_PARAM(up_unclaimed_test, x86_machine_gen_params),
	KUNIT_CASE_PARAM(core_type_test, x86_machine_gen_params),
	KUNIT_CASE_PARAM(not_ours_test, x86_machine_gen_params),
	KUNIT_CASE_PARAM(intact_test, x86_machine_gen_params),
	KUNIT_CASE_PARAM(disturbed_test, x86_machine_gen_params),
	{}
};

static struct kunit_suite state_suite = {
	.name = "pmctrack_x86_state",
	.init = x86_model_init,
	.exit = x86_model_exit,
	.test_cases = state_cases,
};

kunit_test_suite(state_suite);
