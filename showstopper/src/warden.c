// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "guardian.h"
#include "unit.h"
#include "warden.h"

/*
 * The other end of @alive is closed with the last of guardian, master and executors:
 * no stop can follow then, and a continuation also recalls stops on their way.
 */
static _Noreturn void warden_main(struct run *run, int alive)
{
	struct pollfd end = { .fd = 0, .events = POLLIN };
	sigset_t all;

	/* Not in what a terminal or a shell signals, and not by our name. */
	setsid();
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	prctl(PR_SET_NAME, "warden");
	/* Whoever reads our output must not wait for the warden. */
	if (dup2(alive, end.fd) < 0 || close_range(1, ~0U, 0))
		_exit(1);
	guardian_be_tough();
	while (!poll(&end, 1, GUARDIAN_PERIOD / NS_PER_MS)) {
		guardian_continue_overdue(run);
		run->own_warden = run_own_time();
	}
	guardian_continue_all(run);
	_exit(0);
}

int warden_start(struct run *run)
{
	int ends[2];
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC))
		return -errno;
	pid = fork();
	if (!pid)
		warden_main(run, ends[0]);
	close(ends[0]);
	return pid < 0 ? -errno : 0;
}
