// SPDX-License-Identifier: GPL-2.0-only
/* Counters of the simulated machine, and threads that pause. */
#include <kunit/test.h>

#include "../sim/model.h"

#define US	1000ULL		/* ns */
#define MS	1000000ULL

/* An instruction takes one ns: one cycle at 1 GHz. */
static const struct pmct_sim_machine machine = {
	.name = "test", .nr_types = 1, .nr_clusters = 1, .nr_nodes = 1, .nr_cpus = 1,
	.type = { { .name = "core", .mhz = 1000, .width = 2000, .ilp_used = 1000, .l2_kib = 64,
		    .counters = 6, .active_mw = 1000, .idle_mw = 100 } },
	.cluster = { { .llc_kib = 1024, .llc_ps = 10000 } },
	.node = { { .mem_ps = 100000, .mem_mbs = 6400 } },
};

static const struct pmct_sim_profile program = {
	.name = "program", .nr_phases = 2,
	.phase = { {
		.instr = 3000000, .ilp = 2000, .mlp = 1000, .branches = 250000, .l1d = 300000,
		.energy = 1000,
		.l2 = { .nr = 1, .ppm = { 0 } }, .llc = { .nr = 1, .ppm = { 0 } },
	}, {
		.instr = 3000000, .ilp = 2000, .mlp = 1000, .branches = 100000, .l1d = 300000,
		.energy = 1000,
		.l2 = { .nr = 1, .ppm = { 0 } }, .llc = { .nr = 1, .ppm = { 0 } },
	} },
};

static int sim_init(struct kunit *test)
{
	struct pmct_sim *sim = kunit_kzalloc(test, sizeof(*sim), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, sim);
	pmct_sim_init(sim, &machine, 0);
	pmct_sim_begin(sim, 0, &program, 1);
	sim->thread[0].goal = ~0ULL;
	pmct_sim_enter(sim, 0, 0, 0);
	test->priv = sim;
	return 0;
}

/* A counter counts on from the value that was written. */
static void value_test(struct kunit *test)
{
	struct pmct_sim *sim = test->priv;
	struct pmct_sim_cpu *cpu = &sim->cpu[0];

	pmct_sim_pmu_select(cpu, 2, PMCT_SIM_BRANCHES);
	pmct_sim_pmu_write(cpu, 2, 1000);
	pmct_sim_sync(sim, 0, 800 * US);
	KUNIT_EXPECT_EQ(test, 800000, pmct_sim_pmu_read(cpu, 0));
	KUNIT_EXPECT_EQ(test, 800000, pmct_sim_pmu_read(cpu, 1));
	KUNIT_EXPECT_EQ(test, 1000 + 200000, pmct_sim_pmu_read(cpu, 2));
	pmct_sim_pmu_write(cpu, 2, -5ULL);
	KUNIT_EXPECT_EQ(test, -5ULL, pmct_sim_pmu_read(cpu, 2));
	pmct_sim_sync(sim, 0, 840 * US);
	KUNIT_EXPECT_EQ(test, 10000 - 5, pmct_sim_pmu_read(cpu, 2));
	KUNIT_EXPECT_EQ(test, BIT(2), pmct_sim_pmu_overflowed(cpu));
}

/* A counter overflows at its last event, not before, only once, and not again after a clear. */
static void overflow_test(struct kunit *test)
{
	struct pmct_sim *sim = test->priv;
	struct pmct_sim_cpu *cpu = &sim->cpu[0];

	pmct_sim_pmu_select(cpu, 3, PMCT_SIM_BRANCHES);
	pmct_sim_pmu_write(cpu, 3, -100000ULL);
	KUNIT_EXPECT_EQ(test, 400 * US, pmct_sim_pmu_due(sim, 0) / 10 * 10);
	pmct_sim_sync(sim, 0, 399990);
	KUNIT_EXPECT_EQ(test, 0, pmct_sim_pmu_overflowed(cpu));
	pmct_sim_sync(sim, 0, 400004);
	KUNIT_EXPECT_EQ(test, BIT(3), pmct_sim_pmu_overflowed(cpu));
	KUNIT_EXPECT_EQ(test, BIT(3), pmct_sim_pmu_overflowed(cpu));
	KUNIT_EXPECT_EQ(test, ~0ULL, pmct_sim_pmu_due(sim, 0));
	pmct_sim_pmu_clear(cpu, BIT(3));
	pmct_sim_sync(sim, 0, 500 * US);
	KUNIT_EXPECT_EQ(test, 0, pmct_sim_pmu_overflowed(cpu));
}

