/* SPDX-License-Identifier: GPL-2.0-only */
/* A ring buffer: one writer at a time, one reader, no lock between them. */
#ifndef _PMCT_RING_H
#define _PMCT_RING_H

#include <linux/cache.h>
#include <linux/lockdep.h>
#include <linux/mm.h>
#include <linux/types.h>
#include <uapi/linux/pmctrack.h>

#define PMCT_RING_MIN	PAGE_SIZE
#define PMCT_RING_MAX	(16UL << 20)
#define PMCT_RING_CTL_SIZE	PAGE_ALIGN(sizeof(struct pmctrack_ring_ctl))

/**
 * struct pmct_ring - records on their way to one reader
 * @ctl: pages shared with the reader, who may write all of them. Only @ctl->tail is ever read back,
 *	and it is checked
 * @data: the records, @size bytes, read-only for the reader
 * @size: a power of two
 * @head: bytes written
 * @limit: up to here, a record can be written without checking the reader's position or the end of
 *	the data again
 * @time_ns: time of the last record; a record is never older than the one before it
 * @tail: position of read(). This member and the following ones are written by the reader.
 * @sure: for read(), see pmct_rings_look()
 * @seen: for read(), see pmct_rings_look()
 *
 * The writer is the CPU that the ring belongs to, with interrupts disabled. If only one thread can
 * write to a session, the session has one ring, which that thread writes. A context switch, or the
 * wait for all hooks, orders its writes on one CPU before those on the next.
 */
struct pmct_ring {
	struct pmctrack_ring_ctl *ctl;
	void *data;
	u64 size;
	u64 head;
	u64 limit;
	u64 time_ns;
	u64 tail ____cacheline_aligned_in_smp;
	u64 sure;
	u64 seen;
} ____cacheline_aligned_in_smp;

void pmct_ring_init(struct pmct_ring *ring, void *memory, size_t size);
bool pmct_ring_make_room(struct pmct_ring *ring, size_t size);
size_t pmct_ring_used(const struct pmct_ring *ring);
const struct pmctrack_record *pmct_ring_peek(struct pmct_ring *ring, u32 *size);
void pmct_ring_consume(struct pmct_ring *ring, u32 size);

static inline size_t pmct_record_size(unsigned int nr_counts)
{
	return sizeof(struct pmctrack_record) + nr_counts * sizeof(u64);
}

/**
 * pmct_ring_reserve() - get room for a record
 * @ring: the ring of this CPU
 * @size: bytes, a multiple of 8
 *
 * The room belongs to the caller until pmct_ring_commit(), which must follow
 * before interrupts are enabled.
 *
 * Context: interrupts disabled, any but NMI.
 * Return: where the record goes, or NULL if it does not fit.
 */
static inline struct pmctrack_record *pmct_ring_reserve(struct pmct_ring *ring, size_t size)
{
	lockdep_assert_irqs_disabled();

	if (unlikely(ring->head + size > ring->limit) && !pmct_ring_make_room(ring, size))
		return NULL;
	return ring->data + (ring->head & (ring->size - 1));
}

/* Make @rec, the last reserved record, visible to the reader. The caller has set its size. */
static inline void pmct_ring_commit(struct pmct_ring *ring,
				    const struct pmctrack_record *rec)
{
	u64 head = ring->head + rec->size;

	lockdep_assert_irqs_disabled();

	/* Pairs with pmct_rings_look(): the record is complete. */
	smp_store_release(&ring->head, head);
	/* The same for a reader of the mapping. */
	smp_store_release(&ring->ctl->head, head);
}

#endif /* _PMCT_RING_H */
