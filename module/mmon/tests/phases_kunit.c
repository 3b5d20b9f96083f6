// SPDX-License-Identifier: GPL-2.0-only
/* Phases, the prediction of phases, and progress. */
#include <kunit/test.h>
#include <linux/time64.h>

#include "../program_record.h"

static u32 lot;

static u32 draw(u32 below)
{
	lot = lot * 1664525 + 1013904223;
	return (u64)lot * below >> 32;
}

/* Some blocks are executed more often than others. */
static void fill(struct pmct_phase_vector *v, u32 first, u32 blocks, unsigned int addresses)
{
	memset(v, 0, sizeof(*v));
	while (addresses--)
		pmct_phase_add(v, first + draw(draw(blocks) + 1));
}

/* A thread, its program, and an open window: together they are too large for the stack. */
struct one {
	struct pmct_program program;
	struct pmct_progress p;
	struct pmct_phase_vector v;
	struct pmct_unsure unsure[PMCTRACK_MAX_CORE_TYPES][PMCT_PHASES];
};

static struct one *make(struct kunit *test)
{
	struct one *one = kunit_kzalloc(test, sizeof(*one), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, one);
	pmct_progress_begin(&one->p);
	lot = 1;
	return one;
}

/* The same code is the same phase, other code is another one. */
static void classify_test(struct kunit *test)
{
	static const u32 blocks[] = { 1, 10, 100, 300 };
	struct one *one = make(test);
	u8 phase[ARRAY_SIZE(blocks)], last = PMCT_NO_PHASE, forgotten;
	unsigned int round, i;

	for (round = 0; round < 40; round++) {
		for (i = 0; i < ARRAY_SIZE(blocks); i++) {
			fill(&one->v, 1000 * i, blocks[i], 1000);
			KUNIT_EXPECT_EQ(test, one->v.nr, PMCT_PHASE_ADDRESSES);
			last = pmct_phases_classify(&one->program.phases, &one->v, last,
						    &forgotten);
			KUNIT_EXPECT_EQ(test, forgotten, PMCT_NO_PHASE);
			if (!round)
				phase[i] = last;
			KUNIT_EXPECT_EQ(test, last, phase[i]);
			KUNIT_EXPECT_EQ(test, last, i);
		}
	}
	KUNIT_EXPECT_EQ(test, one->program.phases.windows, 160);
	fill(&one->v, 0, 1, PMCT_PHASE_LEAST - 1);
	KUNIT_EXPECT_EQ(test, pmct_phases_classify(&one->program.phases, &one->v, 0, &forgotten),
			PMCT_NO_PHASE);
	fill(&one->v, 50000, 100, PMCT_PHASE_ADDRESSES);
	KUNIT_EXPECT_EQ(test, pmct_phases_find(&one->program.phases, &one->v, last), PMCT_NO_PHASE);
}

/* A program has more phases than there are places. The phase that is seen often stays. */
static void forget_test(struct kunit *test)
{
	struct one *one = make(test);
	u8 often = PMCT_NO_PHASE, phase, forgotten;
	unsigned int i, gone = 0;

	for (i = 0; i < 200; i++) {
		fill(&one->v, 0, 20, PMCT_PHASE_ADDRESSES);
		phase = pmct_phases_classify(&one->program.phases, &one->v, often, &forgotten);
		if (often == PMCT_NO_PHASE)
			often = phase;
		KUNIT_EXPECT_EQ(test, phase, often);
		fill(&one->v, 1000 + 100 * i, 20, PMCT_PHASE_ADDRESSES);
		phase = pmct_phases_classify(&one->program.phases, &one->v, often, &forgotten);
		KUNIT_EXPECT_NE(test, phase, often);
		KUNIT_EXPECT_LT(test, phase, PMCT_PHASES);
		gone += forgotten != PMCT_NO_PHASE;
		if (forgotten != PMCT_NO_PHASE)
			KUNIT_EXPECT_EQ(test, forgotten, phase);
	}
	KUNIT_EXPECT_EQ(test, gone, 200 - (PMCT_PHASES - 1));
	KUNIT_EXPECT_EQ(test, one->program.phases.forgotten, gone);
}

