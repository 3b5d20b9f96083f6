// SPDX-License-Identifier: GPL-2.0-only
/* Compares the simulated machine's arithmetic with answers that can be worked out by hand. */
#include <kunit/test.h>

#include "../sim/rates.h"

#define MS	1000000ULL	/* ns */
#define SECOND	(1000 * MS)

/* Two CPUs of 1 GHz, and two of half of that. Each pair has a last-level cache. */
static const struct pmct_sim_machine machine = {
	.name = "test", .nr_types = 2, .nr_clusters = 2, .nr_nodes = 1, .nr_cpus = 4,
	.type = {
		{ .name = "fast", .mhz = 1000, .width = 2000, .ilp_used = 1000, .overlap = 1000,
		  .branch_cycles = 10, .l2_cycles = 4, .l2_kib = 64, .counters = 2,
		  .instr_pj = 100, .active_mw = 500, .idle_mw = 50 },
		{ .name = "slow", .mhz = 500, .width = 2000, .ilp_used = 1000, .overlap = 1000,
		  .branch_cycles = 10, .l2_cycles = 4, .l2_kib = 64, .counters = 2,
		  .instr_pj = 40, .active_mw = 100, .idle_mw = 10 },
	},
	.cluster = { { .llc_kib = 1024, .llc_ps = 10000 }, { .llc_kib = 1024, .llc_ps = 10000 } },
	.node = { { .mem_ps = 100000, .mem_mbs = 6400 } },
	.cpu_type = { 0, 0, 1, 1 }, .cpu_cluster = { 0, 0, 1, 1 },
	.llc_pj = 1000, .mem_pj = 10000, .uncore_mw = 1000,
};

/* 0.5 + 0.5 cycles for an instruction, and 10 for each mispredicted branch: 1.1. */
static const struct pmct_sim_profile computes = {
	.name = "computes", .nr_phases = 1,
	.phase = { {
		.instr = 1000000000, .ilp = 2000, .mlp = 1000, .branches = 100000,
		.branch_misses = 10000, .l1d = 300000, .energy = 1000, .blocks = 1,
		.l2 = { .nr = 1, .ppm = { 1000000 } }, .llc = { .nr = 1, .ppm = { 1000000 } },
	} },
};

/* One cycle for an instruction, and 10,000 misses of 100 ns in a million: 2 ns at 1 GHz. */
static const struct pmct_sim_profile streams = {
	.name = "streams", .nr_phases = 1,
	.phase = { {
		.instr = 1000000000, .ilp = 2000, .mlp = 1000, .l1d = 300000, .l1d_misses = 10000,
		.energy = 1000, .blocks = 1,
		.l2 = { .nr = 2, .kib = { 0, 1 << 18 }, .ppm = { 1000000, 1000000 } },
		.llc = { .nr = 2, .kib = { 0, 1 << 18 }, .ppm = { 1000000, 1000000 } },
	} },
};

/* It needs the whole last-level cache, and its behaviour varies. */
static const struct pmct_sim_profile reuses = {
	.name = "reuses", .nr_phases = 2,
	.phase = { {
		.instr = 70000000, .ilp = 2000, .mlp = 2000, .branches = 100000,
		.branch_misses = 3000, .l1d = 300000, .l1d_misses = 30000, .energy = 1000,
		.wander = 100, .write_backs = 300, .blocks = 100,
		.l2 = { .nr = 2, .kib = { 0, 128 }, .ppm = { 1000000, 200000 } },
		.llc = { .nr = 3, .kib = { 0, 512, 1024 }, .ppm = { 1000000, 400000, 20000 } },
	}, {
		.instr = 30000000, .ilp = 1000, .mlp = 1000, .branches = 100000,
		.branch_misses = 8000, .l1d = 300000, .l1d_misses = 3000, .energy = 900,
		.wander = 50, .code = 100, .blocks = 50,
		.l2 = { .nr = 2, .kib = { 0, 32 }, .ppm = { 1000000, 100000 } },
		.llc = { .nr = 2, .kib = { 0, 64 }, .ppm = { 1000000, 10000 } },
	} },
};

