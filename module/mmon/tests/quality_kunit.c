// SPDX-License-Identifier: GPL-2.0-only
/* Arithmetic of Quality Time. */
#include <kunit/test.h>
#include <linux/time64.h>

#include "../quality_rate.h"

#define PIECES	16
#define LINES	100000	/* lines of the cache */

/* Pieces of 1 ms, each with @accesses, ten times as many instructions, and @misses. */
static void fill(struct pmct_quality_part *piece, const u32 *accesses, u32 misses)
{
	unsigned int i;

	for (i = 0; i < PIECES; i++) {
		piece[i] = (struct pmct_quality_part){
			.ns = NSEC_PER_MSEC,
			.count = { 10 * accesses[i], accesses[i], misses },
		};
	}
}

static u64 measured(const u32 *accesses, u32 misses, u32 lines)
{
	struct pmct_quality_part piece[PIECES];
	struct pmct_quality_rate rate = { };

	fill(piece, accesses, misses);
	if (!pmct_quality_measure(&rate, piece, PIECES, PMCT_QUALITY_L1D, lines))
		return 0;
	return rate.per_ms;
}

static void expect_near(struct kunit *test, u64 value, u64 expected)
{
	KUNIT_EXPECT_GT(test, value, expected - expected / 200);
	KUNIT_EXPECT_LT(test, value, expected + expected / 200);
}

static void measure_test(struct kunit *test)
{
	static const u32 even[PIECES] = { [0 ... PIECES - 1] = 1000000 };
	static const u32 none[PIECES] = { };
	/* The first half does not count. */
	static const u32 filled[PIECES] = { [0 ... 7] = 500000, [8 ... 15] = 1000000 };
	u32 rises[PIECES], falls[PIECES], fills[PIECES], left = 1000000;
	unsigned int i;

	/* The time for an access, 1 ns at first, falls by 0.1 % in each ms, with 1000 misses. */
	for (i = 0; i < PIECES; i++) {
		rises[i] = 1000000000 / (1000 - i);
		falls[i] = 1000000000 / (1000 + i);
	}
	/* The time is 0.9 ns, and 0.1 ns more while lines are others'. 5 % of these go each ms. */
	for (i = 0; i < PIECES; i++) {
		fills[i] = 1000000000000ULL / (900000 + left / 10000 * 975);
		left -= left / 20;
	}
	KUNIT_EXPECT_EQ(test, measured(even, 1000, LINES), 1000000);
	KUNIT_EXPECT_EQ(test, measured(filled, 1000, LINES), 1000000);
	KUNIT_EXPECT_EQ(test, measured(none, 1000, LINES), 0);
	/* Steady times stay steady, however large the cache, and however few lines come in. */
	for (i = 1; i < 5000; i = i * 3 / 2 + 1) {
		KUNIT_EXPECT_EQ(test, measured(even, i, 131072), 1000000);
		KUNIT_EXPECT_EQ(test, measured(even, i, 524288), 1000000);
		KUNIT_EXPECT_EQ(test, measured(even, i, 4194304), 1000000);
	}
	expect_near(test, measured(fills, LINES / 20, LINES), 1000000000 / 900);
	/*
	 * In each piece, 1 % of others' lines go. In the last quarter, 87 % are left, which means
	 * 9.8 % less than its 0.9865 ns. But its misses, a thousandth, cost 0.04 ns at most.
	 */
	expect_near(test, measured(rises, 1000, LINES), 1000000000 / (986 - 40));
	/* With ten times the misses, few lines are left. */
	expect_near(test, measured(rises, 10000, LINES), 1000000000 / (986 - 7));
	/* A larger cache gives no more than 15 %. */
	expect_near(test, measured(rises, 10000, 100 * LINES), 1000000000 / (986 - 148));
	/* Nothing is concluded if the cache is unknown, or if the thread gets slower. */
	expect_near(test, measured(rises, 10000, 0), 1000000000 / 986);
	expect_near(test, measured(falls, 10000, LINES), 1000000000 / 1013);
	expect_near(test, measured(rises, 0, LINES), 1000000000 / 986);
}

static void few_pieces_test(struct kunit *test)
{
	static const u32 even[PIECES] = { [0 ... PIECES - 1] = 1000000 };
	struct pmct_quality_part piece[PIECES];
	struct pmct_quality_rate rate;
	unsigned int nr;

	fill(piece, even, 10);
	for (nr = 0; nr < 4; nr++)
		KUNIT_EXPECT_FALSE(test, pmct_quality_measure(&rate, piece, nr, PMCT_QUALITY_L1D,
							      LINES));
	for (; nr <= PIECES; nr++) {
		KUNIT_EXPECT_TRUE(test, pmct_quality_measure(&rate, piece, nr, PMCT_QUALITY_INSTR,
							     LINES));
		KUNIT_EXPECT_EQ(test, rate.per_ms, 10000000);
		KUNIT_EXPECT_EQ(test, rate.kind, 100);
	}
}

