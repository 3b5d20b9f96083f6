// SPDX-License-Identifier: GPL-2.0-only
/*
 * A ring buffer. Positions are byte counts that only grow. A record is never split: if it would
 * cross the end of the data, a padding record fills the rest. Writer and reader synchronise only
 * through ctl->head and ctl->tail.
 */
#include <linux/err.h>
#include <linux/mm.h>

#include "ring.h"

static_assert(sizeof(struct pmctrack_record) == 56);

/* Set up a ring in zeroed memory of PMCT_RING_CTL_SIZE + @size bytes; @size is a power of two. */
void pmct_ring_init(struct pmct_ring *ring, void *memory, size_t size)
{
	*ring = (struct pmct_ring){
		.ctl = memory,
		.data = memory + PMCT_RING_CTL_SIZE,
		.size = size,
	};
	ring->ctl->abi = PMCTRACK_ABI_VERSION;
	ring->ctl->data_size = size;
}

/* Bytes that are not consumed yet. An impossible tail reads as a full ring. */
size_t pmct_ring_used(const struct pmct_ring *ring)
{
	/* Pairs with the reader's release of the tail: it has read its records. */
	u64 tail = smp_load_acquire(&ring->ctl->tail);
	u64 used = READ_ONCE(ring->head) - tail;

	return used > ring->size || used % 8 ? ring->size : used;
}

/*
 * Raise the limit for a record of @size bytes, after padding if the record would not fit before the
 * end of the data. Returns false if the ring is full.
 */
bool pmct_ring_make_room(struct pmct_ring *ring, size_t size)
{
	size_t offset = ring->head & (ring->size - 1);
	size_t room = ring->size - pmct_ring_used(ring);
	size_t to_end = ring->size - offset;
	struct pmctrack_record *pad = ring->data + offset;

	lockdep_assert_irqs_disabled();

	if (size > to_end) {
		if (to_end + size > room)
			return false;
		/* Sizes are multiples of 8: at least size, kind and flags fit. */
		pad->size = to_end;
		pad->kind = PMCTRACK_RECORD_PAD;
		pad->flags = 0;
		/* Pairs with pmct_rings_look(): the padding is complete. */
		smp_store_release(&ring->head, ring->head + to_end);
		room -= to_end;
		to_end = ring->size;
	} else if (size > room) {
		return false;
	}
	ring->limit = ring->head + min(room, to_end);
	return true;
}

/*
 * The record at the reader's position, or NULL if there cannot be one. If a reader wrote a bad
 * value into ctl->tail, we must not read outside the data.
 */
static const struct pmctrack_record *pmct_ring_at(const struct pmct_ring *ring, u32 *size)
{
	size_t offset = ring->tail & (ring->size - 1);
	const struct pmctrack_record *rec = ring->data + offset;
	u64 left = ring->seen - ring->tail;

	if (left > ring->size || ring->tail % 8)
		return NULL;
	/* Read once: with a wrong tail, a writer may be changing it. */
	*size = READ_ONCE(rec->size);
	if (*size < 8 || *size % 8 || *size > ring->size - offset || *size > left)
		return NULL;
	return rec;
}

/**
 * pmct_ring_peek() - the next record that read() has not consumed
 * @ring: the ring; @ring->tail and @ring->seen are set
 * @size: where its length goes
 *
 * Padding is consumed. Context: the caller serialises readers.
 * Return: the record, NULL if there is none up to @ring->seen, ERR_PTR(-EIO) if the reader has
 * written a bad tail. If the tail was wrong, a writer may be changing the record.
 */
const struct pmctrack_record *pmct_ring_peek(struct pmct_ring *ring, u32 *size)
{
	const struct pmctrack_record *rec;

	while (ring->tail != ring->seen) {
		rec = pmct_ring_at(ring, size);
		if (!rec)
			return ERR_PTR(-EIO);
		if (READ_ONCE(rec->kind) != PMCTRACK_RECORD_PAD)
			return *size >= sizeof(*rec) ? rec : ERR_PTR(-EIO);
		pmct_ring_consume(ring, *size);
	}
	return NULL;
}

/* The reader has finished with the next @size bytes. */
void pmct_ring_consume(struct pmct_ring *ring, u32 size)
{
	ring->tail += size;
	/* The writer may use the room now: pairs with pmct_ring_used(). */
	smp_store_release(&ring->ctl->tail, ring->tail);
}
