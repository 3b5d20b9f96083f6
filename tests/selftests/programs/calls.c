// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * calls N [watched|fork]: each of four threads calls unit() N times, which passes the mark
 * calls:unit. "watched": fails if nobody watches the mark. "fork": a forked process calls it, too.
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "mark.h"

/* How many watch the mark. The kernel counts them. */
volatile uint16_t calls_semaphore __attribute__((section(".probes"), used));

static unsigned long n;

__attribute__((noinline)) void unit(void);
void unit(void)
{
	MARK("calls", "unit", "calls_semaphore");
}

static void *work(void *arg)
{
	unsigned long i;

	for (i = 0; i < n; i++)
		unit();
	return arg;
}

int main(int argc, char *argv[])
{
	pthread_t thread[3];
	bool forks = argc > 2 && !strcmp(argv[2], "fork");
	pid_t child = -1;
	int i;

	if (argc > 2 && !forks && !calls_semaphore)
		return 3;
	n = argc > 1 ? strtoul(argv[1], NULL, 10) : 0;
	for (i = 0; i < 3; i++)
		if (pthread_create(&thread[i], NULL, work, NULL))
			return 1;
	if (forks && (child = fork()) < 0)
		return 1;
	work(NULL);
	if (!child)
		_exit(0);
	for (i = 0; i < 3; i++)
		pthread_join(thread[i], NULL);
	return !forks ? 0 : waitpid(child, &i, 0) == child ? i : 1;
}
