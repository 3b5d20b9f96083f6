// SPDX-License-Identifier: LGPL-2.1-or-later
/* Sessions: start and stop by ioctl, records from the mapped ring. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "internal.h"
#include "user_read.h"

struct pmctrack_session {
	int fd;
	uint64_t period_ns;
	struct pmctrack_ring_ctl *ring;
	const char *data;
	uint64_t size;
	uint64_t tail;
	uint64_t taken;		/* where the record handed out last ends */
	uint32_t left_out;	/* threads that were created faster than attached */
	pid_t owner;		/* thread that may read its counters; 0: none */
	uint32_t counters;	/* of its set */
};

/* The control pages in bytes. */
static size_t ctl_size(void)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	return (sizeof(struct pmctrack_ring_ctl) + page - 1) / page * page;
}

static int map(struct pmctrack_session *s)
{
	void *p;

	p = mmap(NULL, ctl_size(), PROT_READ | PROT_WRITE, MAP_SHARED, s->fd, 0);
	if (p == MAP_FAILED)
		return fail(errno, "cannot map the session's control page: %s", strerror(errno));
	s->ring = p;
	s->size = s->ring->data_size;
	p = mmap(NULL, s->size, PROT_READ, MAP_SHARED, s->fd, PMCTRACK_MMAP_DATA);
	if (p == MAP_FAILED)
		return fail(errno, "cannot map the session's records: %s", strerror(errno));
	s->data = p;
	return 0;
}

/* Without a signal's end of it, this takes as long as @pid has threads. */
static int attach(struct pmctrack_session *s, pid_t pid)
{
	struct pmctrack_attach a = { .pid = pid };
	int err;

	if (!ioctl(s->fd, PMCTRACK_IOC_ATTACH, &a)) {
		s->left_out += a.left_out;
		return 0;
	}
	err = errno;
	return fail(err, "%s", a.message[0] ? a.message : strerror(err));
}

