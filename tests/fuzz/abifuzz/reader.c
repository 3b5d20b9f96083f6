// SPDX-License-Identifier: GPL-2.0-or-later
#include "reader.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/pmctrack.h>
#include <poll.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <unistd.h>

#include "memory.h"
#include "report.h"
#include "run.h"
#include "sessions.h"

/* A record is whole and makes sense, unless somebody has spoilt the control page. */
static void check_record(const struct pmctrack_record *rec, size_t left, unsigned int file)
{
	bool good = left >= 8 && rec->size >= 8 && rec->size % 8 == 0 && rec->size <= left;

	if (good && rec->kind != PMCTRACK_RECORD_PAD)
		good = rec->size >= sizeof(*rec) + 8UL * (rec->nr_counts + rec->nr_virt) &&
		       rec->kind <= PMCTRACK_RECORD_REVOKED && rec->flags < 16 &&
		       rec->nr_counts == __builtin_popcount(rec->counters) &&
		       rec->nr_virt == __builtin_popcount(rec->virt) &&
		       rec->core_type <= PMCTRACK_MAX_CORE_TYPES && rec->set < PMCTRACK_MAX_SETS &&
		       rec->cpu < 8 && rec->hw_ns <= rec->run_ns && rec->tid >= -1;
	report_count(TOTAL_RECORDS);
	if (!good && !session_spoilt(file))
		broken("record: %u of %zu bytes, kind %u, flags %#x, counts %u (%#x), virt %u (%#x), type %u, set %u, CPU %u, %llu of %llu ns, thread %d",
		       rec->size, left, rec->kind, rec->flags, rec->nr_counts, rec->counters,
		       rec->nr_virt, rec->virt, rec->core_type, rec->set, rec->cpu, rec->hw_ns,
		       rec->run_ns, rec->tid);
}

static void check_records(const uint8_t *buf, size_t len, unsigned int file)
{
	while (len && !session_spoilt(file)) {
		const struct pmctrack_record *rec = (const void *)buf;

		check_record(rec, len, file);
		if (len < 8 || rec->size < 8 || rec->size > len)
			break;
		buf += rec->size;
		len -= rec->size;
	}
}

enum outcome op_read(struct args *a)
{
	static _Thread_local uint8_t buf[1 << 20] __attribute__((aligned(8)));
	struct itimerval soon = { { 0, 20000 }, { 0, 20000 } }, never = { { 0, 0 }, { 0, 0 } };
	unsigned int file;
	int fd = session_get(a, &file);
	uint64_t len = next_number(a) % (sizeof(buf) + 1), mode = next_number(a);
	bool wait = mode == 1 && !run_is_racing();
	enum outcome got;
	ssize_t n;

	if (fd < 0)
		return IDLE;
	if (wait) {
		fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK);
		setitimer(ITIMER_REAL, &soon, NULL);
	}
	n = read(fd, mode == 2 ? memory_bad_address() : buf, len);
	got = judge(n, "read", EAGAIN, EINTR, EINVAL, EFAULT, EIO, 0);
	if (n < 0 && errno == EIO && !session_spoilt(file))
		broken("read: EIO for a reader who has spoilt nothing");
	if (wait) {
		setitimer(ITIMER_REAL, &never, NULL);
		fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
	}
	if (n > 0 && mode != 2)
		check_records(buf, (size_t)n, file);
	close(fd);
	return got;
}

enum outcome op_poll(struct args *a)
{
	unsigned int file;
	struct pollfd p = { .fd = session_get(a, &file), .events = POLLIN };
	enum outcome got;

	if (p.fd < 0)
		return IDLE;
	got = judge(poll(&p, 1, run_is_racing() ? 0 : (int)next_number(a)), "poll", EINTR, 0);
	if (p.revents & ~(POLLIN | POLLHUP))
		broken("poll: events %#x", p.revents);
	close(p.fd);
	return got;
}