/* No count makes the code divide by 0, or lose bits. */
static void hostile_test(struct kunit *test)
{
	struct pmct_quality_part piece[PIECES];
	struct pmct_quality_rate rate;
	struct pmct_quality q = { };
	unsigned int i;

	memset(piece, 0xff, sizeof(piece));
	pmct_quality_measure(&rate, piece, PIECES, PMCT_QUALITY_L1D, LINES);
	for (i = 0; i < PIECES; i++)
		piece[i].ns = 0;
	KUNIT_EXPECT_FALSE(test, pmct_quality_measure(&rate, piece, PIECES, PMCT_QUALITY_L1D,
						      LINES));
	KUNIT_EXPECT_EQ(test, pmct_quality_add(&q, U64_MAX, 5, 1), 5);
	KUNIT_EXPECT_EQ(test, pmct_quality_add(&q, U64_MAX, 5, U64_MAX), 5);
	KUNIT_EXPECT_GE(test, (s64)pmct_quality_add(&q, 1, U64_MAX, 1), 0);
}

/* Half of the rate alone is half of the time. Quality Time is never more than all of it. */
static void add_test(struct kunit *test)
{
	struct pmct_quality q = { };

	KUNIT_EXPECT_EQ(test, pmct_quality_add(&q, 500000, NSEC_PER_MSEC, 1000000), 500000);
	KUNIT_EXPECT_EQ(test, pmct_quality_add(&q, 0, NSEC_PER_MSEC, 1000000), 0);
	KUNIT_EXPECT_EQ(test, q.quality_ns, 500000);
	KUNIT_EXPECT_EQ(test, q.cpu_ns, 2 * NSEC_PER_MSEC);
	/* 1.2 and 0.8 of the rate, which was wrong by a fifth: nothing is lost. */
	KUNIT_EXPECT_EQ(test, pmct_quality_add(&q, 1200000, NSEC_PER_MSEC, 1000000), NSEC_PER_MSEC);
	KUNIT_EXPECT_EQ(test, pmct_quality_add(&q, 800000, NSEC_PER_MSEC, 1000000), NSEC_PER_MSEC);
	KUNIT_EXPECT_EQ(test, q.carry_ns, 0);
	/* But a large difference is not carried over in full. */
	pmct_quality_add(&q, 1000000000, NSEC_PER_MSEC, 1000000);
	KUNIT_EXPECT_EQ(test, q.carry_ns, 100 * NSEC_PER_MSEC);
}

static void kinds_test(struct kunit *test)
{
	struct pmct_quality_rate rates[PMCT_QUALITY_KINDS] = { };
	struct pmct_quality_rate rate = { .kind = 300 };
	u32 other = 350;
	unsigned int i;

	KUNIT_EXPECT_NULL(test, pmct_quality_find(rates, 0, rate.kind, true));
	for (i = 1; i <= 3; i++) {
		rate.per_ms = 1000 * i;
		rate.sampled_ns = i;
		pmct_quality_note(rates, &rate);
	}
	/* One kind has the mean as its rate. Another kind has no rate, but a nearest one. */
	KUNIT_ASSERT_NOT_NULL(test, pmct_quality_find(rates, 0, rate.kind, false));
	KUNIT_EXPECT_EQ(test, pmct_quality_find(rates, 0, rate.kind, false)->per_ms, 2000);
	KUNIT_EXPECT_NULL(test, pmct_quality_find(rates, 0, other, false));
	/* A rate of one core type is not used on another one. */
	KUNIT_EXPECT_NULL(test, pmct_quality_find(rates, 1, rate.kind, true));
	KUNIT_EXPECT_PTR_EQ(test, pmct_quality_find(rates, 0, other, true), &rates[0]);
	/* If there are more kinds than places, the oldest one is replaced. */
	for (i = 1; i <= PMCT_QUALITY_KINDS; i++) {
		rate.kind = 1000 * i;
		rate.sampled_ns = 10 + i;
		pmct_quality_note(rates, &rate);
	}
	rate.kind = 300;
	KUNIT_EXPECT_NULL(test, pmct_quality_find(rates, 0, rate.kind, false));
}

static struct kunit_case quality_kunit_cases[] = {
	KUNIT_CASE(measure_test),
	KUNIT_CASE(few_pieces_test),
	KUNIT_CASE(hostile_test),
	KUNIT_CASE(add_test),
	KUNIT_CASE(kinds_test),
	{}
};

static struct kunit_suite quality_suite = {
	.name = "pmctrack_quality",
	.test_cases = quality_kunit_cases,
};

kunit_test_suite(quality_suite);
