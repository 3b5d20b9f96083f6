// SPDX-License-Identifier: GPL-2.0-only
/*
 * The rings of a session: their memory, the user whom it is charged to, their mappings, and read(),
 * which merges them by time.
 */
#include <linux/capability.h>
#include <linux/cpumask.h>
#include <linux/cred.h>
#include <linux/err.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/sched/signal.h>
#include <linux/sched/user.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>

#include "../compat/mm.h"
#include "rings.h"

static_assert(sizeof(struct pmctrack_ring_ctl) <= PMCTRACK_MMAP_DATA);
static_assert(PMCTRACK_MMAP_DATA % PAGE_SIZE == 0);
static_assert(PMCTRACK_MMAP_DATA + PMCT_RING_MAX <= PMCTRACK_MMAP_RING);

static unsigned long pmct_rings_pages(const struct pmct_rings *rings)
{
	return pmct_rings_bytes(rings->nr, pmct_rings_size(rings)) / PAGE_SIZE;
}

/*
 * Allocate memory for user space to map, charged to the control group of the caller. If memory is
 * short, the request fails, and no process is killed for it.
 */
static void *pmct_rings_alloc(size_t size)
{
	return __vmalloc(size, GFP_KERNEL_ACCOUNT | __GFP_ZERO | __GFP_RETRY_MAYFAIL |
			       __GFP_NOWARN);
}

/*
 * Charge the user, as perf's buffers and io_uring do. A limit for each process would not hold,
 * because a user can pass descriptors between processes.
 */
static int pmct_rings_charge(struct pmct_rings *rings)
{
	unsigned long pages = pmct_rings_pages(rings);
	struct user_struct *user = current_user();

	if (capable(CAP_IPC_LOCK))
		return 0;
	if (atomic_long_add_return(pages, &user->locked_vm) >
	    rlimit(RLIMIT_MEMLOCK) >> PAGE_SHIFT) {
		atomic_long_sub(pages, &user->locked_vm);
		return -ENOMEM;
	}
	rings->payer = get_current_cred();
	return 0;
}

static void pmct_rings_uncharge(struct pmct_rings *rings)
{
	if (!rings->payer)
		return;
	atomic_long_sub(pmct_rings_pages(rings), &rings->payer->user->locked_vm);
	put_cred(rings->payer);
}

/**
 * pmct_rings_init() - allocate rings, charged to the user's locked memory
 * @rings: what to set up
 * @nr: 1: all CPUs write the same ring, one at a time; nr_cpu_ids: each CPU has its own ring
 * @size: bytes of the data of each ring, a power of two between PMCT_RING_MIN and PMCT_RING_MAX
 *
 * Context: process context, may sleep.
 * Return: 0, -EINVAL for a bad size, -ENOMEM (also over RLIMIT_MEMLOCK).
 */
int pmct_rings_init(struct pmct_rings *rings, unsigned int nr, size_t size)
{
	unsigned int i;
	int err;

	memset(rings, 0, sizeof(*rings));
	if (size < PMCT_RING_MIN || size > PMCT_RING_MAX || !is_power_of_2(size))
		return -EINVAL;

	rings->ring = kvcalloc(nr, sizeof(*rings->ring), GFP_KERNEL_ACCOUNT);
	if (!rings->ring)
		return -ENOMEM;
	rings->nr = nr;
	rings->cpu_mask = nr > 1 ? ~0U : 0;
	rings->ring[0].size = size;
	err = pmct_rings_charge(rings);
	if (!err) {
		rings->memory = pmct_rings_alloc(pmct_rings_bytes(nr, size));
		if (!rings->memory)
			err = -ENOMEM;
	}
	if (err) {
		pmct_rings_destroy(rings);
		return err;
	}
	for (i = 0; i < nr; i++) {
		pmct_ring_init(&rings->ring[i], rings->memory + pmct_rings_bytes(i, size), size);
		rings->ring[i].ctl->nr_rings = nr;
	}
	rings->ctl = rings->ring[0].ctl;
	return 0;
}

/* For a session without a reader: only the page that counts its threads. Returns 0 or -ENOMEM. */
int pmct_rings_init_unread(struct pmct_rings *rings)
{
	memset(rings, 0, sizeof(*rings));
	rings->memory = pmct_rings_alloc(PMCT_RING_CTL_SIZE);
	rings->ctl = rings->memory;
	return rings->memory ? 0 : -ENOMEM;
}

void pmct_rings_destroy(struct pmct_rings *rings)
{
	vfree(rings->memory);
	pmct_rings_uncharge(rings);
	kvfree(rings->ring);
	memset(rings, 0, sizeof(*rings));
}

/* True if there is a record that was not consumed. Any context. */
bool pmct_rings_filled(const struct pmct_rings *rings)
{
	unsigned int i;

	for (i = 0; i < rings->nr; i++) {
		if (pmct_ring_used(&rings->ring[i]))
			return true;
	}
	return false;
}

/*
 * Read the positions of the writers, twice. The first round can see the second record of a thread,
 * but not its first, older record on another CPU, because it read that ring too early. For each
 * record that the first round sees, the second round sees all older records of the same thread. So
 * the records of the second round are merged, and those of the first round are consumed (@sure).
 */
