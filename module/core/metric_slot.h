/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A published metric. The CPU of its thread writes it; readers on any CPU need no lock.
 *
 * There are two copies. The lowest bit of the version is the index of the complete copy. The writer
 * fills the other copy, then increments the version. An NMI that interrupts the writer reads the
 * complete copy at once. A reader on another CPU tries again only if the metric was published twice
 * during its read.
 */
#ifndef _PMCT_METRIC_SLOT_H
#define _PMCT_METRIC_SLOT_H

#include <linux/compiler.h>
#include <linux/errno.h>
#include <linux/types.h>
#include <asm/barrier.h>

#define PMCT_METRIC_TRIES	8

/**
 * struct pmct_metric_copy - a value and when it was published
 * @value: in the unit of the metric
 * @stamp: from pmct_metric_stamp()
 */
struct pmct_metric_copy {
	u64 value;
	u64 stamp;
};

/* A time and a confidence of two bits, in one word. */
static inline u64 pmct_metric_stamp(unsigned long now, unsigned int confidence)
{
	return (u64)now << 2 | confidence;
}

static inline unsigned long pmct_metric_time(u64 stamp)
{
	return stamp >> 2;
}

/* Clock ticks since the time of @stamp. */
static inline u64 pmct_metric_age(u64 stamp, unsigned long now)
{
	return (((u64)now << 2) - (stamp & ~3ULL)) >> 2;
}

static inline unsigned int pmct_metric_confidence(u64 stamp)
{
	return stamp & 3;
}

/* Publish a value. There must be one writer at a time. */
static inline void pmct_metric_write(u32 *version, struct pmct_metric_copy copy[2],
				     u64 value, u64 stamp)
{
	/* Never 0, the version of a metric without a value. The lowest bit changes. */
	u32 next = *version + 1 ?: 2;
	struct pmct_metric_copy *c = &copy[next & 1];

	/* Readers of @c see that its version is no longer valid: pairs with pmct_metric_read(). */
	smp_wmb();
	WRITE_ONCE(c->value, value);
	WRITE_ONCE(c->stamp, stamp);
	/* Pairs with pmct_metric_read(). */
	smp_store_release(version, next);
}

/* Returns 0, -ENODATA: nothing published, -EAGAIN: published again and again. Any context. */
static inline int pmct_metric_read(const u32 *version, const struct pmct_metric_copy copy[2],
				   struct pmct_metric_copy *result)
{
	const struct pmct_metric_copy *c;
	unsigned int i;
	u32 v;

	for (i = 0; i < PMCT_METRIC_TRIES; i++) {
		/* Pairs with pmct_metric_write(). */
		v = smp_load_acquire(version);
		if (!v)
			return -ENODATA;
		c = &copy[v & 1];
		result->value = READ_ONCE(c->value);
		result->stamp = READ_ONCE(c->stamp);
		/* Pairs with pmct_metric_write(). */
		smp_rmb();
		if (READ_ONCE(*version) == v)
			return 0;
	}
	return -EAGAIN;
}

#endif /* _PMCT_METRIC_SLOT_H */