/* For one thread and phase. */
static struct pmct_unsure unsure_of_one;

static u64 run(struct pmct_phase *phase, u32 cpi, bool valid, u16 pressure, s64 *corrected)
{
	struct pmct_phase_run r = {
		.instr = 64 * PMCT_PHASE_INSTR,
		.cycles = 64ULL * cpi,
		.ns = 64ULL * cpi,
		.valid = valid,
		.pressure = pressure,
		.typical = PMCT_PHASE_ONE,
	};

	return pmct_phase_run(phase, &r, &unsure_of_one, corrected);
}

/* Table 1 of the paper, and what we add to it. */
static void speed_test(struct kunit *test)
{
	struct pmct_phase *phase = kunit_kzalloc(test, sizeof(*phase), GFP_KERNEL);
	struct pmctrack_phase_speed *speed;
	s64 corrected;
	unsigned int i;

	KUNIT_ASSERT_NOT_NULL(test, phase);
	speed = &phase->speed[0];
	unsure_of_one = (struct pmct_unsure){};
	/* Before the first valid window: the mean of the others, but at most the window's time. */
	KUNIT_EXPECT_EQ(test, run(phase, 3000000, false, 0, &corrected), 64 * 3000000ULL);
	KUNIT_EXPECT_EQ(test, run(phase, 2000000, false, 0, &corrected), 64 * 2000000ULL);
	KUNIT_EXPECT_EQ(test, run(phase, 4000000, false, 0, &corrected), 64 * 3000000ULL);
	KUNIT_EXPECT_EQ(test, corrected, 0);
	/* The speed alone is known. Three windows had 64 * 5,000,000 cycles too many. */
	KUNIT_EXPECT_EQ(test, run(phase, 1000000, true, 100, &corrected), 64 * 1000000ULL);
	KUNIT_EXPECT_GE(test, corrected, -64 * 5000000LL);
	KUNIT_EXPECT_LE(test, corrected, -64 * 5000000LL + 3 * 1024);
	KUNIT_EXPECT_EQ(test, run(phase, 1500000, false, 500, &corrected), 64 * 1000000ULL);
	KUNIT_EXPECT_EQ(test, corrected, 0);
	KUNIT_EXPECT_EQ(test, run(phase, 900000, false, 500, &corrected), 64 * 900000ULL);
	/* A valid window is its own measure. The speed alone is the mean of both. */
	KUNIT_EXPECT_EQ(test, run(phase, 1100000, true, 150, &corrected), 64 * 1100000ULL);
	KUNIT_EXPECT_EQ(test, speed->alone, 1050000);
	KUNIT_EXPECT_EQ(test, speed->pressure, 100);
	/* A window under more pressure is not its own measure, and does not count. */
	KUNIT_EXPECT_EQ(test, run(phase, 1200000, true, 300, &corrected), 64 * 1050000ULL);
	KUNIT_EXPECT_EQ(test, speed->alone, 1050000);
	/* A window under less pressure replaces the others. */
	KUNIT_EXPECT_EQ(test, run(phase, 980000, true, 10, &corrected), 64 * 980000ULL);
	KUNIT_EXPECT_EQ(test, speed->alone, 980000);
	KUNIT_EXPECT_EQ(test, speed->valid, 1);
	/* But not for ever, because the program may have changed. */
	for (i = 0; i < 2000; i++)
		run(phase, 700000, true, 300, &corrected);
	KUNIT_EXPECT_GE(test, speed->alone, 699000);
	KUNIT_EXPECT_LE(test, speed->alone, 701000);
	KUNIT_EXPECT_EQ(test, phase->speed[1].valid, 0);
}