static int sim_init(struct kunit *test)
{
	test->priv = kunit_kzalloc(test, sizeof(struct pmct_sim), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, test->priv);
	pmct_sim_init(test->priv, &machine, 0);
	return 0;
}

static void start(struct pmct_sim *sim, unsigned int cpu, unsigned int thread,
		  const struct pmct_sim_profile *profile, u64 goal)
{
	pmct_sim_begin(sim, thread, profile, 1);
	sim->thread[thread].goal = goal;
	pmct_sim_enter(sim, cpu, thread, sim->stepped);
}

static void run(struct pmct_sim *sim, u64 ns)
{
	u64 end = sim->stepped + ns;

	while (sim->stepped < end)
		pmct_sim_step(sim, min(sim->stepped + MS, end));
}

/* @value is @expected, up to @thousandths of it. */
static void expect_near(struct kunit *test, u64 value, u64 expected, u64 thousandths)
{
	KUNIT_EXPECT_GE(test, value, expected - expected * thousandths / 1000);
	KUNIT_EXPECT_LE(test, value, expected + expected * thousandths / 1000);
}

static void compute_test(struct kunit *test)
{
	struct pmct_sim *sim = test->priv;
	u64 *count = sim->thread[0].count;

	start(sim, 0, 0, &computes, ~0ULL);
	run(sim, 1100 * MS);
	KUNIT_EXPECT_EQ(test, count[PMCT_SIM_INSTR], 1000000000);
	KUNIT_EXPECT_EQ(test, count[PMCT_SIM_CYCLES], 1100000000);
	KUNIT_EXPECT_EQ(test, count[PMCT_SIM_BRANCHES], 100000000);
	KUNIT_EXPECT_EQ(test, count[PMCT_SIM_BRANCH_MISSES], 10000000);
	KUNIT_EXPECT_EQ(test, count[PMCT_SIM_STALLS_FETCH], 100000000);
	KUNIT_EXPECT_EQ(test, count[PMCT_SIM_LLC_MISSES], 0);
	KUNIT_EXPECT_EQ(test, sim->thread[0].ran_ps, 1100 * MS * 1000);
}

/* The core types differ only in frequency, which does not change the memory. */
static void frequency_test(struct kunit *test)
{
	struct pmct_sim *sim = test->priv;

	start(sim, 0, 0, &computes, 100000000);
	run(sim, SECOND);
	pmct_sim_settle_alone(sim, 0);
	KUNIT_EXPECT_EQ(test, sim->thread[0].alone[0].ps, 110 * MS * 1000);
	KUNIT_EXPECT_EQ(test, sim->thread[0].alone[1].ps, 220 * MS * 1000);

	start(sim, 1, 1, &streams, 100000000);
	run(sim, SECOND);
	pmct_sim_settle_alone(sim, 1);
	/* 1 + 1 and 2 + 1 ns, and some time for the queue. */
	expect_near(test, sim->thread[1].alone[0].ps, 200 * MS * 1000, 10);
	expect_near(test, sim->thread[1].alone[1].ps, 300 * MS * 1000, 10);
}

/* Reading changes nothing, however often. */
static void looking_test(struct kunit *test)
{
	struct pmct_sim *sim = test->priv;
	u64 seldom, ns;

	start(sim, 0, 0, &reuses, ~0ULL);
	run(sim, SECOND);
	seldom = sim->thread[0].count[PMCT_SIM_INSTR];
	pmct_sim_init(sim, &machine, 0);
	start(sim, 0, 0, &reuses, ~0ULL);
	for (ns = 0; ns < SECOND; ns += MS) {
		pmct_sim_sync(sim, 0, ns + 1);
		pmct_sim_sync(sim, 0, ns + 333333);
		pmct_sim_sync(sim, 0, ns + 999999);
		pmct_sim_step(sim, ns + MS);
	}
	expect_near(test, sim->thread[0].count[PMCT_SIM_INSTR], seldom, 1);
	KUNIT_EXPECT_EQ(test, sim->thread[0].ran_ps, SECOND * 1000);
}

