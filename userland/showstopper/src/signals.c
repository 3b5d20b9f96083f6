// SPDX-License-Identifier: GPL-2.0-or-later
#include <stddef.h>
#include <sys/prctl.h>

#include "signals.h"

static const int ours[] = {
	SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGTTOU, SIGPIPE, SIGCHLD, SIGTTIN, SIGNALS_TIMER,
};
static sigset_t ignored, mask;
static int slack;

/* A handler, so that the signal interrupts a system call. */
static void interrupt(int sig)
{
	(void)sig;
}

void signals_begin(void)
{
	const struct sigaction timer = { .sa_handler = interrupt };
	struct sigaction old;
	sigset_t unblocked;
	size_t i;

	sigemptyset(&ignored);
	sigprocmask(SIG_SETMASK, NULL, &mask);
	slack = prctl(PR_GET_TIMERSLACK);
	for (i = 0; i < sizeof(ours) / sizeof(*ours); i++) {
		if (!sigaction(ours[i], NULL, &old) && old.sa_handler == SIG_IGN)
			sigaddset(&ignored, ours[i]);
	}
	sigemptyset(&unblocked);
	sigaddset(&unblocked, SIGNALS_TIMER);
	sigaction(SIGNALS_TIMER, &timer, NULL);
	sigprocmask(SIG_UNBLOCK, &unblocked, NULL);
	/* Children must not vanish before they are looked at; a reader of output may. */
	signal(SIGCHLD, SIG_DFL);
	signal(SIGPIPE, SIG_IGN);
	/* Programs are in the background and write to the terminal, like showstopper. */
	signal(SIGTTOU, SIG_IGN);
	/* A read in the background fails, and stops no process of showstopper. */
	signal(SIGTTIN, SIG_IGN);
}

void signals_that_end(sigset_t *set)
{
	size_t i;

	sigemptyset(set);
	for (i = 0; i < 4; i++) {
		if (!sigismember(&ignored, ours[i]))
			sigaddset(set, ours[i]);
	}
}

int signals_may_pause(void)
{
	return !sigismember(&ignored, SIGTSTP);
}

void signals_restore(void)
{
	size_t i;

	for (i = 0; i < sizeof(ours) / sizeof(*ours); i++)
		signal(ours[i], sigismember(&ignored, ours[i]) ? SIG_IGN : SIG_DFL);
	sigprocmask(SIG_SETMASK, &mask, NULL);
	prctl(PR_SET_TIMERSLACK, slack);
}