/* Only the typical part is known at first. If the truth is more, it is corrected. */
static void typical_test(struct kunit *test)
{
	struct pmct_phase *phase = kunit_kzalloc(test, sizeof(*phase), GFP_KERNEL);
	struct pmct_phase_run r = {
		.instr = PMCT_PHASE_INSTR, .cycles = 2000000, .ns = 2000000,
		.typical = PMCT_PHASE_ONE / 2,
	};
	struct pmct_unsure mine = { }, others = { };
	struct pmct_traffic traffic = { };
	struct pmct_progress p = { .ratio = PMCT_PHASE_ONE / 2 };
	s64 corrected;
	unsigned int i;

	KUNIT_ASSERT_NOT_NULL(test, phase);
	KUNIT_EXPECT_EQ(test, pmct_phase_run(phase, &r, &mine, &corrected), 1000000ULL);
	KUNIT_EXPECT_EQ(test, pmct_phase_run(phase, &r, &others, &corrected), 1000000ULL);
	r.valid = true;
	r.cycles = 1500000;
	r.ns = 1500000;
	KUNIT_EXPECT_EQ(test, pmct_phase_run(phase, &r, &mine, &corrected), 1500000ULL);
	KUNIT_EXPECT_GE(test, corrected, 500000LL);
	KUNIT_EXPECT_LE(test, corrected, 500000LL + 1024);
	/* Each thread is corrected for itself, and once. */
	KUNIT_EXPECT_EQ(test, pmct_phase_run(phase, &r, &mine, &corrected), 1500000ULL);
	KUNIT_EXPECT_EQ(test, corrected, 0);
	pmct_phase_run(phase, &r, &others, &corrected);
	KUNIT_EXPECT_GE(test, corrected, 500000LL);
	/* What was estimated for another phase of that number is forgotten. */
	mine.alone = 1000;
	phase->born++;
	pmct_phase_run(phase, &r, &mine, &corrected);
	KUNIT_EXPECT_EQ(test, corrected, 0);
	/* Only disturbed windows of known speed count. */
	pmct_progress_note_typical(&traffic, &p, PMCT_DISTURBED);
	KUNIT_EXPECT_EQ(test, traffic.typical, 0);
	p.known = true;
	pmct_progress_note_typical(&traffic, &p, PMCT_OWN_LOW);
	KUNIT_EXPECT_EQ(test, traffic.typical, 0);
	pmct_progress_note_typical(&traffic, &p, PMCT_DISTURBED);
	KUNIT_EXPECT_EQ(test, traffic.typical, PMCT_PHASE_ONE / 2);
	p.ratio = PMCT_PHASE_ONE;
	for (i = 0; i < 500; i++)
		pmct_progress_note_typical(&traffic, &p, PMCT_DISTURBED);
	KUNIT_EXPECT_GT(test, traffic.typical, PMCT_PHASE_ONE - 40);
	KUNIT_EXPECT_LE(test, traffic.typical, PMCT_PHASE_ONE);
}

/* Numbers from a counter that other software has written. */
static void hostile_test(struct kunit *test)
{
	static const u64 numbers[] = { 0, 1, 1ULL << 32, 1ULL << 48, U64_MAX };
	const struct pmct_traffic traffic[] = { { }, { 1, 1, 1 }, { U64_MAX / 1000, 1000, 1000 } };
	struct one *one = make(test);
	struct pmct_window w = { .v = &one->v, .unsure = one->unsure, .looks = 1 };
	unsigned int i, k, t, n = ARRAY_SIZE(numbers);

	fill(&one->v, 0, 10, PMCT_PHASE_ADDRESSES);
	for (t = 0; t < ARRAY_SIZE(traffic); t++) {
		for (i = 0; i < n; i++) {
			for (k = 0; k < n; k++) {
				w.instr = numbers[i];
				w.cycles = numbers[k];
				w.ns = numbers[(i + k) % n] >> 16;
				w.lines = numbers[k];
				w.others = numbers[i];
				w.sharers = numbers[k];
				pmct_progress_window(&one->p, &one->program, &w, &traffic[t]);
				pmct_progress_traffic(&w, &traffic[t]);
				pmct_progress_charge(&one->p, w.ns);
			}
		}
	}
	KUNIT_EXPECT_GE(test, one->p.windows, ARRAY_SIZE(traffic) * 9);
}