static void goal_test(struct kunit *test)
{
	struct pmct_sim *sim = test->priv;
	u64 ns;

	start(sim, 0, 0, &computes, 1000001);
	ns = pmct_sim_time_for(sim, 0, 1000001);
	KUNIT_EXPECT_LE(test, ns, 1100002 + 1);
	pmct_sim_sync(sim, 0, ns - 3);
	KUNIT_EXPECT_LT(test, sim->thread[0].count[PMCT_SIM_INSTR], 1000001);
	pmct_sim_sync(sim, 0, ns);
	KUNIT_EXPECT_EQ(test, sim->thread[0].count[PMCT_SIM_INSTR], 1000001);
	pmct_sim_sync(sim, 0, SECOND);
	KUNIT_EXPECT_EQ(test, sim->thread[0].count[PMCT_SIM_INSTR], 1000001);
	expect_near(test, sim->thread[0].ran_ps, 1100001100, 1);
}

static void phases_test(struct kunit *test)
{
	struct pmct_sim *sim = test->priv;

	start(sim, 0, 0, &reuses, 70000001);
	run(sim, SECOND);
	KUNIT_EXPECT_EQ(test, sim->thread[0].phase, 1);
	KUNIT_EXPECT_EQ(test, sim->thread[0].left, 29999999);
	sim->thread[0].goal = 5 * 100000000 + 1;
	run(sim, 3 * SECOND);
	KUNIT_EXPECT_EQ(test, sim->thread[0].count[PMCT_SIM_INSTR], 500000001);
	KUNIT_EXPECT_EQ(test, sim->thread[0].phase, 0);
	KUNIT_EXPECT_EQ(test, sim->thread[0].left, 69999999);
}

/* At most a tenth is from the library, the rest from the phase's own blocks. Each block occurs. */
static void code_of_phase(struct kunit *test, struct pmct_sim_thread *t, u64 from, u32 code,
			  u32 blocks)
{
	unsigned long *seen = kunit_kzalloc(test, BITS_TO_LONGS(1000) * sizeof(long), GFP_KERNEL);
	unsigned int i, library = 0;
	u64 block;

	KUNIT_ASSERT_NOT_NULL(test, seen);
	for (i = 0; i < 10000; i++) {
		t->count[PMCT_SIM_INSTR] = from + i * 1000;
		block = (pmct_sim_ip(t) - 0x400000) / 64;
		if (block < 64) {
			library++;
			continue;
		}
		KUNIT_ASSERT_GE(test, block, 64 + code);
		KUNIT_ASSERT_LT(test, block, 64 + code + blocks);
		__set_bit(block, seen);
	}
	KUNIT_EXPECT_EQ(test, bitmap_weight(seen, 1000), blocks);
	KUNIT_EXPECT_GE(test, library, 400);
	KUNIT_EXPECT_LE(test, library, 1000);
}

/* What varies depends on the position only, not on where a thread was before. */
static void bend_test(struct kunit *test)
{
	struct pmct_sim_thread *t = &((struct pmct_sim *)test->priv)->thread[0];
	u64 *at = &t->count[PMCT_SIM_INSTR];
	struct pmct_sim_rates rates[2];

	pmct_sim_begin(test->priv, 0, &reuses, 7);
	for (; *at < 1ULL << 32; *at += *at & 1 << 23 ? 40000001 : 300001) {
		pmct_sim_rates(&machine, 0, 0, t, 0, 0, &rates[0]);
		memset(t->bend, 0, sizeof(t->bend));
		pmct_sim_rates(&machine, 0, 0, t, 0, 0, &rates[1]);
		KUNIT_EXPECT_EQ(test, rates[0].core_ps, rates[1].core_ps);
		KUNIT_EXPECT_EQ(test, rates[0].pj, rates[1].pj);
	}
}

