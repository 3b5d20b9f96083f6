/* SPDX-License-Identifier: GPL-2.0-only */
/* The rings of a session: one for each CPU that writes, and one reader of all rings. */
#ifndef _PMCT_RINGS_H
#define _PMCT_RINGS_H

#include <linux/smp.h>

#include "ring.h"

struct cred;
struct vm_area_struct;

/**
 * struct pmct_rings - all records of a session on their way to its reader
 * @ring: the rings; NULL: the session has no reader
 * @nr: their number: 1, or nr_cpu_ids
 * @cpu_mask: a CPU's number with this mask is the index of its ring
 * @ctl: control page of the first ring. Its information about the session is valid for all rings.
 * @memory: memory of all rings
 * @payer: user whose locked memory is charged; NULL: none
 */
struct pmct_rings {
	struct pmct_ring *ring;
	unsigned int nr;
	unsigned int cpu_mask;
	struct pmctrack_ring_ctl *ctl;
	void *memory;
	const struct cred *payer;
};

/* Bytes of @nr rings of @size bytes each, with their control pages. */
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

/* The ring that this CPU writes, in a session with a reader. Interrupts or preemption disabled. */
static inline struct pmct_ring *pmct_rings_here(const struct pmct_rings *rings)
{
	return &rings->ring[smp_processor_id() & rings->cpu_mask];
}

/* Bytes of the data of one ring. */
static inline size_t pmct_rings_size(const struct pmct_rings *rings)
{
	return rings->ring ? rings->ring[0].size : 0;
}

#endif /* _PMCT_RINGS_H */
