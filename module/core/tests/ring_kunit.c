// SPDX-License-Identifier: GPL-2.0-only
/* Ring buffers: order, wrap-around, fullness, merging, and readers that write wrong tails. */
#include <kunit/test.h>
#include <linux/sizes.h>

#include "../rings.h"

#define SIZE	PMCT_RING_MIN
#define NR	3	/* counts of a record: does not divide SIZE */
#define NR_RINGS	3

static int ring_init(struct kunit *test)
{
	struct pmct_rings *rings = kunit_kzalloc(test, sizeof(*rings), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, rings);
	KUNIT_ASSERT_EQ(test, 0, pmct_rings_init(rings, NR_RINGS, SIZE));
	test->priv = rings;
	return 0;
}

static void ring_exit(struct kunit *test)
{
	if (test->priv)
		pmct_rings_destroy(test->priv);
}

static struct pmct_ring *first_ring(struct kunit *test)
{
	struct pmct_rings *rings = test->priv;

	return &rings->ring[0];
}

/* Write a record with the time @value. */
static bool put(struct pmct_ring *ring, u64 value)
{
	struct pmctrack_record *rec;
	unsigned long flags;

	local_irq_save(flags);
	rec = pmct_ring_reserve(ring, pmct_record_size(NR));
	if (rec) {
		rec->size = pmct_record_size(NR);
		rec->kind = PMCTRACK_RECORD_TICK;
		rec->time_ns = value;
		rec->counts[0] = value;
		pmct_ring_commit(ring, rec);
	}
	local_irq_restore(flags);
	return rec;
}

/* Read a record as a reader of the mapping does. */
static bool get(struct pmct_ring *ring, u64 *value)
{
	/* Pairs with pmct_ring_commit(). */
	u64 head = smp_load_acquire(&ring->ctl->head);
	u64 tail = ring->ctl->tail;
	bool found = false;

	while (tail != head && !found) {
		const struct pmctrack_record *rec = ring->data + (tail & (SIZE - 1));

		found = rec->kind != PMCTRACK_RECORD_PAD;
		if (found)
			*value = rec->counts[0];
		tail += rec->size;
	}
	/* Pairs with pmct_ring_used(). */
	smp_store_release(&ring->ctl->tail, tail);
	return found;
}

static void sizes_test(struct kunit *test)
{
	struct pmct_rings rings;

	KUNIT_EXPECT_EQ(test, -EINVAL, pmct_rings_init(&rings, 1, 0));
	KUNIT_EXPECT_EQ(test, -EINVAL, pmct_rings_init(&rings, 1, PMCT_RING_MIN / 2));
	KUNIT_EXPECT_EQ(test, -EINVAL, pmct_rings_init(&rings, 1, PMCT_RING_MIN + 8));
	KUNIT_EXPECT_EQ(test, -EINVAL, pmct_rings_init(&rings, 1, PMCT_RING_MAX * 2));
}

static void order_test(struct kunit *test)
{
	struct pmct_ring *ring = first_ring(test);
	const u64 behind = 20;
	u64 value, i;

	/* Ten times round, with a reader that stays some records behind. */
	for (i = 0; i < 10 * SIZE / pmct_record_size(NR); i++) {
		KUNIT_ASSERT_TRUE(test, put(ring, i));
		if (i < behind)
			continue;
		KUNIT_ASSERT_TRUE(test, get(ring, &value));
		KUNIT_ASSERT_EQ(test, value, i - behind);
	}
}

static void full_test(struct kunit *test)
{
	struct pmct_ring *ring = first_ring(test);
	u64 value, n = 0, i;

	while (put(ring, n))
		n++;
	KUNIT_EXPECT_EQ(test, n, SIZE / pmct_record_size(NR));
	KUNIT_EXPECT_FALSE(test, put(ring, n));
	for (i = 0; i < n; i++) {
		KUNIT_ASSERT_TRUE(test, get(ring, &value));
		KUNIT_EXPECT_EQ(test, value, i);
	}
	KUNIT_EXPECT_FALSE(test, get(ring, &value));
	KUNIT_EXPECT_EQ(test, 0, pmct_ring_used(ring));
	KUNIT_EXPECT_TRUE(test, put(ring, n));
}