static int open_cgroup(const struct pmctrack_session_opts *opts, struct session_request *req)
{
	if (!opts->cgroup)
		return 0;
	req->cgroup = open(opts->cgroup, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return req->cgroup < 0 ? fail(errno, "cgroup %s: %s", opts->cgroup, strerror(errno)) : 0;
}

struct pmctrack_session *pmctrack_session__open(const struct pmctrack_ctl *ctl,
						struct pmctrack_evset *const *sets,
						unsigned int nr_sets,
						const struct pmctrack_session_opts *user)
{
	struct pmctrack_session_opts opts = { .sz = sizeof(opts) };
	struct session_request req = { .opts = &opts, .sets = sets, .nr_sets = nr_sets,
				       .cgroup = -1, .fd = -1 };
	struct pmctrack_session *s;
	int err;

	for (unsigned int i = 0; i < nr_sets; i++) {
		if (!sets[i])
			return NULL;
	}
	if (!ctl)
		return NULL;
	s = calloc(1, sizeof(*s));
	if (!s)
		return fail_null(ENOMEM, "no memory");
	if (user)
		memcpy(&opts, user, user->sz < sizeof(opts) ? user->sz : sizeof(opts));
	if (opts.nr_processes)
		opts.flags |= PMCTRACK_SESSION_ATTACH;
	err = open_cgroup(&opts, &req);
	if (!err)
		err = module_session_new(ctl, &req);
	if (req.cgroup >= 0)
		close(req.cgroup);
	if (!err) {
		s->fd = req.fd;
		s->period_ns = req.period_ns;
		err = map(s);
	} else {
		s->fd = -1;
	}
	for (unsigned int i = 0; !err && i < opts.nr_processes; i++)
		err = attach(s, opts.processes[i]);
	if (err) {
		pmctrack_session__close(s);
		errno = -err;
		return NULL;
	}
	if (opts.flags & PMCTRACK_SESSION_USER_READ) {
		s->owner = this_thread();
		for (unsigned int i = 0; i < pmctrack_evset__nr(sets[0]); i++)
			s->counters |= 1u << pmctrack_evset__counter(sets[0], i);
	}
	return s;
}

static int count_failed(const struct pmctrack_session *s, unsigned int counter)
{
	if (!s->owner)
		return fail(EOPNOTSUPP, "this session was not opened for reads of counters");
	if (s->owner != this_thread())
		return fail(ESRCH, "this session was opened by another thread; open one in each thread");
	if (counter >= PMCTRACK_MAX_COUNTERS || !(s->counters >> counter & 1))
		return fail(EINVAL, "pmc%u is not counted in this session", counter);
	return fail(EOPNOTSUPP, "this architecture has no reads of counters in user mode");
}

int pmctrack_session__count(const struct pmctrack_session *s, unsigned int counter, uint64_t *value)
{
	const struct pmctrack_user_read *page = &s->ring->user_read;
	uint64_t reg;
	uint32_t seq;

	if (s->owner != this_thread() || counter >= PMCTRACK_MAX_COUNTERS)
		return count_failed(s, counter);
	/* What changes the page interrupts this thread: the order of the program will do. */
	do {
		seq = __atomic_load_n(&page->seq, __ATOMIC_RELAXED);
		__atomic_signal_fence(__ATOMIC_SEQ_CST);
		reg = 0;
		if (page->counters >> counter & 1 ? user_read_counter(counter, &reg)
						  : !(s->counters >> counter & 1))
			return count_failed(s, counter);
		reg += page->offset[counter];
		__atomic_signal_fence(__ATOMIC_SEQ_CST);
	} while (__atomic_load_n(&page->seq, __ATOMIC_RELAXED) != seq);
	*value = reg;
	return 0;
}

void pmctrack_session__close(struct pmctrack_session *s)
{
	if (!s)
		return;
	if (s->data)
		munmap((void *)s->data, s->size);
	if (s->ring)
		munmap(s->ring, ctl_size());
	if (s->fd >= 0)
		close(s->fd);
	free(s);
}

int pmctrack_session__fd(const struct pmctrack_session *s)
{
	return s->fd;
}

uint64_t pmctrack_session__period_ns(const struct pmctrack_session *s)
{
	return s->period_ns;
}

static int ended(void)
{
	return fail(ESHUTDOWN, "an administrator ended this session: sessions without CAP_PERFMON are not allowed here any more (unprivileged= in /proc/pmc/config)");
}

static bool is_revoked(const struct pmctrack_session *s)
{
	return __atomic_load_n(&s->ring->ended, __ATOMIC_RELAXED) == PMCTRACK_ENDED_REVOKED;
}

static int ioctl_failed(const char *state)
{
	if (errno == ESHUTDOWN)
		return ended();
	if (errno == EALREADY)
		return fail(EALREADY, "the calling thread is %s already", state);
	if (errno == ESRCH)
		return fail(ESRCH, "this session was opened for another thread (open one in each thread), or somebody with CAP_PERFMON monitors this one now");
	return fail(errno, "the pmctrack kernel module: %s", strerror(errno));
}

int pmctrack_session__start(struct pmctrack_session *s)
{
	return ioctl(s->fd, PMCTRACK_IOC_START) ? ioctl_failed("counting") : 0;
}

int pmctrack_session__stop(struct pmctrack_session *s)
{
	return ioctl(s->fd, PMCTRACK_IOC_STOP) ? ioctl_failed("stopped") : 0;
}

int pmctrack_session__detach(struct pmctrack_session *s)
{
	if (!ioctl(s->fd, PMCTRACK_IOC_DETACH))
		return 0;
	if (errno == ENOTTY)
		return fail(ENOTTY, "this session was opened neither for running processes nor for CPUs");
	return fail(errno, "the pmctrack kernel module: %s", strerror(errno));
}

int pmctrack_session__next(struct pmctrack_session *s, const struct pmctrack_record **rec)
{
	const struct pmctrack_record *r;
	uint64_t head;

	/* The record handed out before is done with. */
	s->tail = s->taken;
	__atomic_store_n(&s->ring->tail, s->tail, __ATOMIC_RELEASE);
	head = __atomic_load_n(&s->ring->head, __ATOMIC_ACQUIRE);
	while (s->tail != head) {
		r = (const struct pmctrack_record *)(s->data + (s->tail & (s->size - 1)));
		if (r->kind != PMCTRACK_RECORD_PAD) {
			s->taken = s->tail + r->size;
			*rec = r;
			return 1;
		}
		s->tail += r->size;
		s->taken = s->tail;
	}
	return 0;
}

int pmctrack_session__wait(struct pmctrack_session *s, int timeout_ms)
{
	struct pollfd p = { .fd = s->fd, .events = POLLIN };
	int n;

	/* poll() sees the record that next() handed out last as unread. */
	s->tail = s->taken;
	__atomic_store_n(&s->ring->tail, s->tail, __ATOMIC_RELEASE);
	n = poll(&p, 1, timeout_ms);
	if (n < 0)
		return fail(errno, "poll: %s", strerror(errno));
	if (n == 0)
		return 0;
	if (p.revents & POLLIN)
		return 1;
	if (is_revoked(s))
		return ended();
	return fail(ENODATA, "no thread is being monitored any more");
}

void pmctrack_session__stats(const struct pmctrack_session *s, struct pmctrack_session_stats *stats)
{
	struct pmctrack_session_stats all = { .sz = stats->sz };

	all.threads = __atomic_load_n(&s->ring->threads, __ATOMIC_RELAXED);
	all.skipped_threads = __atomic_load_n(&s->ring->skipped_threads, __ATOMIC_RELAXED);
	all.lost = __atomic_load_n(&s->ring->lost, __ATOMIC_RELAXED);
	all.left_out_threads = s->left_out;
	all.revoked = is_revoked(s);
	memcpy(stats, &all, stats->sz < sizeof(all) ? stats->sz : sizeof(all));
}

uint64_t pmctrack_session__lost_count_of(const struct pmctrack_session *s, unsigned int core_type,
					 unsigned int set, unsigned int counter)
{
	if (core_type >= PMCTRACK_MAX_CORE_TYPES || set >= PMCTRACK_MAX_SETS ||
	    counter >= PMCTRACK_MAX_COUNTERS)
		return 0;
	return __atomic_load_n(&s->ring->lost_counts[core_type][set][counter], __ATOMIC_RELAXED);
}

uint64_t pmctrack_session__lost_count(const struct pmctrack_session *s, unsigned int set,
				      unsigned int counter)
{
	uint64_t sum = 0;

	for (unsigned int type = 0; type < PMCTRACK_MAX_CORE_TYPES; type++)
		sum += pmctrack_session__lost_count_of(s, type, set, counter);
	return sum;
}
