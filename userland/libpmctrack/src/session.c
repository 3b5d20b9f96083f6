// SPDX-License-Identifier: LGPL-2.1-or-later
/* Sessions: start and stop by ioctl, records from the mapped rings. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "internal.h"
#include "rings.h"
#include "user_read.h"

struct pmctrack_session {
	int fd;
	uint64_t period_ns;
	struct rings rings;
	uint32_t ring_size;
	uint32_t ring_wanted;
	uint32_t left_out;	/* threads that could not be attached */
	pid_t owner;		/* thread that may read its counters in user mode; 0: none */
	uint32_t counters;	/* mask of the counters that @owner may read */
};

/* The more threads @pid has, the longer this takes. A signal ends it (EINTR). */
int pmctrack_session__attach(struct pmctrack_session *s, pid_t pid)
{
	struct pmctrack_attach a = { .pid = pid };
	int err;

	if (!ioctl(s->fd, PMCTRACK_IOC_ATTACH, &a)) {
		s->left_out += a.left_out;
		return 0;
	}
	err = errno;
	if (err == ENOTTY)
		return fail(ENOTTY, "this session was not opened for running processes");
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
		s->ring_size = req.ring_size;
		s->ring_wanted = req.ring_wanted;
		err = rings_map(&s->rings, s->fd);
	} else {
		s->fd = -1;
	}
	for (unsigned int i = 0; !err && i < opts.nr_processes; i++)
		err = pmctrack_session__attach(s, opts.processes[i]);
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
	const struct pmctrack_user_read *page = &rings_first(&s->rings)->user_read;
	uint64_t reg;
	uint32_t seq;

	if (s->owner != this_thread() || counter >= PMCTRACK_MAX_COUNTERS)
		return count_failed(s, counter);
	/* The page changes only while this thread is interrupted, so program order is enough. */
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
	rings_unmap(&s->rings);
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
	return rings_here(&s->rings) &&
	       __atomic_load_n(&rings_first(&s->rings)->ended, __ATOMIC_RELAXED) == PMCTRACK_ENDED_REVOKED;
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
	*rec = rings_next(&s->rings);
	if (!*rec && !rings_here(&s->rings))
		return fail(ESRCH, "this session was opened before a fork(): only the parent can read its records");
	return *rec ? 1 : 0;
}

int pmctrack_session__wait(struct pmctrack_session *s, int timeout_ms)
{
	struct pollfd p = { .fd = s->fd, .events = POLLIN };
	int n;

	/* Consume the record that next() returned last; otherwise poll() takes it for unread. */
	rings_done(&s->rings);
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
	const struct pmctrack_ring_ctl *ctl = rings_first(&s->rings);

	if (rings_here(&s->rings)) {
		all.threads = __atomic_load_n(&ctl->threads, __ATOMIC_RELAXED);
		all.skipped_threads = __atomic_load_n(&ctl->skipped_threads, __ATOMIC_RELAXED);
	}
	all.lost = rings_lost(&s->rings);
	all.left_out_threads = s->left_out;
	all.revoked = is_revoked(s);
	all.ring_size = s->ring_size;
	all.ring_wanted = s->ring_wanted;
	memcpy(stats, &all, stats->sz < sizeof(all) ? stats->sz : sizeof(all));
}

uint64_t pmctrack_session__lost_count_of(const struct pmctrack_session *s, unsigned int core_type,
					 unsigned int set, unsigned int counter)
{
	if (core_type >= PMCTRACK_MAX_CORE_TYPES || set >= PMCTRACK_MAX_SETS ||
	    counter >= PMCTRACK_MAX_COUNTERS)
		return 0;
	return rings_lost_count(&s->rings, core_type, set, counter);
}

uint64_t pmctrack_session__lost_count(const struct pmctrack_session *s, unsigned int set,
				      unsigned int counter)
{
	uint64_t sum = 0;

	for (unsigned int type = 0; type < PMCTRACK_MAX_CORE_TYPES; type++)
		sum += pmctrack_session__lost_count_of(s, type, set, counter);
	return sum;
}