/* Map the control page of a ring; NULL: it cannot be mapped. */
static struct pmctrack_ring_ctl *ctl_of(int fd, unsigned int ring)
{
	void *ctl = mmap(NULL, session_ctl_size(), PROT_READ | PROT_WRITE, MAP_SHARED, fd,
			 (off_t)ring * PMCTRACK_MMAP_RING);

	if (ctl == MAP_FAILED)
		broken("the control page cannot be mapped: %s", strerror(errno));
	return ctl == MAP_FAILED ? NULL : ctl;
}

/* The number of rings, or 1 if somebody has scribbled over it. */
static unsigned int nr_rings_of(int fd)
{
	struct pmctrack_ring_ctl *ctl = ctl_of(fd, 0);
	unsigned int nr = ctl ? ctl->nr_rings : 0;

	if (ctl)
		munmap(ctl, session_ctl_size());
	return nr && nr <= (unsigned int)sysconf(_SC_NPROCESSORS_CONF) ? nr : 1;
}

/* Write to a control page what no reader should. */
static enum outcome spoil(struct args *a, bool tail)
{
	unsigned int file;
	int fd = session_get(a, &file);
	uint64_t where = next_number(a), value = next_number(a);
	const uint64_t tails[] = { value, 0, 8, value & ~7ULL, 1, -8, 4096, value % 64 };
	struct pmctrack_ring_ctl *ctl = fd < 0 ? NULL : ctl_of(fd, value % nr_rings_of(fd));

	if (ctl) {
		/* This comes first, because another thread may be reading. */
		session_spoil(file);
		if (tail)
			__atomic_store_n(&ctl->tail, tails[where & 7] + (where & 7 ? ctl->head : 0), __ATOMIC_RELEASE);
		else
			__atomic_store_n((uint64_t *)ctl + where % (session_ctl_size() / 8), value, __ATOMIC_RELEASE);
		munmap(ctl, session_ctl_size());
	}
	if (fd >= 0)
		close(fd);
	return ctl ? OK : IDLE;
}

enum outcome op_tail(struct args *a)
{
	return spoil(a, true);
}

enum outcome op_scribble(struct args *a)
{
	return spoil(a, false);
}

static void consume(struct pmctrack_ring_ctl *ctl, int fd, unsigned int file, unsigned int ring)
{
	uint64_t size = ctl->data_size, head = __atomic_load_n(&ctl->head, __ATOMIC_ACQUIRE), tail = ctl->tail;
	uint8_t *data = mmap(NULL, size, PROT_READ, MAP_SHARED, fd,
			     (off_t)ring * PMCTRACK_MMAP_RING + PMCTRACK_MMAP_DATA);

	if (data == MAP_FAILED) {
		broken("%llu bytes of records cannot be mapped: %s", (unsigned long long)size, strerror(errno));
		return;
	}
	if (head - tail > size)
		broken("head %llu, tail %llu", (unsigned long long)head, (unsigned long long)tail);
	while (tail != head && head - tail <= size) {
		uint64_t at = tail & (size - 1), end = size - at < head - tail ? size - at : head - tail;

		check_records(data + at, end, file);
		tail += end;
	}
	__atomic_store_n(&ctl->tail, head, __ATOMIC_RELEASE);
	munmap(data, size);
}

enum outcome op_consume(struct args *a)
{
	unsigned int file;
	int fd = session_get(a, &file);
	unsigned int ring = fd < 0 ? 0 : (unsigned int)next_number(a) % nr_rings_of(fd);
	struct pmctrack_ring_ctl *ctl = fd < 0 ? NULL : ctl_of(fd, ring);
	bool clean = ctl && !session_spoilt(file);

	if (clean)
		consume(ctl, fd, file, ring);
	if (ctl)
		munmap(ctl, session_ctl_size());
	if (fd >= 0)
		close(fd);
	return clean ? OK : IDLE;
}