/* A B A C A B A C: what follows A depends on the phase before A. */
static void predictor_test(struct kunit *test)
{
	static const u8 program[] = { 0, 1, 0, 2 };
	struct one *one = make(test);
	struct pmct_predictor *p = &one->program.predictor;
	u8 next[PMCT_PREDICTOR_NEXT];
	unsigned int i;

	KUNIT_EXPECT_EQ(test, pmct_predictor_next(p, PMCT_NO_PHASE, 0, next, 2), 0);
	for (i = 2; i < 2000; i++)
		pmct_predictor_learn(p, program[(i - 2) % 4], program[(i - 1) % 4], program[i % 4]);
	for (i = 2; i < 6; i++) {
		KUNIT_ASSERT_GE(test, pmct_predictor_next(p, program[(i - 2) % 4],
							  program[(i - 1) % 4], next, 2), 1);
		KUNIT_EXPECT_EQ(test, next[0], program[i % 4]);
	}
	/* Without the phase before, both are likely. */
	KUNIT_EXPECT_EQ(test, pmct_predictor_next(p, PMCT_NO_PHASE, 0, next, 3), 2);
	KUNIT_EXPECT_EQ(test, next[0] + next[1], 3);
	KUNIT_EXPECT_EQ(test, pmct_predictor_next(p, 1, 0, next, 1), 1);
	/* The number 1 is another phase's from now on. */
	pmct_predictor_forget(p, 1);
	KUNIT_EXPECT_EQ(test, pmct_predictor_next(p, PMCT_NO_PHASE, 1, next, 2), 0);
	for (i = 0; i < 20; i++) {
		unsigned int nr = pmct_predictor_next(p, PMCT_NO_PHASE, 0, next, 3);

		while (nr--)
			KUNIT_EXPECT_NE(test, next[nr], 1);
	}
	/* There are more pairs than places. */
	for (i = 0; i < 10000; i++)
		pmct_predictor_learn(p, draw(PMCT_PHASES), draw(PMCT_PHASES), draw(PMCT_PHASES));
}

struct judge_case {
	const char *desc;
	u64 lines, others, sharers;
	u32 intensive, unknown;
	enum pmct_contention kind;
};

/* In 1 ms, with a peak of 100,000 lines, and ten looks. */
static const struct judge_case judge_cases[] = {
	{ "alone", 90000, 0, 0, 0, 0, PMCT_ONLY_ONE },
	{ "own low", 3000, 80000, 80000, 10, 0, PMCT_OWN_LOW },
	{ "system low", 20000, 10000, 3000, 10, 0, PMCT_SYSTEM_LOW },
	{ "system low, but the cache is shared", 20000, 10000, 10000, 10, 0, PMCT_DISTURBED },
	{ "only one", 40000, 10000, 10000, 1, 0, PMCT_ONLY_ONE },
	{ "two", 40000, 10000, 3000, 2, 0, PMCT_DISTURBED },
	{ "somebody is unknown", 3000, 0, 0, 0, 2, PMCT_UNKNOWN },
	{ "for a moment only", 3000, 0, 0, 0, 1, PMCT_SYSTEM_LOW },
};