/* A flag that is older than the new value stays until it is cleared. */
static void reload_test(struct kunit *test)
{
	struct pmct_sim *sim = test->priv;
	struct pmct_sim_cpu *cpu = &sim->cpu[0];

	pmct_sim_pmu_write(cpu, 0, -100000ULL);
	pmct_sim_sync(sim, 0, 200 * US);
	KUNIT_EXPECT_EQ(test, BIT(0), pmct_sim_pmu_overflowed(cpu));
	pmct_sim_pmu_write(cpu, 0, -100000ULL);
	KUNIT_EXPECT_EQ(test, BIT(0), pmct_sim_pmu_overflowed(cpu));
	pmct_sim_pmu_clear(cpu, BIT(0));
	KUNIT_EXPECT_EQ(test, 0, pmct_sim_pmu_overflowed(cpu));
	pmct_sim_sync(sim, 0, 301 * US);
	KUNIT_EXPECT_EQ(test, BIT(0), pmct_sim_pmu_overflowed(cpu));
}

/* Rates change with the phase, so counters must be checked again then. */
static void phase_test(struct kunit *test)
{
	struct pmct_sim *sim = test->priv;
	struct pmct_sim_cpu *cpu = &sim->cpu[0];

	pmct_sim_pmu_select(cpu, 2, PMCT_SIM_BRANCHES);
	pmct_sim_pmu_write(cpu, 2, -800000ULL);
	/* 750,000 in the 3 ms of the first phase, 50,000 in 0.5 ms of the second one. */
	KUNIT_EXPECT_EQ(test, 3 * MS, pmct_sim_pmu_due(sim, 0) / 10 * 10);
	pmct_sim_step(sim, 3 * MS);
	KUNIT_EXPECT_EQ(test, 0, pmct_sim_pmu_overflowed(cpu));
	KUNIT_EXPECT_EQ(test, 500 * US, pmct_sim_pmu_due(sim, 0) / 100 * 100);
	pmct_sim_step(sim, 3500 * US + 10);
	KUNIT_EXPECT_EQ(test, BIT(2), pmct_sim_pmu_overflowed(cpu));
}

static void no_event_test(struct kunit *test)
{
	struct pmct_sim *sim = test->priv;

	pmct_sim_pmu_select(&sim->cpu[0], 2, PMCT_SIM_LLC_MISSES);
	pmct_sim_pmu_write(&sim->cpu[0], 2, -1ULL);
	KUNIT_EXPECT_EQ(test, ~0ULL, pmct_sim_pmu_due(sim, 0));
	pmct_sim_sync(sim, 0, 5 * MS);
	KUNIT_EXPECT_EQ(test, 0, pmct_sim_pmu_overflowed(&sim->cpu[0]));
}

/* A thread that pauses does nothing. Its CPU takes the power of a busy one. */
static void kernel_test(struct kunit *test)
{
	struct pmct_sim *sim = test->priv;
	struct pmct_sim_thread *t = &sim->thread[0];

	pmct_sim_pause(sim, 0, 200 * US);
	pmct_sim_sync(sim, 0, 250 * US);
	KUNIT_EXPECT_EQ(test, 200000, t->count[PMCT_SIM_INSTR]);
	pmct_sim_resume(sim, 0, 300 * US);
	pmct_sim_sync(sim, 0, 400 * US);
	KUNIT_EXPECT_EQ(test, 300000, t->count[PMCT_SIM_INSTR]);
	KUNIT_EXPECT_EQ(test, 300 * US * 1000, t->ran_ps);
	/* 1 W for 0.4 ms. Instructions take nothing. */
	KUNIT_EXPECT_EQ(test, 400 * US * 1000, t->pj);
	/* The thread leaves while it pauses, and works when it comes back. */
	pmct_sim_pause(sim, 0, 400 * US);
	pmct_sim_leave(sim, 0, true, 500 * US);
	pmct_sim_enter(sim, 0, 0, 600 * US);
	pmct_sim_sync(sim, 0, 700 * US);
	KUNIT_EXPECT_EQ(test, 400000, t->count[PMCT_SIM_INSTR]);
}

static struct kunit_case sim_pmu_cases[] = {
	KUNIT_CASE(value_test),
	KUNIT_CASE(overflow_test),
	KUNIT_CASE(reload_test),
	KUNIT_CASE(phase_test),
	KUNIT_CASE(no_event_test),
	KUNIT_CASE(kernel_test),
	{}
};

static struct kunit_suite sim_pmu_suite = {
	.name = "pmctrack_sim_pmu",
	.init = sim_init,
	.test_cases = sim_pmu_cases,
};

kunit_test_suite(sim_pmu_suite);
