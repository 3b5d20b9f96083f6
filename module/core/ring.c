// SPDX-License-Identifier: GPL-2.0-only
/*
 * Session ring buffer. Positions are byte counts that only grow; a record is
 * never split: where it would cross the end of the data, a padding record
 * fills the rest. Writers hold ring->lock; the reader synchronises through
 * ctl->head and ctl->tail alone.
 */
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/errno.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/sched/signal.h>
#include <linux/sched/user.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>

#include "../compat/mm.h"
#include "ring.h"

static_assert(sizeof(struct pmctrack_record) == 56);
static_assert(sizeof(struct pmctrack_ring_ctl) <= PMCTRACK_MMAP_DATA);
static_assert(PMCTRACK_MMAP_DATA % PAGE_SIZE == 0);

#define PMCT_RING_CTL_SIZE	PAGE_ALIGN(sizeof(struct pmctrack_ring_ctl))

static unsigned long pmct_ring_pages(const struct pmct_ring *ring)
{
	return (PMCT_RING_CTL_SIZE + ring->size) / PAGE_SIZE;
}

/* Memory for user space to map, charged to the control group of its creator. */
static void *pmct_ring_alloc(size_t size)
{
	return __vmalloc(size, GFP_KERNEL_ACCOUNT | __GFP_ZERO);
}

/*
 * Charge the user, who can pass descriptors on between processes: no limit of
 * one process would hold. As perf's buffers and io_uring's.
 */
static int pmct_ring_charge(struct pmct_ring *ring)
{
	unsigned long pages = pmct_ring_pages(ring);
	struct user_struct *user = current_user();

	if (capable(CAP_IPC_LOCK))
		return 0;
	if (atomic_long_add_return(pages, &user->locked_vm) >
	    rlimit(RLIMIT_MEMLOCK) >> PAGE_SHIFT) {
		atomic_long_sub(pages, &user->locked_vm);
		return -ENOMEM;
	}
	ring->payer = get_current_cred();
	return 0;
}

static void pmct_ring_uncharge(struct pmct_ring *ring)
{
	if (!ring->payer)
		return;
	atomic_long_sub(pmct_ring_pages(ring), &ring->payer->user->locked_vm);
	put_cred(ring->payer);
}

/**
 * pmct_ring_init() - allocate a ring, charged to the user's locked memory
 * @ring: what to set up
 * @size: of the data, a power of two between PMCT_RING_MIN and PMCT_RING_MAX
 *
 * Context: process context, may sleep.
 * Return: 0, -EINVAL for a bad size, -ENOMEM (also over RLIMIT_MEMLOCK).
 */
int pmct_ring_init(struct pmct_ring *ring, size_t size)
{
	int err;

	if (size < PMCT_RING_MIN || size > PMCT_RING_MAX || !is_power_of_2(size))
		return -EINVAL;

	memset(ring, 0, sizeof(*ring));
	raw_spin_lock_init(&ring->lock);
	ring->size = size;

	err = pmct_ring_charge(ring);
	if (err)
		return err;
	ring->ctl = pmct_ring_alloc(PMCT_RING_CTL_SIZE);
	ring->data = pmct_ring_alloc(size);
	if (!ring->ctl || !ring->data) {
		pmct_ring_destroy(ring);
		return -ENOMEM;
	}
	ring->ctl->abi = PMCTRACK_ABI_VERSION;
	ring->ctl->data_size = size;
	return 0;
}

/* A ring without room, for records that nobody reads. 0 or -ENOMEM. */
int pmct_ring_init_unread(struct pmct_ring *ring)
{
	memset(ring, 0, sizeof(*ring));
	raw_spin_lock_init(&ring->lock);
	ring->ctl = pmct_ring_alloc(PMCT_RING_CTL_SIZE);
	return ring->ctl ? 0 : -ENOMEM;
}

void pmct_ring_destroy(struct pmct_ring *ring)
{
	vfree(ring->data);
	vfree(ring->ctl);
	pmct_ring_uncharge(ring);
	memset(ring, 0, sizeof(*ring));
}