static void judge_test(struct kunit *test)
{
	const struct pmct_traffic traffic = { .peak = 100000, .own = 40, .system = 333 };
	const struct pmct_traffic unknown = { .own = 40, .system = 333 };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(judge_cases); i++) {
		const struct judge_case *c = &judge_cases[i];
		struct pmct_window w = {
			.ns = NSEC_PER_MSEC, .lines = c->lines, .others = c->others,
			.sharers = c->sharers, .looks = 10, .intensive = c->intensive,
			.unknown = c->unknown,
		};

		KUNIT_EXPECT_EQ_MSG(test, pmct_progress_judge(&w, &traffic), c->kind, "%s",
				    c->desc);
		KUNIT_EXPECT_EQ(test, pmct_progress_judge(&w, &unknown), PMCT_UNKNOWN);
		w.looks = 0;
		KUNIT_EXPECT_EQ(test, pmct_progress_judge(&w, &traffic), PMCT_UNKNOWN);
	}
}

/* Some values are rounded down. */
static void expect_ms(struct kunit *test, u64 ns, u64 ms)
{
	KUNIT_EXPECT_LE(test, ns, ms * NSEC_PER_MSEC);
	KUNIT_EXPECT_GE(test, ns, ms * NSEC_PER_MSEC - 1000);
}

/* Half as fast beside another one, from the second window on, where its speed alone is known. */
static void progress_test(struct kunit *test)
{
	const struct pmct_traffic traffic = { .peak = 100000, .own = 40, .system = 333 };
	struct one *one = make(test);
	struct pmct_window w = {
		.v = &one->v, .unsure = one->unsure,
		.instr = 64 * PMCT_PHASE_INSTR, .cycles = 64 * PMCT_PHASE_INSTR,
		.ns = 30 * NSEC_PER_MSEC, .lines = 30 * 50000, .looks = 10,
	};
	unsigned int i;

	for (i = 0; i < 10; i++) {
		fill(&one->v, 0, 10, PMCT_PHASE_ADDRESSES);
		pmct_progress_window(&one->p, &one->program, &w, &traffic);
	}
	KUNIT_EXPECT_EQ(test, one->p.alone, 300 * NSEC_PER_MSEC);
	KUNIT_EXPECT_TRUE(test, one->p.known);
	KUNIT_EXPECT_FALSE(test, one->p.wanted);
	w.cycles *= 2;
	w.ns *= 2;
	w.others = 60 * 40000;
	w.intensive = 10;
	for (i = 0; i < 10; i++) {
		fill(&one->v, 0, 10, PMCT_PHASE_ADDRESSES);
		KUNIT_EXPECT_EQ(test, pmct_progress_window(&one->p, &one->program, &w, &traffic),
				PMCT_DISTURBED);
	}
	expect_ms(test, one->p.alone, 600);
	KUNIT_EXPECT_EQ(test, one->p.ns, 900 * NSEC_PER_MSEC);
	KUNIT_EXPECT_EQ(test, pmct_progress_open(&one->p, 10), 5);
	pmct_progress_charge(&one->p, 100 * NSEC_PER_MSEC);
	expect_ms(test, one->p.alone, 650);
	/* A phase that was never seen alone is wanted when it comes a second time. */
	for (i = 0; i < 2; i++) {
		KUNIT_EXPECT_FALSE(test, one->p.wanted);
		fill(&one->v, 1000, 10, PMCT_PHASE_ADDRESSES);
		pmct_progress_window(&one->p, &one->program, &w, &traffic);
	}
	KUNIT_EXPECT_TRUE(test, one->p.wanted);
	KUNIT_EXPECT_FALSE(test, one->p.known);
	KUNIT_EXPECT_EQ(test, one->p.changes, 1);
}

