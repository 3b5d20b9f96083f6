// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * rings misuse | rings many N | rings forked | rings passed PID: what a reader can do to the
 * rings of its session.
 *
 * misuse: map what does not exist, write where one may not, spoil the tail of one ring and
 * read the others. many: N sessions at once, each with a ring for each CPU. forked: the
 * child of a fork uses the session of its parent. passed: a child alone has the session
 * that counts the instructions of a process, and reads them by read(); prints their sum.
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <pmctrack/libpmctrack.h>

static unsigned int failures;

static void expect(int ok, const char *what)
{
	if (ok)
		return;
	printf("wrong: %s (%s)\n", what, strerror(errno));
	failures++;
}

static struct pmctrack_session *open_session(struct pmctrack_ctl *ctl, struct pmctrack_evset *set,
					     uint32_t ring_size)
{
	/* A session for running processes, of which there are none yet. */
	struct pmctrack_session_opts opts = {
		.sz = sizeof(opts), .flags = PMCTRACK_SESSION_ATTACH, .ring_size = ring_size,
	};
	struct pmctrack_session *s = pmctrack_session__open(ctl, &set, 1, &opts);

	if (!s) {
		fprintf(stderr, "rings: %s\n", pmctrack_error());
		exit(1);
	}
	return s;
}

static size_t ctl_size(void)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	return (sizeof(struct pmctrack_ring_ctl) + page - 1) / page * page;
}

static struct pmctrack_ring_ctl *map_ctl(int fd, unsigned int ring)
{
	return mmap(NULL, ctl_size(), PROT_READ | PROT_WRITE, MAP_SHARED, fd,
		    (off_t)ring * PMCTRACK_MMAP_RING);
}

static void refused(int fd, size_t size, int prot, off_t offset, int err, const char *what)
{
	errno = 0;
	expect(mmap(NULL, size, prot, MAP_SHARED, fd, offset) == MAP_FAILED && errno == err, what);
}

static void misuse(struct pmctrack_ctl *ctl, struct pmctrack_evset *set)
{
	struct pmctrack_session *s = open_session(ctl, set, 4096);
	int fd = pmctrack_session__fd(s);
	struct pmctrack_ring_ctl *first = map_ctl(fd, 0), *last;
	char record[4096];
	unsigned int nr;

	expect(first != MAP_FAILED, "the first ring can be mapped");
	nr = first->nr_rings;
	expect(nr == (unsigned int)sysconf(_SC_NPROCESSORS_CONF), "there is a ring for each CPU");
	expect(first->data_size == 4096, "the size that was asked for");
	last = map_ctl(fd, nr - 1);
	expect(last != MAP_FAILED, "the last ring can be mapped");
	expect(last->abi == PMCTRACK_ABI_VERSION, "its control page is one");
	refused(fd, ctl_size(), PROT_READ, (off_t)nr * PMCTRACK_MMAP_RING, EINVAL, "no ring behind the last");
	refused(fd, ctl_size(), PROT_READ, PMCTRACK_MMAP_RING - PMCTRACK_MMAP_DATA, EINVAL, "nothing in between");
	refused(fd, 2 * 4096, PROT_READ, PMCTRACK_MMAP_RING + PMCTRACK_MMAP_DATA, EINVAL, "no more than the data");
	refused(fd, 4096, PROT_READ | PROT_WRITE, PMCTRACK_MMAP_DATA, EPERM, "records are not written");

	/* No thread is monitored, so this is the end of the file. */
	expect(read(fd, record, sizeof(record)) == 0, "an empty session reads as its end");
	__atomic_store_n(&last->tail, 1, __ATOMIC_RELEASE);
	expect(read(fd, record, sizeof(record)) < 0 && errno == EIO, "a spoilt tail is an error of read()");
	__atomic_store_n(&last->tail, 0, __ATOMIC_RELEASE);
	expect(read(fd, record, sizeof(record)) == 0, "a mended one is not");
	munmap(first, ctl_size());
	munmap(last, ctl_size());
	pmctrack_session__close(s);
}

static void many(struct pmctrack_ctl *ctl, struct pmctrack_evset *set, unsigned int nr)
{
	struct pmctrack_session **s = calloc(nr, sizeof(*s));

	for (unsigned int i = 0; s && i < nr; i++)
		s[i] = open_session(ctl, set, 4096);
	for (unsigned int i = 0; s && i < nr; i++)
		pmctrack_session__close(s[i]);
	expect(s != NULL, "memory");
	free(s);
}

