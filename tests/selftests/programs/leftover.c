// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Leave perf a software event whose group leader was a hardware event, print a line, and then sleep
 * and wake until killed. At each context switch, perf then manages the PMU of the counters, and
 * counts nothing there.
 */
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

static int open_event(unsigned int type, unsigned long config, int leader)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = type,
		.config = config,
	};
	int fd = syscall(SYS_perf_event_open, &attr, 0, -1, leader, 0);

	if (fd < 0) {
		perror("perf_event_open");
		exit(1);
	}
	return fd;
}

int main(void)
{
	int leader = open_event(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, -1);

	open_event(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, leader);
	close(leader);
	puts("left over");
	fflush(stdout);
	for (;;)
		usleep(1000);
}
