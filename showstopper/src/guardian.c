// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "complain.h"
#include "guardian.h"
#include "master.h"
#include "signals.h"
#include "unit.h"
#include "view.h"
#include "warden.h"

void guardian_continue_all(struct run *run)
{
	uint32_t i;

	for (i = 0; i < run->nr; i++) {
		if (run->unit[i].stopped)
			unit_continue(&run->unit[i]);
	}
}

void guardian_continue_overdue(struct run *run)
{
	int64_t now = run_now();
	uint32_t i;

	for (i = 0; i < run->nr; i++) {
		struct run_unit *u = &run->unit[i];

		if (u->stopped && now - u->due > RUN_PATIENCE)
			unit_continue(u);
	}
}

/* Ctrl-Z: all run while we are stopped ourselves. */
static void pause_run(struct run *run)
{
	const struct timespec moment = { 0, 2 * RUN_MOST_QUANTUM / 5 };
	sigset_t tstp;
	int i;

	run->paused = 1;
	/* Executors see it at their next turn; meanwhile one may stop its unit once more. */
	for (i = 0; i < 3; i++) {
		guardian_continue_all(run);
		nanosleep(&moment, NULL);
	}
	guardian_continue_all(run);
	/* The kernel stops us, unless nobody is there who could continue us. */
	sigemptyset(&tstp);
	sigaddset(&tstp, SIGTSTP);
	raise(SIGTSTP);
	sigprocmask(SIG_UNBLOCK, &tstp, NULL);
	sigprocmask(SIG_BLOCK, &tstp, NULL);
	run->paused = 0;
}

static void set_oom_score(const char *score)
{
	int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);

	if (fd >= 0) {
		if (write(fd, score, strlen(score)) < 0)
			errno = 0;	/* only root may */
		close(fd);
	}
}

void guardian_be_tough(void)
{
	set_oom_score("-1000");
	mlockall(MCL_CURRENT | MCL_FUTURE);
}

void guardian_be_ordinary(void)
{
	set_oom_score("0");
}

static int watch(struct run *run, struct warden *warden, pid_t master, const sigset_t *set)
{
	const struct timespec period = { 0, GUARDIAN_PERIOD };
	int status, sig;
	pid_t pid;

	for (;;) {
		sig = sigtimedwait(set, NULL, &period);
		if (sig == SIGTSTP)
			pause_run(run);
		else if (sig > 0 && sig != SIGCHLD)
			kill(master, sig);
		guardian_continue_overdue(run);
		warden_keep(warden, run);
		run->own = run_own_time();
		/* Only the master: programs that come to us as orphans keep their numbers. */
		pid = waitpid(master, &status, WNOHANG);
		if (pid == master)
			return status;
		if (pid < 0)
			return SIGKILL;	/* somebody else has seen its end */
	}
}

int guardian_run(const struct options *o, struct run *run, struct load *load)
{
	const struct timespec moment = { 0, 200 * NS_PER_MS };
	struct warden warden;
	sigset_t set;
	pid_t master;
	int status, err;

	signals_that_end(&set);
	if (signals_may_pause())
		sigaddset(&set, SIGTSTP);
	sigaddset(&set, SIGCHLD);
	sigprocmask(SIG_BLOCK, &set, NULL);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	if (o->view)
		view_save();
	err = warden_open(&warden, run);
	master = err ? -1 : fork();
	if (master < 0) {
		complain("cannot start: %s", strerror(err ? -err : errno));
		return 1;
	}
	if (!master) {
		/* Ctrl-Z is the guardian's business. */
		signal(SIGTSTP, SIG_IGN);
		master_main(o, run, load);
	}
	guardian_be_tough();
	status = watch(run, &warden, master, &set);
	guardian_continue_all(run);
	if (WIFEXITED(status) && (run->end || WEXITSTATUS(status) != 0)) {
		warden_close(&warden);
		return WEXITSTATUS(status);
	}
	/* The executors see that it is gone; what they did in the meantime is undone. */
	nanosleep(&moment, NULL);
	guardian_continue_all(run);
	if (WIFSIGNALED(status) && o->view)
		view_restore();
	if (WIFSIGNALED(status))
		complain("the master was killed (signal %d): all programs run on, uncontrolled",
			 WTERMSIG(status));
	return 1;
}