static void ip_test(struct kunit *test)
{
	struct pmct_sim *sim = test->priv;
	struct pmct_sim_thread *t = &sim->thread[0];
	u64 first;

	start(sim, 0, 0, &reuses, 1);
	first = pmct_sim_ip(t);
	code_of_phase(test, t, 0, 0, 100);
	t->phase = 1;
	code_of_phase(test, t, 70000000, 100, 50);
	/* The same program is at the same place after the same number of instructions. */
	pmct_sim_end(sim, 0);
	start(sim, 0, 0, &reuses, 1);
	KUNIT_EXPECT_EQ(test, first, pmct_sim_ip(t));
}

static void *copy_of(struct kunit *test, const void *from, size_t size)
{
	void *copy = kunit_kmalloc(test, size, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, copy);
	return memcpy(copy, from, size);
}

static u64 kib(u64 lines)
{
	return lines * 64 / 256 / 1024;
}

static void cache_test(struct kunit *test)
{
	struct pmct_sim *sim = test->priv;
	u64 alone, misses;

	start(sim, 0, 0, &reuses, ~0ULL);
	run(sim, SECOND);
	expect_near(test, kib(sim->llc[0].has[0]), 1024, 50);
	alone = sim->thread[0].count[PMCT_SIM_INSTR];
	misses = sim->thread[0].count[PMCT_SIM_LLC_MISSES];

	/* A neighbour that streams takes most of the cache, so the thread's misses come faster. */
	start(sim, 1, 1, &streams, ~0ULL);
	run(sim, SECOND);
	KUNIT_EXPECT_LT(test, kib(sim->llc[0].has[0]), 512);
	KUNIT_EXPECT_LE(test, sim->llc[0].has[0] + sim->llc[0].has[1], sim->llc[0].size);
	KUNIT_EXPECT_LT(test, sim->thread[0].count[PMCT_SIM_INSTR] - alone, alone * 9 / 10);
	KUNIT_EXPECT_GT(test, sim->thread[0].count[PMCT_SIM_LLC_MISSES] - misses, 2 * misses);
	KUNIT_EXPECT_EQ(test, sim->llc[1].has[0] + sim->llc[1].has[1], 0);

	/* The lines that the neighbour leaves are evicted only by lines of others. */
	pmct_sim_leave(sim, 1, true, sim->stepped);
	run(sim, MS);
	KUNIT_EXPECT_GT(test, kib(sim->llc[0].has[1]), 400);
	run(sim, SECOND);
	KUNIT_EXPECT_LT(test, kib(sim->llc[0].has[1]), 50);
	pmct_sim_end(sim, 1);
	KUNIT_EXPECT_EQ(test, sim->llc[0].has[1], 0);
}

/* Two equal threads have equal parts, and do equal work. */
static void equal_test(struct kunit *test)
{
	struct pmct_sim *sim = test->priv;

	start(sim, 0, 0, &streams, ~0ULL);
	start(sim, 1, 1, &streams, ~0ULL);
	run(sim, SECOND);
	KUNIT_EXPECT_EQ(test, sim->thread[0].count[PMCT_SIM_INSTR],
			sim->thread[1].count[PMCT_SIM_INSTR]);
	KUNIT_EXPECT_EQ(test, sim->llc[0].has[0], sim->llc[0].has[1]);
	expect_near(test, kib(sim->llc[0].has[0]), 512, 10);
}

