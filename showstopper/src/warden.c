// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "guardian.h"
#include "unit.h"
#include "warden.h"

/*
 * The other end of its pipe is closed with the last of guardian, master and executors:
 * no stop can follow then, and a continuation also recalls stops on their way.
 */
static _Noreturn void warden_main(struct run *run, int alive)
{
	struct pollfd end = { .fd = 0, .events = POLLIN };
	int64_t before = run->own_warden;
	sigset_t all;

	/* Not in what a terminal or a shell signals, and not by our name. */
	setsid();
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	prctl(PR_SET_NAME, "warden");
	if (dup2(alive, end.fd) < 0)
		_exit(1);
	/* Whoever reads our output must not wait for the warden. */
	closefrom(1);
	guardian_be_tough();
	do {
		guardian_continue_overdue(run);
		run->own_warden = before + run_own_time();
		poll(&end, 1, GUARDIAN_PERIOD / NS_PER_MS);
	} while (!(end.revents & POLLHUP));
	guardian_continue_all(run);
	_exit(0);
}

static int start(struct warden *w, struct run *run)
{
	w->pid = fork();
	if (!w->pid)
		warden_main(run, w->ends[0]);
	if (w->pid > 0)
		return 0;
	w->pid = 0;
	return -errno;
}

int warden_open(struct warden *w, struct run *run)
{
	return pipe2(w->ends, O_CLOEXEC) ? -errno : start(w, run);
}

void warden_keep(struct warden *w, struct run *run)
{
	if (w->pid && waitpid(w->pid, NULL, WNOHANG) != w->pid)
		return;
	w->pid = 0;
	run->warden_error = start(w, run);
}

void warden_close(struct warden *w)
{
	const struct timespec moment = { 0, NS_PER_MS };
	int i;

	close(w->ends[1]);
	/* Soon, but for an executor that hangs. */
	for (i = 0; i < 100 && w->pid && waitpid(w->pid, NULL, WNOHANG) != w->pid; i++)
		nanosleep(&moment, NULL);
}
