// SPDX-License-Identifier: LGPL-2.1-or-later
/* The mapped rings of a session, merged by time. */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "internal.h"
#include "rings.h"

static unsigned int forks;

static void count_fork(void)
{
	forks++;
}

static void watch_forks(void)
{
	pthread_atfork(NULL, NULL, count_fork);
}

bool rings_here(const struct rings *rings)
{
	return rings->forks == forks;
}

/* The size of a ring's control pages in bytes. */
static size_t ctl_size(void)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	return (sizeof(struct pmctrack_ring_ctl) + page - 1) / page * page;
}

static int map_failed(const char *what)
{
	return fail(errno, "cannot map %s: %s%s", what, strerror(errno), errno != ENOMEM ? "" :
		    "; a session takes two mappings for each CPU, and a process has at most vm.max_map_count");
}

static int ring_map(struct ring *ring, int fd, off_t offset)
{
	void *p;

	p = mmap(NULL, ctl_size(), PROT_READ | PROT_WRITE, MAP_SHARED, fd, offset);
	if (p == MAP_FAILED)
		return map_failed("the session's control page");
	ring->ctl = p;
	ring->size = ring->ctl->data_size;
	p = mmap(NULL, ring->size, PROT_READ, MAP_SHARED, fd, offset + PMCTRACK_MMAP_DATA);
	if (p == MAP_FAILED)
		return map_failed("the session's records");
	ring->data = p;
	return 0;
}

static void ring_unmap(struct ring *ring)
{
	if (ring->data)
		munmap((void *)ring->data, ring->size);
	if (ring->ctl)
		munmap(ring->ctl, ctl_size());
}

int rings_map(struct rings *rings, int fd)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	struct ring first = { 0 };
	int err;

	pthread_once(&once, watch_forks);
	rings->forks = forks;
	err = ring_map(&first, fd, 0);
	if (!err) {
		rings->of = calloc(first.ctl->nr_rings, sizeof(*rings->of));
		if (!rings->of)
			err = fail(ENOMEM, "no memory for the rings of %u CPUs", first.ctl->nr_rings);
	}
	if (err) {
		ring_unmap(&first);
		return err;
	}
	rings->of[0] = first;
	rings->nr = first.ctl->nr_rings;
	for (unsigned int i = 1; !err && i < rings->nr; i++)
		err = ring_map(&rings->of[i], fd, (off_t)i * PMCTRACK_MMAP_RING);
	return err;
}

void rings_unmap(struct rings *rings)
{
	for (unsigned int i = 0; rings_here(rings) && i < rings->nr; i++)
		ring_unmap(&rings->of[i]);
	free(rings->of);
}

/*
 * Load the heads of all rings, twice. A thread's older record may be written to a ring
 * whose head was loaded before that; its newer record may then be seen in another
 * CPU's ring. But the second round sees every record that is older than a record that
 * the first round has seen.
 */
static void rings_look(struct rings *rings)
{
	struct ring *end = rings->of + rings->nr;

	for (struct ring *r = rings->of; r < end; r++)
		r->sure = __atomic_load_n(&r->ctl->head, __ATOMIC_ACQUIRE);
	for (struct ring *r = rings->of; r < end; r++)
		r->seen = __atomic_load_n(&r->ctl->head, __ATOMIC_ACQUIRE);
}

static const struct pmctrack_record *ring_at(const struct ring *r)
{
	return (const struct pmctrack_record *)(r->data + (r->tail & (r->size - 1)));
}

/* The first record of a ring that was seen but not read; NULL: none. */
static const struct pmctrack_record *ring_peek(struct ring *r)
{
	while (r->tail != r->seen) {
		const struct pmctrack_record *rec = ring_at(r);

		if (rec->kind != PMCTRACK_RECORD_PAD)
			return rec;
		r->tail += rec->size;
	}
	return NULL;
}

/* The ring whose first unread record is the oldest of all rings; NULL: none. */
static struct ring *rings_oldest(struct rings *rings)
{
	struct ring *oldest = NULL;
	uint64_t time = 0;

	for (struct ring *r = rings->of; r < rings->of + rings->nr; r++) {
		const struct pmctrack_record *rec = ring_peek(r);

		if (rec && (!oldest || rec->time_ns < time)) {
			oldest = r;
			time = rec->time_ns;
		}
	}
	return oldest;
}

static bool ring_is_sure(const struct ring *r)
{
	return (int64_t)(r->sure - r->tail) > 0;
}

const struct pmctrack_record *rings_next(struct rings *rings)
{
	struct ring *oldest;

	if (!rings_here(rings))
		return NULL;
	rings_done(rings);
	oldest = rings_oldest(rings);
	/* The first round of the next call sees all that the second round of this one has seen. */
	while (!oldest || !ring_is_sure(oldest)) {
		bool end = !oldest;

		rings_look(rings);
		oldest = rings_oldest(rings);
		if (!oldest && end)
			return NULL;
	}
	rings->last = oldest;
	return ring_at(oldest);
}

void rings_done(struct rings *rings)
{
	struct ring *r = rings->last;

	if (!r || !rings_here(rings))
		return;
	r->tail += ring_at(r)->size;
	__atomic_store_n(&r->ctl->tail, r->tail, __ATOMIC_RELEASE);
	rings->last = NULL;
}

uint64_t rings_lost(const struct rings *rings)
{
	uint64_t sum = 0;

	for (unsigned int i = 0; rings_here(rings) && i < rings->nr; i++)
		sum += __atomic_load_n(&rings->of[i].ctl->lost, __ATOMIC_RELAXED);
	return sum;
}

uint64_t rings_lost_count(const struct rings *rings, unsigned int core_type, unsigned int set,
			  unsigned int counter)
{
	uint64_t sum = 0;

	for (unsigned int i = 0; rings_here(rings) && i < rings->nr; i++)
		sum += __atomic_load_n(&rings->of[i].ctl->lost_counts[core_type][set][counter],
				       __ATOMIC_RELAXED);
	return sum;
}