/* What was estimated is corrected at the clock of its time, and on its own core type. */
static void clock_test(struct kunit *test)
{
	const struct pmct_traffic known = { .peak = 100000, .own = 40, .system = 333 };
	const struct pmct_traffic unknown = { };
	const u64 unit = PMCT_PHASE_INSTR;
	struct one *one = make(test);
	struct pmct_window w = {
		.v = &one->v, .unsure = one->unsure, .core_type = 1, .instr = 64 * unit,
		.looks = 10,
	};
	unsigned int i;

	fill(&one->v, 0, 10, PMCT_PHASE_ADDRESSES);
	/* Four cycles in a nanosecond; it is not known whether somebody disturbs. */
	w.cycles = 4 * 64 * unit;
	w.ns = 64 * unit;
	for (i = 0; i < 2; i++)
		pmct_progress_window(&one->p, &one->program, &w, &unknown);
	KUNIT_EXPECT_EQ(test, one->p.alone, 128 * unit);
	/* Speeds on the other core type say nothing about these two windows. */
	w.core_type = 0;
	w.cycles = 32 * unit;
	w.ns = 32 * unit;
	pmct_progress_window(&one->p, &one->program, &w, &known);
	KUNIT_EXPECT_EQ(test, one->p.alone, (128 + 32) * unit);
	/* Half of their cycles were others' fault; the clock has a quarter of its rate now. */
	w.core_type = 1;
	w.cycles = 2 * 64 * unit;
	w.ns = 2 * 64 * unit;
	pmct_progress_window(&one->p, &one->program, &w, &known);
	KUNIT_EXPECT_EQ(test, one->p.alone, (64 + 32 + 128) * unit);
	pmct_progress_window(&one->p, &one->program, &w, &known);
	KUNIT_EXPECT_EQ(test, one->p.alone, (64 + 32 + 2 * 128) * unit);
}

/* A program of four phases that was seen for a while. */
static void learn(struct one *one, unsigned int windows, u32 blocks)
{
	struct pmct_window w = {
		.v = &one->v, .unsure = one->unsure, .instr = 64 * PMCT_PHASE_INSTR,
		.cycles = 64 * PMCT_PHASE_INSTR, .ns = 64 * NSEC_PER_MSEC, .looks = 10,
	};
	struct pmct_traffic t = { .peak = 1000000, .own = 40, .system = 333 };
	unsigned int i;

	for (i = 0; i < windows; i++) {
		fill(&one->v, 1000 * (i / 3 % 4), blocks, PMCT_PHASE_ADDRESSES);
		pmct_progress_window(&one->p, &one->program, &w, &t);
	}
}

/* Another program can go on with the record of a program. */
static void record_test(struct kunit *test)
{
	struct pmctrack_program_record *record = kunit_kzalloc(test, sizeof(*record), GFP_KERNEL);
	struct pmctrack_program_record *again = kunit_kzalloc(test, sizeof(*again), GFP_KERNEL);
	struct one *one = make(test), *other = make(test);
	u8 next[2], expected[2];
	u32 windows;
	u8 i;

	KUNIT_ASSERT_NOT_NULL(test, record);
	KUNIT_ASSERT_NOT_NULL(test, again);
	learn(one, 100, 40);
	pmct_program_pack(record, &one->program);
	KUNIT_EXPECT_EQ(test, record->program.windows, 100);
	KUNIT_EXPECT_TRUE(test, pmct_program_is_sane(record));
	pmct_program_unpack(&other->program, record);
	pmct_program_pack(again, &other->program);
	KUNIT_EXPECT_EQ(test, memcmp(record, again, sizeof(*record)), 0);
	for (i = 0; i < 4; i++) {
		fill(&one->v, 1000 * i, 40, PMCT_PHASE_ADDRESSES);
		KUNIT_EXPECT_EQ(test, pmct_phases_find(&other->program.phases, &one->v,
						       PMCT_NO_PHASE), i);
		KUNIT_EXPECT_EQ(test, other->program.phases.phase[i].spread,
				one->program.phases.phase[i].spread);
		KUNIT_EXPECT_EQ(test, pmct_predictor_next(&other->program.predictor, (i + 3) % 4, i,
							  next, 2),
				pmct_predictor_next(&one->program.predictor, (i + 3) % 4, i,
						    expected, 2));
		KUNIT_EXPECT_EQ(test, next[0], expected[0]);
	}
	/* If a process goes on with the record, its own phases were born before. */
	windows = one->program.phases.windows;
	pmct_program_replace(&one->program, &other->program);
	KUNIT_EXPECT_EQ(test, one->program.phases.windows, 2 * windows + 1);
	KUNIT_EXPECT_GT(test, one->program.phases.phase[0].born, windows);
	pmct_program_pack(again, &one->program);
	KUNIT_EXPECT_EQ(test, memcmp(record->phase, again->phase, sizeof(record->phase)), 0);
	/* Records stay sane however long a program learns, from vectors whose parts are small. */
	for (i = 0; i < 20; i++) {
		learn(one, 200, 500);
		pmct_program_pack(again, &one->program);
		KUNIT_EXPECT_TRUE(test, pmct_program_is_sane(again));
	}
}

