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
#include "ending.h"
#include "guardian.h"
#include "master.h"
#include "proc.h"
#include "signals.h"
#include "unit.h"
#include "view.h"
#include "warden.h"

/* How long a silent master may take to begin with the end of the run, ns. */
#define OBEY_PATIENCE	(2 * NS_PER_S)
/* Shorter silences are not worth a message. */
#define NOTICE_PATIENCE	(3 * NS_PER_S)

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
	bool attended = run_is_attended(run);
	int64_t now = run_now();
	uint32_t i;

	for (i = 0; i < run->nr; i++) {
		struct run_unit *u = &run->unit[i];

		if (u->stopped && (!attended || now - u->due > RUN_PATIENCE))
			unit_continue(u);
	}
}

/* Ctrl-Z: all programs run while the guardian is stopped itself. */
static void pause_run(struct run *run)
{
	const struct timespec moment = { 0, 2 * RUN_MOST_QUANTUM / 5 };
	sigset_t tstp;
	int i;

	run->paused = 1;
	/* Executors see it at their next turn; until then one may stop its unit once more. */
	for (i = 0; i < 3; i++) {
		guardian_continue_all(run);
		nanosleep(&moment, NULL);
	}
	guardian_continue_all(run);
	/* The kernel stops this process, unless no process is there that could continue it. */
	sigemptyset(&tstp);
	sigaddset(&tstp, SIGTSTP);
	raise(SIGTSTP);
	sigprocmask(SIG_UNBLOCK, &tstp, NULL);
	sigprocmask(SIG_BLOCK, &tstp, NULL);
	run->guardian_at = run_now();
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

/**
 * struct watch - what the guardian knows of the master
 * @o: of the run
 * @run: shared
 * @master: its process
 * @sig: signal that ends the run, 0: none yet
 * @asked: the master was asked to end the run
 * @hung: for how many turns of the guardian it has been hung
 * @ignored: how many of these were after it was asked
 * @told: its silence has been reported
 */
struct watch {
	const struct options *o;
	struct run *run;
	pid_t master;
	int sig;
	bool asked;
	unsigned int hung, ignored;
	bool told;
};

/*
 * Patience is counted in turns, which take at least RUN_BEAT: a machine that is too slow for the
 * guardian is also too slow for the master.
 */
static void look_at_master(struct watch *w)
{
	bool hung = run_is_hung(w->master, w->run->master_at, RUN_SILENCE);

	w->run->master_hung = hung;
	w->hung = hung ? w->hung + 1 : 0;
	w->ignored = hung && w->asked ? w->ignored + 1 : 0;
}

/* Ask the master to end the run, and continue it for that if it is stopped. */
static void ask_to_end(struct watch *w, int sig)
{
	if (sig)
		kill(w->master, sig);
	w->sig = w->sig ?: sig;
	w->asked = true;
	kill(w->master, SIGCONT);
}

/* Returns true if the run has to be ended without the master. */
static bool is_ignored(struct watch *w)
{
	const struct run *run = w->run;

	/* Without a signal, the master may take its time for the summary. */
	if (!w->hung)
		w->asked = w->sig;
	else if (!run->end && run->deadline && run_now() > run->deadline)
		ask_to_end(w, 0);
	return w->ignored > OBEY_PATIENCE / RUN_BEAT;
}

/* Report each silence that people may notice once, and its end. */
static void tell_silence(struct watch *w)
{
	bool hung = w->hung > NOTICE_PATIENCE / RUN_BEAT;

	if (w->run->end || hung == w->told || (!hung && w->hung))
		return;
	w->told = hung;
	if (hung)
		complain("the master (process %d) %s: all programs run on, uncontrolled; continue it with kill -CONT %d, or end the run with Ctrl-C or SIGTERM",
			 w->master, proc_trouble(w->master), w->master);
	else
		complain("the master answers again: programs are controlled");
}

/* Returns a status as of waitpid(). */
static int end_without_master(const struct watch *w)
{
	if (w->o->view)
		view_restore();
	complain("the master (process %d) %s, and does not end the run: it is killed, and the run is ended without a summary",
		 w->master, proc_trouble(w->master));
	ending_without_master(w->o, w->run, w->master);
	return W_EXITCODE(w->sig ? 128 + w->sig : 1, 0);
}

static int watch(struct watch *w, struct warden *warden, const sigset_t *set)
{
	const struct timespec period = { 0, GUARDIAN_PERIOD };
	int status, sig;
	pid_t pid;

	for (;;) {
		w->run->guardian_at = run_now();
		w->run->guardian_hung = false;
		sig = sigtimedwait(set, NULL, &period);
		if (sig == SIGTSTP)
			pause_run(w->run);
		else if (sig > 0 && sig != SIGCHLD)
			ask_to_end(w, sig);
		look_at_master(w);
		guardian_continue_overdue(w->run);
		warden_keep(warden, w->run);
		w->run->own = run_own_time();
		/* Reap only the master: programs that are adopted as orphans keep their numbers. */
		pid = waitpid(w->master, &status, WNOHANG);
		if (pid == w->master)
			return status;
		if (pid < 0)
			return SIGKILL;	/* somebody else has seen its end */
		if (is_ignored(w))
			return end_without_master(w);
		tell_silence(w);
	}
}

int guardian_run(const struct options *o, struct run *run, struct load *load)
{
	const struct timespec moment = { 0, 200 * NS_PER_MS };
	int64_t length = options_length(o);
	struct watch w = { .o = o, .run = run };
	struct warden warden;
	sigset_t set;
	int status, err;

	signals_that_end(&set);
	if (signals_may_pause())
		sigaddset(&set, SIGTSTP);
	sigaddset(&set, SIGCHLD);
	sigprocmask(SIG_BLOCK, &set, NULL);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	if (o->view)
		view_save();
	run->deadline = length ? run_now() + length : 0;
	err = warden_open(&warden, run);
	w.master = err ? -1 : fork();
	if (w.master < 0) {
		complain("cannot start: %s", strerror(err ? -err : errno));
		return 1;
	}
	if (!w.master) {
		/* The guardian handles Ctrl-Z. */
		signal(SIGTSTP, SIG_IGN);
		master_main(o, run, load);
	}
	guardian_be_tough();
	status = watch(&w, &warden, &set);
	guardian_continue_all(run);
	if (WIFEXITED(status) && (run->end || WEXITSTATUS(status) != 0)) {
		warden_close(&warden, run);
		return WEXITSTATUS(status);
	}
	/* The executors see that the master is gone; what they stopped meanwhile is continued. */
	nanosleep(&moment, NULL);
	guardian_continue_all(run);
	if (WIFSIGNALED(status) && o->view)
		view_restore();
	if (WIFSIGNALED(status))
		complain("the master was killed (signal %d): all programs run on, uncontrolled",
			 WTERMSIG(status));
	return 1;
}
