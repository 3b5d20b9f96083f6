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
#include "proc.h"
#include "signals.h"
#include "unit.h"
#include "warden.h"

/* A warden that is silent for longer is replaced: it may be hung in a debugger. */
#define WARDEN_PATIENCE	(2 * NS_PER_S)

/* True if a signal that ends the run waits for the guardian, or if the run's time is over. */
static bool is_needed(const struct run *run, const sigset_t *ending)
{
	uint64_t pending;
	int sig;

	if (run->deadline && run_now() > run->deadline + RUN_SILENCE)
		return true;
	pending = proc_pending(run->guardian);
	for (sig = 1; sig < 32; sig++) {
		if ((pending >> (sig - 1) & 1) && sigismember(ending, sig))
			return true;
	}
	return false;
}

/* Continue a guardian that is stopped, if the run is to end. */
static void wake_guardian(const struct run *run, const sigset_t *ending)
{
	if (getppid() == run->guardian && run_is_silent(run->guardian_at, RUN_SILENCE) &&
	    is_needed(run, ending))
		kill(run->guardian, SIGCONT);
}

static void nothing(int sig)
{
	(void)sig;
}

/*
 * If the warden is stopped (SIGSTOP), its timer continues it: the kernel sends SIGCONT unless the
 * timer is set anew before.
 */
static bool make_unstoppable(timer_t *timer)
{
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGCONT };
	sigset_t all;

	signal(SIGCONT, nothing);
	sigfillset(&all);
	sigdelset(&all, SIGCONT);
	sigprocmask(SIG_SETMASK, &all, NULL);
	return !timer_create(CLOCK_MONOTONIC, &event, timer);
}

/*
 * The other end of the warden's pipe is closed with the last of guardian, master and executors. No
 * stop can follow then, and a continuation also cancels stops on their way.
 */
static _Noreturn void warden_main(struct run *run, int alive)
{
	struct pollfd end = { .fd = 0, .events = POLLIN };
	const struct itimerspec soon = { .it_value = { 0, 2 * RUN_BEAT } };
	int64_t before = run->own_warden;
	bool unstoppable;
	sigset_t ending;
	timer_t timer;

	/* Signals of a terminal or a shell, or by showstopper's name, must not reach the warden. */
	setsid();
	unstoppable = make_unstoppable(&timer);
	signals_that_end(&ending);
	prctl(PR_SET_NAME, "warden");
	if (dup2(alive, end.fd) < 0)
		_exit(1);
	/* A reader of showstopper's output must not wait for the warden. */
	closefrom(1);
	guardian_be_tough();
	do {
		run->warden_at = run_now();
		if (unstoppable)
			timer_settime(timer, 0, &soon, NULL);
		if (getppid() == run->guardian && run_is_hung(run->guardian, run->guardian_at, RUN_SILENCE))
			run->guardian_hung = true;
		guardian_continue_overdue(run);
		wake_guardian(run, &ending);
		run->own_warden = before + run_own_time();
		poll(&end, 1, GUARDIAN_PERIOD / NS_PER_MS);
	} while (!(end.revents & POLLHUP));
	guardian_continue_all(run);
	_exit(0);
}

static int start(struct warden *w, struct run *run)
{
	run->warden_at = run_now();
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
	if (w->pid && run_is_hung(w->pid, run->warden_at, WARDEN_PATIENCE))
		kill(w->pid, SIGKILL);
	if (w->pid && waitpid(w->pid, NULL, WNOHANG) != w->pid)
		return;
	w->pid = 0;
	run->warden_error = start(w, run);
}

void warden_close(struct warden *w, const struct run *run)
{
	const struct timespec moment = { 0, NS_PER_MS };
	int i;

	close(w->ends[1]);
	/* The warden ends soon, unless an executor hangs. */
	for (i = 0; i < 100 && w->pid && waitpid(w->pid, NULL, WNOHANG) != w->pid; i++)
		nanosleep(&moment, NULL);
	if (i == 100 && run_is_hung(w->pid, run->warden_at, RUN_SILENCE))
		kill(w->pid, SIGKILL);
}