/* Whatever the reader writes, the kernel does not overwrite records, and its loops end. */
static void bad_tail_test(struct kunit *test)
{
	static const u64 tails[] = { 1, 7, SIZE + 8, 1ULL << 63, U64_MAX };
	struct pmct_ring *ring = first_ring(test);
	const unsigned int max = SIZE / pmct_record_size(NR);
	unsigned int i, n;

	KUNIT_ASSERT_TRUE(test, put(ring, 1));
	for (i = 0; i < ARRAY_SIZE(tails); i++) {
		ring->ctl->tail = ring->head + tails[i];
		KUNIT_EXPECT_EQ(test, SIZE, pmct_ring_used(ring));
		/* Room that was free at the last check may still be used. */
		for (n = 0; n <= max && put(ring, 2); n++)
			ring->ctl->tail = ring->head + tails[i];
		KUNIT_EXPECT_LT(test, n, max);
		KUNIT_EXPECT_EQ(test, -EIO, pmct_rings_read(test->priv, NULL, SIZE));
	}
	ring->ctl->tail = ring->head;
	KUNIT_EXPECT_TRUE(test, put(ring, 3));
}

/* If the tail is inside a record, counts must not be used as a size. */
static void tail_in_record_test(struct kunit *test)
{
	struct pmct_ring *ring = first_ring(test);
	static const u64 sizes[] = { 0, 4, SIZE + 8, U32_MAX };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		u64 start = ring->head;

		KUNIT_ASSERT_TRUE(test, put(ring, sizes[i]));
		ring->ctl->tail = start + offsetof(struct pmctrack_record, counts);
		KUNIT_EXPECT_EQ(test, -EIO, pmct_rings_read(test->priv, NULL, SIZE));
		ring->ctl->tail = ring->head;
	}
}

/* The value of the next record that read() would copy; 0: none. */
static u64 take(struct kunit *test)
{
	struct pmct_rings *rings = test->priv;
	struct pmct_ring *ring = pmct_rings_next(rings);
	const struct pmctrack_record *rec;
	u64 value;
	u32 size;

	if (!ring)
		return 0;
	KUNIT_ASSERT_FALSE(test, IS_ERR(ring));
	rec = pmct_ring_peek(ring, &size);
	KUNIT_ASSERT_FALSE(test, IS_ERR_OR_NULL(rec));
	value = rec->counts[0];
	pmct_ring_consume(ring, size);
	return value;
}

/* Many times round, each ring with its own number of records. */
static void merge_test(struct kunit *test)
{
	struct pmct_rings *rings = test->priv;
	u64 written = 0, read = 0;
	unsigned int i;

	for (i = 0; i < 1000; i++) {
		unsigned int n = i % 7;

		for (; n; n--) {
			written++;
			KUNIT_ASSERT_TRUE(test, put(&rings->ring[written * written % NR_RINGS],
						    written));
		}
		KUNIT_EXPECT_EQ(test, pmct_rings_filled(rings), i % 7 != 0);
		pmct_rings_begin(rings);
		while (read < written)
			KUNIT_ASSERT_EQ(test, take(test), ++read);
		KUNIT_ASSERT_EQ(test, take(test), 0ULL);
	}
}

/* The younger record of a thread is seen, but the older one in another ring is not. */
static void migrated_test(struct kunit *test)
{
	struct pmct_rings *rings = test->priv;

	KUNIT_ASSERT_TRUE(test, put(&rings->ring[1], 10));
	pmct_rings_begin(rings);
	KUNIT_ASSERT_TRUE(test, put(&rings->ring[0], 11));
	KUNIT_ASSERT_TRUE(test, put(&rings->ring[1], 12));
	/* As if the second round had read the second ring only now. */
	rings->ring[1].seen = rings->ring[1].head;
	KUNIT_EXPECT_EQ(test, take(test), 10ULL);
	KUNIT_EXPECT_EQ(test, take(test), 11ULL);
	KUNIT_EXPECT_EQ(test, take(test), 12ULL);
	KUNIT_EXPECT_EQ(test, take(test), 0ULL);
}

static struct kunit_case ring_cases[] = {
	KUNIT_CASE(sizes_test),
	KUNIT_CASE(order_test),
	KUNIT_CASE(full_test),
	KUNIT_CASE(bad_tail_test),
	KUNIT_CASE(tail_in_record_test),
	KUNIT_CASE(merge_test),
	KUNIT_CASE(migrated_test),
	{}
};

static struct kunit_suite ring_suite = {
	.name = "pmctrack_ring",
	.init = ring_init,
	.exit = ring_exit,
	.test_cases = ring_cases,
};

kunit_test_suite(ring_suite);