/* 6,400 MB/s are 100 million lines a second. Even four threads never get more. */
static void bandwidth_test(struct kunit *test)
{
	struct pmct_sim_profile *floods = copy_of(test, &streams, sizeof(streams));
	struct pmct_sim *sim = test->priv;
	u64 lines = 0;
	unsigned int i;

	floods->phase[0].l1d_misses = 100000;
	floods->phase[0].mlp = 16000;
	for (i = 0; i < 4; i++)
		start(sim, i, i, floods, ~0ULL);
	run(sim, SECOND);
	for (i = 0; i < 4; i++)
		lines += sim->thread[i].count[PMCT_SIM_MEM_LINES];
	KUNIT_EXPECT_LE(test, lines, 100 * 1000000);
	KUNIT_EXPECT_GE(test, lines, 85 * 1000000);
}

/* All energy of the machine is that of a thread, of an idle core, or of no core. */
static void energy_test(struct kunit *test)
{
	struct pmct_sim *sim = test->priv;

	start(sim, 0, 0, &computes, ~0ULL);
	start(sim, 2, 1, &reuses, ~0ULL);
	run(sim, SECOND);
	/* 10^9 / 1.1 instructions of 100 pJ, and 0.5 W. */
	expect_near(test, sim->thread[0].pj, 90909090900ULL + 500 * SECOND, 1);
	KUNIT_EXPECT_EQ(test, pmct_sim_machine_pj(sim),
			sim->thread[0].pj + sim->thread[1].pj + (50 + 10 + 1000) * SECOND);
}

/* The time that is predicted for a run alone is that of a run alone. */
static void alone_test(struct kunit *test)
{
	struct pmct_sim *sim = test->priv;
	u64 predicted[2];
	unsigned int type;

	start(sim, 0, 0, &reuses, 600000000);
	start(sim, 1, 1, &streams, ~0ULL);
	run(sim, 3 * SECOND);
	KUNIT_ASSERT_EQ(test, sim->thread[0].count[PMCT_SIM_INSTR], 600000000);
	pmct_sim_settle_alone(sim, 0);
	for (type = 0; type < 2; type++)
		predicted[type] = sim->thread[0].alone[type].ps;
	KUNIT_EXPECT_GT(test, sim->thread[0].ran_ps, predicted[0] * 11 / 10);
	for (type = 0; type < 2; type++) {
		pmct_sim_init(sim, &machine, 0);
		start(sim, 2 * type, 0, &reuses, 600000000);
		run(sim, 3 * SECOND);
		expect_near(test, sim->thread[0].ran_ps, predicted[type], 10);
	}
}

/*
 * The private cache is empty after a migration. It fills with the 1024 lines that it has. So there
 * are at most so many more misses, and not many fewer, because each line is used soon.
 */
static void migration_test(struct kunit *test)
{
	struct pmct_sim *sim = test->priv;
	u64 before, warm, cold;

	start(sim, 0, 0, &reuses, ~0ULL);
	run(sim, 20 * MS);
	before = sim->thread[0].count[PMCT_SIM_L2_MISSES];
	run(sim, MS);
	warm = sim->thread[0].count[PMCT_SIM_L2_MISSES] - before;
	pmct_sim_leave(sim, 0, true, sim->stepped);
	pmct_sim_enter(sim, 1, 0, sim->stepped);
	before = sim->thread[0].count[PMCT_SIM_L2_MISSES];
	run(sim, MS);
	cold = sim->thread[0].count[PMCT_SIM_L2_MISSES] - before;
	KUNIT_EXPECT_GT(test, cold, warm + 200);
	KUNIT_EXPECT_LT(test, cold, warm + 1024);
}

static u64 instr_of_seed(struct pmct_sim *sim, u64 seed)
{
	pmct_sim_init(sim, &machine, 0);
	pmct_sim_begin(sim, 0, &reuses, seed);
	sim->thread[0].goal = ~0ULL;
	pmct_sim_enter(sim, 0, 0, 0);
	run(sim, SECOND);
	return sim->thread[0].count[PMCT_SIM_INSTR];
}