/* The child has no mappings of the session: what it maps there stays when it closes the session. */
static void in_child(struct pmctrack_session *s, size_t size)
{
	const struct pmctrack_record *rec;
	struct pmctrack_session_stats stats = { .sz = sizeof(stats) };
	char *mine = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	memset(mine, 1, size);
	expect(pmctrack_session__next(s, &rec) == -ESRCH, "records are the parent's");
	pmctrack_session__stats(s, &stats);
	expect(stats.threads == 0 && stats.lost == 0, "nothing is known of the threads");
	pmctrack_session__close(s);
	expect(mine[0] == 1 && mine[size - 1] == 1, "the child has its own memory");
	_exit(failures != 0);
}

static void forked(struct pmctrack_ctl *ctl, struct pmctrack_evset *set)
{
	struct pmctrack_session *s = open_session(ctl, set, 65536);
	size_t all = (ctl_size() + 65536) * (size_t)sysconf(_SC_NPROCESSORS_CONF);
	const struct pmctrack_record *rec;
	pid_t child = fork();
	int status;

	if (child == 0)
		in_child(s, all);
	expect(waitpid(child, &status, 0) == child && status == 0, "the child lives");
	expect(pmctrack_session__next(s, &rec) == 0, "the parent has its session");
	pmctrack_session__close(s);
}

/* Read until all threads have ended. Returns the sum of their counts. */
static uint64_t read_sum(int fd)
{
	char buf[4096] __attribute__((aligned(8)));
	struct pollfd p = { .fd = fd, .events = POLLIN };
	uint64_t sum = 0;
	ssize_t n;

	while (poll(&p, 1, -1) > 0) {
		n = read(fd, buf, sizeof(buf));
		if (n <= 0)
			break;
		for (ssize_t at = 0; at < n;) {
			const struct pmctrack_record *rec = (const void *)(buf + at);

			if (rec->kind != PMCTRACK_RECORD_PAD && rec->nr_counts)
				sum += rec->counts[0];
			at += rec->size;
		}
	}
	expect(n == 0, "read() ends with the threads");
	return sum;
}

static void passed(struct pmctrack_ctl *ctl, pid_t pid)
{
	struct pmctrack_evset *set = pmctrack_evset__parse(ctl, 0, "instr");
	struct pmctrack_session_opts opts = {
		.sz = sizeof(opts), .flags = PMCTRACK_SESSION_ATTACH, .ring_size = 4096,
		.period_ns = 4000000, .processes = &pid, .nr_processes = 1,
	};
	struct pmctrack_session *s = set ? pmctrack_session__open(ctl, &set, 1, &opts) : NULL;
	int ready[2], fd;
	pid_t child;

	if (!s || pipe(ready)) {
		fprintf(stderr, "rings: %s\n", pmctrack_error());
		exit(1);
	}
	fd = pmctrack_session__fd(s);
	child = fork();
	if (child == 0) {
		char byte;

		close(ready[1]);
		/* The pipe ends when the parent has closed the session. */
		expect(read(ready[0], &byte, 1) == 0, "the parent tells");
		printf("attached\n");
		fflush(stdout);
		printf("sum %llu\n", (unsigned long long)read_sum(fd));
		fflush(stdout);
		_exit(failures != 0);
	}
	pmctrack_session__close(s);
	close(ready[0]);
	close(ready[1]);
	expect(waitpid(child, &fd, 0) == child && fd == 0, "the child has read all");
	pmctrack_evset__free(set);
}

int main(int argc, char **argv)
{
	struct pmctrack_ctl *ctl = pmctrack_ctl__open();
	struct pmctrack_evset *set = ctl ? pmctrack_evset__parse(ctl, 0, "cycles") : NULL;

	if (!set) {
		fprintf(stderr, "rings: %s\n", pmctrack_error());
		return 1;
	}
	if (argc > 2 && strcmp(argv[1], "passed") == 0)
		passed(ctl, (pid_t)atoi(argv[2]));
	else if (argc > 1 && strcmp(argv[1], "forked") == 0)
		forked(ctl, set);
	else if (argc > 2)
		many(ctl, set, (unsigned int)atoi(argv[2]));
	else
		misuse(ctl, set);
	pmctrack_evset__free(set);
	pmctrack_ctl__close(ctl);
	return failures != 0;
}
