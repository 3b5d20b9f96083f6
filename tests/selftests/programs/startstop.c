// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * startstop pmctrack|perf|perf-read: the cost of counting around an empty region with four
 * counters, in nanoseconds (guest instructions with a fixed icount). pmctrack: a start and stop of
 * the library. perf: enable and disable of a group's leader, which take its siblings along.
 * perf-read: a read() of the leader.
 *
 * A batch is timed at once, because the guest's clock ticks only every 16 ns. The median batch has
 * no tick in it.
 */
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <pmctrack/libpmctrack.h>

#include "timing.h"

#define BATCHES	21
#define REGIONS	100	/* of a batch; their records fit into the ring */

static long long took[BATCHES];

/* The same region takes the same number of instructions. */
static int check_records(struct pmctrack_session *s)
{
	const struct pmctrack_record *rec;
	uint64_t first = 0;

	for (int i = 0; i < REGIONS; i++) {
		if (pmctrack_session__next(s, &rec) != 1) {
			fputs("startstop: no record\n", stderr);
			return 1;
		}
		/* The first region has work of the dynamic linker in it. */
		if (i == 1)
			first = rec->counts[1];
		if (i > 1 && rec->counts[1] != first) {
			fprintf(stderr, "startstop: region %d has %llu instructions, not %llu\n", i,
				(unsigned long long)rec->counts[1], (unsigned long long)first);
			return 1;
		}
	}
	return 0;
}

static int with_pmctrack(void)
{
	struct pmctrack_ctl *ctl = pmctrack_ctl__open();
	struct pmctrack_evset *set;
	struct pmctrack_session *s;
	int ret = 0;

	set = ctl ? pmctrack_evset__parse(ctl, 0, "instr,cycles,stall_frontend,stall_backend") : NULL;
	s = set ? pmctrack_session__open(ctl, &set, 1, NULL) : NULL;
	if (!s) {
		fprintf(stderr, "startstop: %s\n", pmctrack_error());
		return 1;
	}
	for (int b = 0; b < BATCHES && !ret; b++) {
		long long start = now();

		for (int i = 0; i < REGIONS; i++) {
			pmctrack_session__start(s);
			pmctrack_session__stop(s);
		}
		took[b] = now() - start;
		ret = check_records(s);
	}
	pmctrack_session__close(s);
	pmctrack_evset__free(set);
	pmctrack_ctl__close(ctl);
	return ret;
}

static int with_perf(int read_only)
{
	static const unsigned long long events[] = { 0x08, 0x11, 0x23, 0x24 };
	struct perf_event_attr attr;
	unsigned long long value;
	int leader = -1;

	memset(&attr, 0, sizeof(attr));
	attr.size = sizeof(attr);
	attr.type = PERF_TYPE_RAW;
	attr.exclude_kernel = 1;
	attr.disabled = 1;
	for (int i = 0; i < 4; i++) {
		int fd;

		attr.config = events[i];
		fd = syscall(SYS_perf_event_open, &attr, 0, -1, leader, 0);
		if (fd < 0) {
			perror("startstop: perf_event_open");
			return 1;
		}
		if (leader < 0)
			leader = fd;
		attr.disabled = 0;
	}
	if (read_only)
		ioctl(leader, PERF_EVENT_IOC_ENABLE, 0);
	for (int b = 0; b < BATCHES; b++) {
		long long start = now();

		for (int i = 0; i < REGIONS; i++) {
			if (read_only) {
				if (read(leader, &value, sizeof(value)) != sizeof(value))
					return 1;
				continue;
			}
			ioctl(leader, PERF_EVENT_IOC_ENABLE, 0);
			ioctl(leader, PERF_EVENT_IOC_DISABLE, 0);
		}
		took[b] = now() - start;
	}
	return 0;
}

int main(int argc, char **argv)
{
	int ret;

	if (argc != 2)
		return 2;
	ret = strncmp(argv[1], "perf", 4) ? with_pmctrack() : with_perf(argv[1][4] != '\0');
	if (!ret)
		printf("%lld\n", median(took, BATCHES) / REGIONS);
	return ret;
}
