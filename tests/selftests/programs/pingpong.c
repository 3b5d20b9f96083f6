// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * pingpong [stopped]: two processes on one CPU pass a byte to and fro. Prints
 * the time of one switch in nanoseconds: with a fixed icount, that is guest
 * instructions. Median over batches, so that ticks do not count. "stopped":
 * wait for SIGCONT first.
 */
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "timing.h"

#define ROUND_TRIPS	64
#define WARM_UP		20
#define BATCHES		100

int main(int argc, char *argv[] __attribute__((unused)))
{
	static long long took[BATCHES];
	int there[2], back[2];
	cpu_set_t cpu;
	char c = 0;

	CPU_ZERO(&cpu);
	CPU_SET(0, &cpu);
	if (sched_setaffinity(0, sizeof(cpu), &cpu) || pipe(there) || pipe(back)) {
		perror("pingpong");
		return 1;
	}
	if (fork() == 0) {
		close(there[1]);
		while (read(there[0], &c, 1) == 1 && write(back[1], &c, 1) == 1)
			;
		return 0;
	}
	if (argc > 1)
		raise(SIGSTOP);
	for (int b = -WARM_UP; b < BATCHES; b++) {
		long long start = now();

		for (int i = 0; i < ROUND_TRIPS; i++) {
			if (write(there[1], &c, 1) != 1 || read(back[0], &c, 1) != 1)
				return 1;
		}
		if (b >= 0)
			took[b] = now() - start;
	}
	close(there[1]);
	wait(NULL);
	printf("switch %.2f\n", (double)median(took, BATCHES) / (2 * ROUND_TRIPS));
	return 0;
}
