// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A signal reaches one thread. A thread that is just about to enter the kernel does not notice it
 * there. So all threads are woken up again and again until the process has ended.
 */
#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <time.h>
#include <unistd.h>

#include "interrupt.h"
#include "program.h"

#define AGAIN_NS	5000000

static atomic_int joined[PROGRAM_THREADS];
static atomic_uint nr_joined;
static atomic_int came;
static timer_t again;

/* Everything here is safe in a signal handler. */
static void wake_all(int number)
{
	struct itimerspec period = { .it_value.tv_nsec = AGAIN_NS, .it_interval.tv_nsec = AGAIN_NS };
	unsigned int nr = atomic_load(&nr_joined);
	int err = errno;

	if (number != SIGALRM) {
		atomic_store(&came, number);
		timer_settime(again, 0, &period, NULL);
	}
	for (unsigned int i = 0; i < nr && i < PROGRAM_THREADS; i++) {
		if (atomic_load(&joined[i]))
			tgkill(getpid(), atomic_load(&joined[i]), SIGUSR1);
	}
	errno = err;
}

static void nothing(int number)
{
	(void)number;
}

/* The parent may have ignored the signal on purpose, as nohup does with another signal. */
static int catch_unless_ignored(int number, const struct sigaction *action)
{
	struct sigaction was;

	if (sigaction(number, NULL, &was))
		return -errno;
	if (was.sa_handler != SIG_IGN && sigaction(number, action, NULL))
		return -errno;
	return 0;
}

int interrupt_begin(void)
{
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGALRM };
	/* Calls that print results must be restarted. Calls of the device never are. */
	struct sigaction action = { .sa_handler = nothing, .sa_flags = SA_RESTART };

	if (timer_create(CLOCK_MONOTONIC, &event, &again) || sigaction(SIGUSR1, &action, NULL))
		return -errno;
	action.sa_handler = wake_all;
	sigaddset(&action.sa_mask, SIGALRM);
	sigaddset(&action.sa_mask, SIGINT);
	sigaddset(&action.sa_mask, SIGTERM);
	if (sigaction(SIGALRM, &action, NULL))
		return -errno;
	return catch_unless_ignored(SIGINT, &action) ?: catch_unless_ignored(SIGTERM, &action);
}

void interrupt_join(void)
{
	unsigned int mine = atomic_fetch_add(&nr_joined, 1);

	if (mine < PROGRAM_THREADS)
		atomic_store(&joined[mine], gettid());
}

bool interrupt_came(void)
{
	return atomic_load(&came);
}

void interrupt_end(void)
{
	int number = atomic_load(&came);

	if (!number)
		return;
	signal(number, SIG_DFL);
	raise(number);
}
