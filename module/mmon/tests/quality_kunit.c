// SPDX-License-Identifier: GPL-2.0-only
/* Arithmetic of Quality Time. */
#include <kunit/test.h>
#include <linux/time64.h>

#include "../quality_rate.h"

#define PIECES	12

/* Pieces of 1 ms, of which each has accesses[i], and ten times the instructions. */
static void fill(struct pmct_quality_part *piece, const u32 *accesses)
{
	unsigned int i;

	for (i = 0; i < PIECES; i++) {
		piece[i] = (struct pmct_quality_part){
			.ns = NSEC_PER_MSEC,
			.count = { 10 * accesses[i], accesses[i], accesses[i] / 10 },
		};
	}
}

static u64 measured(const u32 *accesses)
{
	struct pmct_quality_part piece[PIECES];
	struct pmct_quality_rate rate = { };

	fill(piece, accesses);
	return pmct_quality_measure(&rate, piece, PIECES, PMCT_QUALITY_L1D) ? rate.per_ms : 0;
}

static void measure_test(struct kunit *test)
{
	static const u32 even[PIECES] = { [0 ... PIECES - 1] = 1000000 };
	static const u32 none[PIECES] = { };
	/* To 1,000,000: each third is half as far from it as the one before. */
	static const u32 fills[PIECES] = {
		[0 ... 3] = 600000, [4 ... 7] = 800000, [8 ... 11] = 900000,
	};
	/* It goes on as fast as before; nobody knows how far. */
	static const u32 rises[PIECES] = {
		[0 ... 3] = 800000, [4 ... 7] = 900000, [8 ... 11] = 1000000,
	};
	static const u32 falls[PIECES] = {
		[0 ... 3] = 900000, [4 ... 7] = 900000, [8 ... 11] = 800000,
	};

	KUNIT_EXPECT_EQ(test, measured(even), 1000000);
	KUNIT_EXPECT_EQ(test, measured(none), 0);
	KUNIT_EXPECT_EQ(test, measured(fills), 1000000);
	KUNIT_EXPECT_EQ(test, measured(rises), 1200000);
	KUNIT_EXPECT_EQ(test, measured(falls), 800000);
}

static void few_pieces_test(struct kunit *test)
{
	static const u32 even[PIECES] = { [0 ... PIECES - 1] = 1000000 };
	struct pmct_quality_part piece[PIECES];
	struct pmct_quality_rate rate;

	fill(piece, even);
	KUNIT_EXPECT_FALSE(test, pmct_quality_measure(&rate, piece, 0, PMCT_QUALITY_L1D));
	KUNIT_EXPECT_FALSE(test, pmct_quality_measure(&rate, piece, 2, PMCT_QUALITY_L1D));
	KUNIT_EXPECT_TRUE(test, pmct_quality_measure(&rate, piece, 3, PMCT_QUALITY_INSTR));
	KUNIT_EXPECT_EQ(test, rate.per_ms, 10000000);
	KUNIT_EXPECT_EQ(test, rate.kind.accesses, 100);
	KUNIT_EXPECT_EQ(test, rate.kind.misses, 1000);
}

/* No counter makes it divide by nothing, or lose bits. */
static void hostile_test(struct kunit *test)
{
	struct pmct_quality_part piece[PIECES];
	struct pmct_quality_rate rate;
	struct pmct_quality q = { };
	unsigned int i;

	memset(piece, 0xff, sizeof(piece));
	pmct_quality_measure(&rate, piece, PIECES, PMCT_QUALITY_L1D);
	for (i = 0; i < PIECES; i++)
		piece[i].ns = 0;
	KUNIT_EXPECT_FALSE(test, pmct_quality_measure(&rate, piece, PIECES, PMCT_QUALITY_L1D));
	KUNIT_EXPECT_EQ(test, pmct_quality_add(&q, U64_MAX, 5, 1), 5);
	KUNIT_EXPECT_EQ(test, pmct_quality_add(&q, U64_MAX, 5, U64_MAX), 5);
	KUNIT_EXPECT_GE(test, (s64)pmct_quality_add(&q, 1, U64_MAX, 1), 0);
}

/* Half of the rate alone is half of the time; never more than all of it. */
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
	/* But what is far off does not come back for ever. */
	pmct_quality_add(&q, 1000000000, NSEC_PER_MSEC, 1000000);
	KUNIT_EXPECT_EQ(test, q.carry_ns, 100 * NSEC_PER_MSEC);
}

static void kinds_test(struct kunit *test)
{
	struct pmct_quality_rate rates[PMCT_QUALITY_KINDS] = { };
	struct pmct_quality_rate rate = { .kind = { .accesses = 300, .misses = 1000 } };
	struct pmct_quality_kind other = { .accesses = 300, .misses = 1500 };
	unsigned int i;

	KUNIT_EXPECT_NULL(test, pmct_quality_find(rates, 0, rate.kind, true));
	for (i = 1; i <= 3; i++) {
		rate.per_ms = 1000 * i;
		rate.sampled_ns = i;
		pmct_quality_note(rates, &rate);
	}
	/* One kind: the mean. Another one has no rate, but the nearest. */
	KUNIT_ASSERT_NOT_NULL(test, pmct_quality_find(rates, 0, rate.kind, false));
	KUNIT_EXPECT_EQ(test, pmct_quality_find(rates, 0, rate.kind, false)->per_ms, 2000);
	KUNIT_EXPECT_NULL(test, pmct_quality_find(rates, 0, other, false));
	/* Nothing that was measured on one core type is true of another one. */
	KUNIT_EXPECT_NULL(test, pmct_quality_find(rates, 1, rate.kind, true));
	KUNIT_EXPECT_PTR_EQ(test, pmct_quality_find(rates, 0, other, true), &rates[0]);
	/* More kinds than there is room for: the oldest goes. */
	for (i = 1; i <= PMCT_QUALITY_KINDS; i++) {
		rate.kind.accesses = 1000 * i;
		rate.sampled_ns = 10 + i;
		pmct_quality_note(rates, &rate);
	}
	rate.kind.accesses = 300;
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