static void seed_test(struct kunit *test)
{
	u64 first = instr_of_seed(test->priv, 1);
	u64 other = instr_of_seed(test->priv, 2);

	KUNIT_EXPECT_EQ(test, first, instr_of_seed(test->priv, 1));
	KUNIT_EXPECT_NE(test, first, other);
	expect_near(test, other, first, 100);
}

/* After an unexpected pause, the model catches up with LOST_NS at most, not endlessly. */
static void pause_test(struct kunit *test)
{
	struct pmct_sim *sim = test->priv;

	start(sim, 0, 0, &computes, ~0ULL);
	run(sim, 10 * MS);
	/* Some ordinary steps, and then one that is too long. */
	pmct_sim_step(sim, 60 * SECOND);
	KUNIT_EXPECT_EQ(test, sim->thread[0].ran_ps, (110 * MS + SECOND) * 1000);
	expect_near(test, sim->thread[0].count[PMCT_SIM_CYCLES], 110 * MS + SECOND, 1);
	/* Time that goes back changes nothing. */
	pmct_sim_step(sim, 0);
	KUNIT_EXPECT_EQ(test, sim->thread[0].ran_ps, (110 * MS + SECOND) * 1000);
}

static void topologies_test(struct kunit *test)
{
	const struct pmct_sim_machine *m;
	const char *why = "";
	unsigned int i;

	for (i = 0; (m = pmct_sim_topology(i)); i++)
		KUNIT_EXPECT_EQ_MSG(test, 0, pmct_sim_machine_check(m, &why), "%s: %s",
				    m->name, why);
	KUNIT_EXPECT_EQ(test, i, 10);
}

/**
 * struct bad_case - what must be refused
 * @desc: for people
 * @spoil: make a good machine or program bad
 * @why: a part of the message
 */
struct bad_case {
	const char *desc;
	void (*spoil)(struct pmct_sim_machine *m, struct pmct_sim_profile *p);
	const char *why;
};

static void bad_cpus(struct pmct_sim_machine *m, struct pmct_sim_profile *p)
{
	m->nr_cpus = 0;
}

static void bad_type(struct pmct_sim_machine *m, struct pmct_sim_profile *p)
{
	m->cpu_type[3] = 2;
}

static void bad_unused(struct pmct_sim_machine *m, struct pmct_sim_profile *p)
{
	m->nr_types = 3;
	m->type[2] = m->type[1];
	strscpy(m->type[2].name, "third", sizeof(m->type[2].name));
}

static void bad_mhz(struct pmct_sim_machine *m, struct pmct_sim_profile *p)
{
	m->type[1].mhz = 0;
}

static void bad_node(struct pmct_sim_machine *m, struct pmct_sim_profile *p)
{
	m->cluster[1].node = 1;
}

static void bad_letter(struct pmct_sim_machine *m, struct pmct_sim_profile *p)
{
	m->name[1] = '/';
}

static void bad_names(struct pmct_sim_machine *m, struct pmct_sim_profile *p)
{
	strscpy(m->type[1].name, "seventeen-letters", sizeof(m->type[1].name));
}

static void bad_same(struct pmct_sim_machine *m, struct pmct_sim_profile *p)
{
	strscpy(m->type[1].name, m->type[0].name, sizeof(m->type[1].name));
}

static void bad_speed(struct pmct_sim_machine *m, struct pmct_sim_profile *p)
{
	m->type[0].mhz = 4000;
	m->type[0].width = 8000;
}

static void bad_power(struct pmct_sim_machine *m, struct pmct_sim_profile *p)
{
	m->llc_pj = 1000000;
	m->type[0].active_mw = 1000000;
	m->type[0].instr_pj = 100000;
	m->type[0].mhz = 10000;
}

static void bad_name(struct pmct_sim_machine *m, struct pmct_sim_profile *p)
{
	memset(p->name, 'a', sizeof(p->name));
}

static void bad_phases(struct pmct_sim_machine *m, struct pmct_sim_profile *p)
{
	p->nr_phases = PMCT_SIM_PHASES + 1;
}

