// SPDX-License-Identifier: GPL-2.0-only
/* Compares the simulated machine's cache monitor with its caches and counters. */
#include <kunit/test.h>

#include "../sim/rates.h"
#include "../sim/tags.h"

#define MS	1000000ULL	/* ns */

/* Two CPUs share a last-level cache of 1 MiB, and the third one has its own. */
static const struct pmct_sim_machine machine = {
	.name = "tags", .nr_types = 1, .nr_clusters = 2, .nr_nodes = 1, .nr_cpus = 3,
	.type = { { .name = "core", .mhz = 1000, .width = 2000, .ilp_used = 1000, .overlap = 1000,
		    .l2_kib = 64, .counters = 2 } },
	.cluster = { { .llc_kib = 1024, .llc_ps = 10000 }, { .llc_kib = 1024, .llc_ps = 10000 } },
	.node = { { .mem_ps = 100000, .mem_mbs = 6400 } },
	.cpu_cluster = { 0, 0, 1 },
};

/* It uses 2 MiB, and each line again and again. */
static const struct pmct_sim_profile wants_2_mib = {
	.name = "wants", .nr_phases = 1,
	.phase = { {
		.instr = 1000000000, .ilp = 2000, .mlp = 2000, .l1d = 300000, .l1d_misses = 30000,
		.energy = 1000, .write_backs = 300, .wander = 100,
		.l2 = { .nr = 1, .ppm = { 1000000 } },
		.llc = { .nr = 2, .kib = { 0, 2048 }, .ppm = { 1000000, 20000 } },
	} },
};

static int tags_init(struct kunit *test)
{
	struct pmct_sim *sim = kunit_kzalloc(test, sizeof(*sim), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, sim);
	pmct_sim_init(sim, &machine, 0);
	test->priv = sim;
	return 0;
}

static void start(struct pmct_sim *sim, unsigned int cpu, unsigned int thread, unsigned int rmid)
{
	pmct_sim_begin(sim, thread, &wants_2_mib, thread);
	sim->thread[thread].goal = ~0ULL;
	sim->cpu[cpu].rmid = rmid;
	pmct_sim_enter(sim, cpu, thread, sim->stepped);
}

static u64 parts_of(const struct pmct_sim *sim, unsigned int cluster, unsigned int thread)
{
	u64 sum = 0;
	unsigned int i;

	for (i = 0; i < PMCT_SIM_RMIDS; i++)
		sum += sim->tags[cluster].has[thread][i];
	return sum;
}

/* All lines have an RMID at each step, exactly. */
static void run(struct kunit *test, unsigned int ms)
{
	struct pmct_sim *sim = test->priv;
	unsigned int thread;

	while (ms--) {
		pmct_sim_step(sim, sim->stepped + MS);
		for (thread = 0; thread < 2; thread++)
			KUNIT_ASSERT_EQ(test, parts_of(sim, 0, thread), sim->llc[0].has[thread]);
	}
}

/* By hand: own lines are replaced whatever their RMID, and others take from all RMIDs alike. */
static void parts_test(struct kunit *test)
{
	struct pmct_sim_tags *tags = ((struct pmct_sim *)test->priv)->tags;
	u64 *has = tags->has[7];

	pmct_sim_tags_fill(tags, 7, 1, 0, 1000);
	pmct_sim_tags_fill(tags, 7, 2, 300, 600);
	KUNIT_EXPECT_EQ(test, has[1], 700);
	KUNIT_EXPECT_EQ(test, has[2], 900);
	pmct_sim_tags_fit(tags, 7, 801);
	/* 350.4 and 450.6 */
	KUNIT_EXPECT_EQ(test, has[1], 350);
	KUNIT_EXPECT_EQ(test, has[2], 451);
	pmct_sim_tags_fill(tags, 7, 3, 5000, 0);
	KUNIT_EXPECT_EQ(test, has[1] + has[2], 0);
	KUNIT_EXPECT_EQ(test, has[3], 801);
	pmct_sim_tags_fit(tags, 7, 0);
	KUNIT_EXPECT_EQ(test, has[3], 0);
}

/* Lines and traffic of each RMID are those of its thread. */
static void numbers_test(struct kunit *test)
{
	struct pmct_sim *sim = test->priv;
	unsigned int i;

	start(sim, 0, 0, 3);
	start(sim, 1, 1, 15);
	run(test, 200);
	for (i = 0; i < 2; i++) {
		unsigned int rmid = i ? 15 : 3;

		KUNIT_EXPECT_EQ(test, sim->tags[0].shown[rmid],
				sim->llc[0].has[i] / PMCT_SIM_PART);
		KUNIT_EXPECT_GT(test, sim->tags[0].shown[rmid], 4096);
		KUNIT_EXPECT_EQ(test, sim->tags[0].moved[rmid],
				sim->thread[i].count[PMCT_SIM_MEM_LINES]);
		KUNIT_EXPECT_EQ(test, sim->tags[1].shown[rmid], 0);
	}
	KUNIT_EXPECT_EQ(test, sim->tags[0].shown[0], 0);
}

/* Lines of a process's threads are of one RMID, which counts in each cache separately. */
static void process_test(struct kunit *test)
{
	struct pmct_sim *sim = test->priv;

	start(sim, 0, 0, 4);
	start(sim, 1, 1, 4);
	start(sim, 2, 2, 4);
	run(test, 200);
	KUNIT_EXPECT_EQ(test, sim->tags[0].shown[4],
			(sim->llc[0].has[0] + sim->llc[0].has[1]) / PMCT_SIM_PART);
	KUNIT_EXPECT_EQ(test, sim->tags[1].shown[4],
			sim->llc[1].has[2] / PMCT_SIM_PART);
	KUNIT_EXPECT_EQ(test, sim->tags[0].moved[4] + sim->tags[1].moved[4],
			sim->thread[0].count[PMCT_SIM_MEM_LINES] +
			sim->thread[1].count[PMCT_SIM_MEM_LINES] +
			sim->thread[2].count[PMCT_SIM_MEM_LINES]);
}

/* An RMID that is not used any more keeps its lines until they are replaced. */
static void stale_test(struct kunit *test)
{
	struct pmct_sim *sim = test->priv;
	u64 stale;

	start(sim, 0, 0, 1);
	run(test, 200);
	stale = sim->tags[0].shown[1];
	pmct_sim_sync(sim, 0, sim->stepped);
	sim->cpu[0].rmid = 2;
	run(test, 1);
	KUNIT_EXPECT_GT(test, sim->tags[0].shown[1], stale / 4);
	KUNIT_EXPECT_GT(test, sim->tags[0].shown[2], 0);
	start(sim, 1, 1, 9);
	run(test, 1000);
	KUNIT_EXPECT_LT(test, sim->tags[0].shown[1], stale / 100);
	pmct_sim_leave(sim, 0, true, sim->stepped);
	pmct_sim_end(sim, 0);
	run(test, 1);
	KUNIT_EXPECT_EQ(test, sim->tags[0].shown[2], 0);
	KUNIT_EXPECT_GT(test, sim->tags[0].shown[9], 0);
}

static struct kunit_case tags_kunit_cases[] = {
	KUNIT_CASE(parts_test),
	KUNIT_CASE(numbers_test),
	KUNIT_CASE(process_test),
	KUNIT_CASE(stale_test),
	{}
};

static struct kunit_suite tags_suite = {
	.name = "pmctrack_sim_tags",
	.init = tags_init,
	.test_cases = tags_kunit_cases,
};

kunit_test_suite(tags_suite);
