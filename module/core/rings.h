/* SPDX-License-Identifier: GPL-2.0-only */
/* The rings of a session: one for each CPU that writes, one reader of all. */
#ifndef _PMCT_RINGS_H
#define _PMCT_RINGS_H

#include <linux/smp.h>

#include "ring.h"

struct cred;
struct vm_area_struct;

/**
 * struct pmct_rings - all records of a session on their way to its reader
 * @ring: the rings; NULL: nobody reads
 * @nr: their number: 1, or nr_cpu_ids
 * @cpu_mask: a CPU's number with this mask is the index of its ring
 * @ctl: of the first ring. What it says about the session is true of the others, too.
 * @memory: of all of them
 * @payer: whose locked memory is charged; NULL: nobody's
 */
struct pmct_rings {
	struct pmct_ring *ring;
	unsigned int nr;
	unsigned int cpu_mask;
	struct pmctrack_ring_ctl *ctl;
	void *memory;
	const struct cred *payer;
};

/* What @nr rings of @size bytes take, with their control pages. */
static inline unsigned long pmct_rings_bytes(unsigned int nr, size_t size)
{
	return nr * (PMCT_RING_CTL_SIZE + size);
}

int pmct_rings_init(struct pmct_rings *rings, unsigned int nr, size_t size);
int pmct_rings_init_unread(struct pmct_rings *rings);
void pmct_rings_destroy(struct pmct_rings *rings);
bool pmct_rings_filled(const struct pmct_rings *rings);
void pmct_rings_begin(struct pmct_rings *rings);
struct pmct_ring *pmct_rings_next(struct pmct_rings *rings);
ssize_t pmct_rings_read(struct pmct_rings *rings, char __user *buf, size_t len);
int pmct_rings_mmap(struct pmct_rings *rings, struct vm_area_struct *vma);

/* The ring that this CPU writes. Somebody reads. Interrupts or preemption disabled. */
static inline struct pmct_ring *pmct_rings_here(const struct pmct_rings *rings)
{
	return &rings->ring[smp_processor_id() & rings->cpu_mask];
}

/* Of one ring, bytes. */
static inline size_t pmct_rings_size(const struct pmct_rings *rings)
{
	return rings->ring ? rings->ring[0].size : 0;
}

#endif /* _PMCT_RINGS_H */