static void bad_length(struct pmct_sim_machine *m, struct pmct_sim_profile *p)
{
	p->phase[1].instr = 0;
}

static void bad_short(struct pmct_sim_machine *m, struct pmct_sim_profile *p)
{
	p->phase[1].instr = 999999;
}

static void bad_misses(struct pmct_sim_machine *m, struct pmct_sim_profile *p)
{
	p->phase[0].l1d_misses = p->phase[0].l1d + 1;
}

static void bad_curve(struct pmct_sim_machine *m, struct pmct_sim_profile *p)
{
	p->phase[0].llc.ppm[2] = 500000;
}

static void bad_points(struct pmct_sim_machine *m, struct pmct_sim_profile *p)
{
	p->phase[0].l2.nr = PMCT_SIM_POINTS + 1;
}

static const struct bad_case bad_cases[] = {
	{ "no CPU", bad_cpus, "CPUs" },
	{ "a CPU of no type", bad_type, "names no core type" },
	{ "a type without a CPU", bad_unused, "no CPU is of a core type" },
	{ "no frequency", bad_mhz, "mhz" },
	{ "no node", bad_node, "node" },
	{ "a name that is a path", bad_letter, "name" },
	{ "a name that no PMU can have", bad_names, "at most 20 characters" },
	{ "two types of one name", bad_same, "same name" },
	{ "more phases than can be followed", bad_speed, "mhz times width" },
	{ "more power than can be measured", bad_power, "10000 W" },
	{ "a name without an end", bad_name, "name" },
	{ "too many phases", bad_phases, "phases" },
	{ "a phase of zero instructions", bad_length, "instructions" },
	{ "phases that would take all the time", bad_short, "instructions" },
	{ "more misses than accesses", bad_misses, "L1" },
	{ "a curve that ascends", bad_curve, "curve" },
	{ "too many points", bad_points, "curve" },
};

static void bad_desc(const struct bad_case *c, char *desc)
{
	strscpy(desc, c->desc, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(bad, bad_cases, bad_desc);

static void bad_test(struct kunit *test)
{
	const struct bad_case *c = test->param_value;
	struct pmct_sim_profile *p = copy_of(test, &reuses, sizeof(reuses));
	struct pmct_sim_machine *m = copy_of(test, &machine, sizeof(machine));
	const char *why = "";

	KUNIT_ASSERT_EQ(test, 0, pmct_sim_machine_check(m, &why));
	KUNIT_ASSERT_EQ(test, 0, pmct_sim_profile_check(p, &why));
	c->spoil(m, p);
	KUNIT_EXPECT_EQ(test, -EINVAL,
			pmct_sim_machine_check(m, &why) ?: pmct_sim_profile_check(p, &why));
	KUNIT_EXPECT_NOT_NULL(test, strstr(why, c->why));
}

static struct kunit_case sim_kunit_cases[] = {
	KUNIT_CASE(compute_test),
	KUNIT_CASE(frequency_test),
	KUNIT_CASE(looking_test),
	KUNIT_CASE(goal_test),
	KUNIT_CASE(phases_test),
	KUNIT_CASE(bend_test),
	KUNIT_CASE(ip_test),
	KUNIT_CASE(cache_test),
	KUNIT_CASE(equal_test),
	KUNIT_CASE(bandwidth_test),
	KUNIT_CASE(energy_test),
	KUNIT_CASE(alone_test),
	KUNIT_CASE(migration_test),
	KUNIT_CASE(seed_test),
	KUNIT_CASE(pause_test),
	KUNIT_CASE(topologies_test),
	KUNIT_CASE_PARAM(bad_test, bad_gen_params),
	{}
};

static struct kunit_suite sim_suite = {
	.name = "pmctrack_sim_model",
	.init = sim_init,
	.test_cases = sim_kunit_cases,
};

kunit_test_suite(sim_suite);