static void pmct_rings_look(struct pmct_rings *rings)
{
	unsigned int i;

	for (i = 0; i < rings->nr; i++) {
		/* Pairs with pmct_ring_commit(). */
		rings->ring[i].sure = smp_load_acquire(&rings->ring[i].head);
	}
	for (i = 0; i < rings->nr; i++) {
		/* Pairs with pmct_ring_commit(). */
		rings->ring[i].seen = smp_load_acquire(&rings->ring[i].head);
	}
}

/* The ring with the oldest record that was seen. NULL: no record, ERR_PTR(-EIO): a bad tail. */
static struct pmct_ring *pmct_rings_oldest(struct pmct_rings *rings)
{
	struct pmct_ring *oldest = NULL;
	const struct pmctrack_record *rec;
	u64 time = 0;
	unsigned int i;
	u32 size;

	for (i = 0; i < rings->nr; i++) {
		rec = pmct_ring_peek(&rings->ring[i], &size);
		if (IS_ERR(rec))
			return ERR_CAST(rec);
		if (rec && (!oldest || rec->time_ns < time)) {
			oldest = &rings->ring[i];
			time = rec->time_ns;
		}
	}
	return oldest;
}

/**
 * pmct_rings_begin() - called when read() begins or continues
 * @rings: the rings; the caller serialises readers
 */
void pmct_rings_begin(struct pmct_rings *rings)
{
	unsigned int i;

	for (i = 0; i < rings->nr; i++)
		rings->ring[i].tail = READ_ONCE(rings->ring[i].ctl->tail);
	pmct_rings_look(rings);
}

/**
 * pmct_rings_next() - find the ring with the next record
 * @rings: the rings, after pmct_rings_begin()
 *
 * Return: the ring, NULL if there is no record, ERR_PTR(-EIO) if the reader has written a bad tail.
 */
struct pmct_ring *pmct_rings_next(struct pmct_rings *rings)
{
	struct pmct_ring *ring = pmct_rings_oldest(rings);

	/*
	 * The record was seen in the second round only. The first round of the next look sees it.
	 */
	while (!IS_ERR_OR_NULL(ring) && (s64)(ring->sure - ring->tail) <= 0) {
		pmct_rings_look(rings);
		ring = pmct_rings_oldest(rings);
	}
	return ring;
}

/**
 * pmct_rings_read() - consume whole records, oldest first
 * @rings: the rings; the caller serialises readers
 * @buf: user memory
 * @len: its size
 *
 * Records of one thread come in their order. Records of different threads are ordered by the end of
 * their interval, unless a record was written late.
 *
 * Context: process context, may fault.
 * Return: bytes copied, 0 if there is no record, -EINVAL if the first one is longer than @len, -EIO
 * if the reader has written a bad tail, -EFAULT, -ERESTARTSYS.
 */
ssize_t pmct_rings_read(struct pmct_rings *rings, char __user *buf, size_t len)
{
	const struct pmctrack_record *rec;
	struct pmct_ring *ring;
	size_t done = 0;
	u32 size;

	pmct_rings_begin(rings);
	/* Even if writers are fast, copy no more than the rings have room for. */
	while (done < rings->nr * rings->ring[0].size) {
		if (signal_pending(current))
			return done ?: -ERESTARTSYS;
		cond_resched();
		ring = pmct_rings_next(rings);
		if (!ring)
			return done;
		rec = IS_ERR(ring) ? ERR_CAST(ring) : pmct_ring_peek(ring, &size);
		if (IS_ERR_OR_NULL(rec))
			return done ?: -EIO;
		if (size > len - done)
			return done ?: -EINVAL;
		if (copy_to_user(buf + done, rec, size))
			return done ?: -EFAULT;
		done += size;
		pmct_ring_consume(ring, size);
	}
	return done;
}

static int pmct_rings_map(struct vm_area_struct *vma, void *from)
{
	unsigned long at;
	int err = 0;

	/* A forked child must not keep the session, and with it the counters. */
	pmct_vm_flags_set(vma, VM_DONTCOPY | VM_DONTEXPAND | VM_DONTDUMP);
	for (at = vma->vm_start; !err && at < vma->vm_end; at += PAGE_SIZE, from += PAGE_SIZE)
		err = vm_insert_page(vma, at, vmalloc_to_page(from));
	return err;
}

/**
 * pmct_rings_mmap() - map the control pages of a ring, or its records
 * @rings: the rings; the offset selects one
 * @vma: the mapping
 *
 * Return: 0, -EINVAL for any other offset or size, -EPERM for a writable mapping of the records.
 */
int pmct_rings_mmap(struct pmct_rings *rings, struct vm_area_struct *vma)
{
	unsigned long index = vma->vm_pgoff / (PMCTRACK_MMAP_RING >> PAGE_SHIFT);
	unsigned long offset = vma->vm_pgoff % (PMCTRACK_MMAP_RING >> PAGE_SHIFT);
	unsigned long len = vma->vm_end - vma->vm_start;
	struct pmct_ring *ring;

	if (!(vma->vm_flags & VM_SHARED) || index >= rings->nr)
		return -EINVAL;
	ring = &rings->ring[index];
	if (offset == 0)
		return len == PMCT_RING_CTL_SIZE ? pmct_rings_map(vma, ring->ctl) : -EINVAL;

	if (offset != PMCTRACK_MMAP_DATA >> PAGE_SHIFT || len != ring->size)
		return -EINVAL;
	if (vma->vm_flags & VM_WRITE)
		return -EPERM;
	pmct_vm_flags_clear(vma, VM_MAYWRITE);
	return pmct_rings_map(vma, ring->data);
}