/* Bytes not consumed yet. A tail that cannot be true reads as a full ring. */
size_t pmct_ring_used(const struct pmct_ring *ring)
{
	/* Pairs with the reader's release of the tail: it has read its records. */
	u64 tail = smp_load_acquire(&ring->ctl->tail);
	u64 used = READ_ONCE(ring->head) - tail;

	return used > ring->size || used % 8 ? ring->size : used;
}

/*
 * Raise the limit for a record of @size bytes, padding if it would not fit
 * before the end of the data. False: the ring is full.
 */
bool pmct_ring_make_room(struct pmct_ring *ring, size_t size)
{
	size_t offset = ring->head & (ring->size - 1);
	size_t room = ring->size - pmct_ring_used(ring);
	size_t to_end = ring->size - offset;
	struct pmctrack_record *pad = ring->data + offset;

	lockdep_assert_held(&ring->lock);

	if (size > to_end) {
		if (to_end + size > room)
			return false;
		/* Sizes are multiples of 8: at least size, kind and flags fit. */
		pad->size = to_end;
		pad->kind = PMCTRACK_RECORD_PAD;
		pad->flags = 0;
		/* Pairs with pmct_ring_read(): the padding is complete. */
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
 * The record at @tail, or NULL if there cannot be one: a reader who wrote
 * nonsense into ctl->tail must not make us read outside the data.
 */
static const struct pmctrack_record *pmct_ring_at(const struct pmct_ring *ring,
						  u64 tail, u64 head, u32 *size)
{
	size_t offset = tail & (ring->size - 1);
	const struct pmctrack_record *rec = ring->data + offset;

	if (head - tail > ring->size || tail % 8)
		return NULL;
	/* Once: with a tail that lies, a writer may be at it. */
	*size = READ_ONCE(rec->size);
	if (*size < 8 || *size % 8 || *size > ring->size - offset || *size > head - tail)
		return NULL;
	return rec;
}

/**
 * pmct_ring_read() - consume whole records
 * @ring: the ring; the caller serialises readers
 * @buf: user memory
 * @len: its size
 *
 * Context: process context, may fault.
 * Return: bytes copied, 0 if there is no record, -EINVAL if the first one is
 * longer than @len, -EIO if the reader has spoilt the tail, -EFAULT.
 */
ssize_t pmct_ring_read(struct pmct_ring *ring, char __user *buf, size_t len)
{
	/* Pairs with pmct_ring_commit(). */
	u64 head = smp_load_acquire(&ring->head);
	u64 tail = READ_ONCE(ring->ctl->tail);
	size_t done = 0;

	while (tail != head) {
		const struct pmctrack_record *rec;
		u32 size;

		rec = pmct_ring_at(ring, tail, head, &size);
		if (!rec)
			return done ?: -EIO;
		if (rec->kind != PMCTRACK_RECORD_PAD) {
			if (size > len - done)
				return done ?: -EINVAL;
			if (copy_to_user(buf + done, rec, size))
				return done ?: -EFAULT;
			done += size;
		}
		tail += size;
		/* Writers may use the room: pairs with pmct_ring_used(). */
		smp_store_release(&ring->ctl->tail, tail);
	}
	return done;
}

static int pmct_ring_map(struct vm_area_struct *vma, void *from)
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
 * pmct_ring_mmap() - map the control pages, or the records
 * @ring: the ring
 * @vma: the mapping
 *
 * Return: 0, -EINVAL for another offset or size, -EPERM for a writable
 * mapping of the records.
 */
int pmct_ring_mmap(struct pmct_ring *ring, struct vm_area_struct *vma)
{
	unsigned long len = vma->vm_end - vma->vm_start;

	if (!(vma->vm_flags & VM_SHARED))
		return -EINVAL;
	if (vma->vm_pgoff == 0)
		return len == PMCT_RING_CTL_SIZE ? pmct_ring_map(vma, ring->ctl) : -EINVAL;

	if (vma->vm_pgoff != PMCTRACK_MMAP_DATA >> PAGE_SHIFT || len != ring->size)
		return -EINVAL;
	if (vma->vm_flags & VM_WRITE)
		return -EPERM;
	pmct_vm_flags_clear(vma, VM_MAYWRITE);
	return pmct_ring_map(vma, ring->data);
}
