/* SPDX-License-Identifier: GPL-2.0-only */
/* The ring buffer of a session: many writers in any context, one reader. */
#ifndef _PMCT_RING_H
#define _PMCT_RING_H

#include <linux/spinlock.h>
#include <linux/types.h>
#include <uapi/linux/pmctrack.h>

struct cred;
struct vm_area_struct;

#define PMCT_RING_MIN	PAGE_SIZE
#define PMCT_RING_MAX	(16UL << 20)

/**
 * struct pmct_ring - records on their way to one reader
 * @ctl: pages shared with the reader, who may write all of it: only @ctl->tail
 *	is ever read back, and checked
 * @data: the records, @size bytes, read-only for the reader
 * @size: a power of two; 0: nobody reads
 * @head: bytes written; protected by @lock
 * @limit: up to here, a record can be written without another look at the
 *	reader's position or the end of the data; protected by @lock
 * @lock: serialises writers. Interrupts are disabled while it is held, for a
 *	record's length; user space never holds it.
 * @payer: whose locked memory is charged; NULL: nobody's
 */
struct pmct_ring {
	struct pmctrack_ring_ctl *ctl;
	void *data;
	u64 size;
	u64 head;
	u64 limit;
	raw_spinlock_t lock;
	const struct cred *payer;
};

int pmct_ring_init(struct pmct_ring *ring, size_t size);
int pmct_ring_init_unread(struct pmct_ring *ring);
void pmct_ring_destroy(struct pmct_ring *ring);
ssize_t pmct_ring_read(struct pmct_ring *ring, char __user *buf, size_t len);
bool pmct_ring_make_room(struct pmct_ring *ring, size_t size);
size_t pmct_ring_used(const struct pmct_ring *ring);
int pmct_ring_mmap(struct pmct_ring *ring, struct vm_area_struct *vma);

static inline size_t pmct_record_size(unsigned int nr_counts)
{
	return sizeof(struct pmctrack_record) + nr_counts * sizeof(u64);
}

/**
 * pmct_ring_reserve() - get room for a record
 * @ring: the ring
 * @size: bytes, a multiple of 8
 *
 * The room belongs to the caller until pmct_ring_commit(), which must follow
 * before the lock is released.
 *
 * Context: any but NMI, @ring->lock held.
 * Return: where the record goes, or NULL if it does not fit.
 */
static inline struct pmctrack_record *pmct_ring_reserve(struct pmct_ring *ring, size_t size)
{
	lockdep_assert_held(&ring->lock);

	if (unlikely(ring->head + size > ring->limit) && !pmct_ring_make_room(ring, size))
		return NULL;
	return ring->data + (ring->head & (ring->size - 1));
}

/* Show @rec, the last one reserved, to the reader; its size is filled in. */
static inline void pmct_ring_commit(struct pmct_ring *ring,
				    const struct pmctrack_record *rec)
{
	u64 head = ring->head + rec->size;

	lockdep_assert_held(&ring->lock);

	/* Pairs with pmct_ring_read(): the record is complete. */
	smp_store_release(&ring->head, head);
	/* The same for a reader of the mapping. */
	smp_store_release(&ring->ctl->head, head);
}

#endif /* _PMCT_RING_H */