/* A forged record. */
static void hostile_record_test(struct kunit *test)
{
	struct pmctrack_program_record *good = kunit_kzalloc(test, sizeof(*good), GFP_KERNEL);
	struct pmctrack_program_record *r = kunit_kzalloc(test, sizeof(*r), GFP_KERNEL);
	struct pmct_program *program = kunit_kzalloc(test, sizeof(*program), GFP_KERNEL);
	struct one *one = make(test);
	unsigned int i, k, sane = 0;

	KUNIT_ASSERT_NOT_NULL(test, good);
	KUNIT_ASSERT_NOT_NULL(test, r);
	KUNIT_ASSERT_NOT_NULL(test, program);
	learn(one, 100, 40);
	pmct_program_pack(good, &one->program);
#define REFUSED(change) do {						\
	*r = *good;							\
	(change);							\
	KUNIT_EXPECT_FALSE(test, pmct_program_is_sane(r));		\
} while (0)
	REFUSED(r->program.windows = U32_MAX);
	REFUSED(r->program.windows = 1);
	REFUSED(r->phase[2].age = 99);
	REFUSED(r->phase[2].age = U32_MAX);
	REFUSED(r->phase[0].mean[5] = U16_MAX);
	REFUSED(r->phase[1].speed[0].valid = 33);
	REFUSED(r->phase[1].speed[0].alone = 0);
	REFUSED(r->phase[1].speed[0].alone = U32_MAX);
	REFUSED(r->phase[1].speed[3].beside = 1);
	REFUSED(r->phase[1].speed[0].variance = U32_MAX);
	REFUSED((r->followers[0] = (struct pmctrack_followers){ .times = { 1 }, .phase = 24 }));
	REFUSED((r->followers[0] = (struct pmctrack_followers){ .times = { 1 }, .next = { 200 } }));
	REFUSED((r->followers[0] = (struct pmctrack_followers){ .times = { 1 }, .before = 4 }));
#undef REFUSED
	/* A record that is accepted does no harm. */
	for (i = 0; i < 300; i++) {
		*r = *good;
		for (k = 0; k <= i % 3; k++)
			((u8 *)r)[draw(sizeof(*r))] = draw(256);
		if (!pmct_program_is_sane(r))
			continue;
		sane++;
		memset(program, 0, sizeof(*program));
		pmct_program_unpack(program, r);
		pmct_program_replace(&one->program, program);
		learn(one, 100, 40);
	}
	KUNIT_EXPECT_GT(test, sane, 10);
}

static struct kunit_case phases_kunit_cases[] = {
	KUNIT_CASE(classify_test),
	KUNIT_CASE(forget_test),
	KUNIT_CASE(speed_test),
	KUNIT_CASE(typical_test),
	KUNIT_CASE(hostile_test),
	KUNIT_CASE(predictor_test),
	KUNIT_CASE(judge_test),
	KUNIT_CASE(progress_test),
	KUNIT_CASE(clock_test),
	KUNIT_CASE(record_test),
	KUNIT_CASE(hostile_record_test),
	{}
};

static struct kunit_suite phases_suite = {
	.name = "pmctrack_phases",
	.test_cases = phases_kunit_cases,
};

kunit_test_suite(phases_suite);
