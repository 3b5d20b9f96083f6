// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * rings misuse | rings many N: what a reader can do to the rings of its session.
 *
 * misuse: map what does not exist, write where one may not, spoil the tail of one ring and
 * read the others. many: N sessions at once, each with a ring for each CPU.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
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

	/* No thread is monitored: the end of the file. */
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

int main(int argc, char **argv)
{
	struct pmctrack_ctl *ctl = pmctrack_ctl__open();
	struct pmctrack_evset *set = ctl ? pmctrack_evset__parse(ctl, 0, "cycles") : NULL;

	if (!set) {
		fprintf(stderr, "rings: %s\n", pmctrack_error());
		return 1;
	}
	if (argc > 2)
		many(ctl, set, (unsigned int)atoi(argv[2]));
	else
		misuse(ctl, set);
	pmctrack_evset__free(set);
	pmctrack_ctl__close(ctl);
	return failures != 0;
}
