/* SPDX-License-Identifier: GPL-2.0-only */
/* The ring buffer of a session: many writers in any context, one reader. */
#ifndef _PMCT_RING_H
#define _PMCT_RING_H

#include <linux/spinlock.h>
#include <linux/types.h>
#include <uapi/linux/pmctrack.h>

struct mm_struct;
struct vm_area_struct;

#define PMCT_RING_MIN	PAGE_SIZE
#define PMCT_RING_MAX	(16UL << 20)

/**
 * struct pmct_ring - records on their way to one reader
 * @ctl: page shared with the reader, who may write all of it: only @ctl->tail
 *	is ever read back, and checked
 * @data: the records, @size bytes, read-only for the reader
 * @size: a power of two
 * @head: bytes written; protected by @lock
 * @lock: serialises writers. Interrupts are disabled while it is held, for a
 *	record's length; user space never holds it.
 * @mm: whose locked memory is charged
 */
struct pmct_ring {
	struct pmctrack_ring_ctl *ctl;
	void *data;
	u64 size;
	u64 head;
	raw_spinlock_t lock;
	struct mm_struct *mm;
};

int pmct_ring_init(struct pmct_ring *ring, size_t size);
void pmct_ring_destroy(struct pmct_ring *ring);
struct pmctrack_record *pmct_ring_reserve(struct pmct_ring *ring, size_t size);
void pmct_ring_commit(struct pmct_ring *ring, const struct pmctrack_record *rec);
size_t pmct_ring_used(const struct pmct_ring *ring);
ssize_t pmct_ring_read(struct pmct_ring *ring, char __user *buf, size_t len);
int pmct_ring_mmap(struct pmct_ring *ring, struct vm_area_struct *vma);

static inline size_t pmct_record_size(unsigned int nr_counts)
{
	return sizeof(struct pmctrack_record) + nr_counts * sizeof(u64);
}

#endif /* _PMCT_RING_H */
