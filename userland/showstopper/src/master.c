// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cgroup.h"
#include "complain.h"
#include "ending.h"
#include "executor.h"
#include "master.h"
#include "observe.h"
#include "out.h"
#include "proc.h"
#include "signals.h"
#include "unit.h"
#include "view.h"

/* How often descendants that left their groups are looked for. */
#define STRAYS_PERIOD	(5 * NS_PER_S)
/* A target is out of reach if it is missed by so much, for so many periods, at full or no duty. */
#define REACH_ERROR	0.02
#define REACH_PERIODS	6
/* An executor that is late by so much, or a guardian that is silent for so long, is reported. */
#define NOTICE_PATIENCE	(5 * NS_PER_S)

struct master {
	const struct options *options;
	struct run *run;
	struct observer observer;
	pid_t guardian;
	int alive;
	int signals;
	int64_t strays_at;
	unsigned int out_of_reach;
	struct view view;
	bool warned_reach;
	bool warned_strays;
	bool warned_load;
	bool warned_iterations;
	bool warned_warden;
	bool warned_guardian;
	bool warned_stopped[RUN_MAX_UNITS];
	bool warned_late[RUN_MAX_UNITS];
	bool killing;
	int failed;
};

static const char *name_of(const struct master *m, uint32_t i)
{
	return ending_name(m->options, i);
}

static int start_executors(struct master *m, struct load *load)
{
	struct executor_job job = {
		.options = m->options, .run = m->run, .source = &load->source,
	};
	sigset_t none;
	int ends[2];

	if (pipe2(ends, O_CLOEXEC))
		return -errno;
	m->alive = ends[1];
	job.alive = ends[0];
	sigemptyset(&none);
	for (job.index = 0; job.index < m->run->nr; job.index++) {
		pid_t pid;

		m->run->master_at = run_now();
		job.argv = m->options->argv ? m->options->argv[job.index] : NULL;
		pid = fork();
		if (pid < 0)
			return -errno;
		if (!pid) {
			/* Only the master keeps this end open, so that executors see its death. */
			close(m->alive);
			sigprocmask(SIG_SETMASK, &none, NULL);
			executor_main(&job);
		}
		m->run->unit[job.index].executor = pid;
	}
	close(job.alive);
	return 0;
}

static uint32_t count(const struct run *run, enum unit_state state)
{
	uint32_t i, n = 0;

	for (i = 0; i < run->nr; i++)
		n += run->unit[i].state == (int)state;
	return n;
}

static void explain_failure(struct master *m, uint32_t i)
{
	const struct run_unit *u = &m->run->unit[i];
	const char *name = name_of(m, i);

	switch (u->kept_out ? 0 : u->error) {
	case -EPERM:
		complain("%s: not permitted to stop it: it runs as another user (set-uid?); run showstopper as root",
			 name);
		break;
	case -E2BIG:
		complain("%s: more than %d processes; put them into a control group and use --cgroup", name,
			 RUN_MAX_PROCS);
		break;
	case -ECHILD:
		complain("%s ends at once, with status %d: not started again", name,
			 WEXITSTATUS(u->status));
		break;
	default:
		complain("%s: %s%s%s", name, u->kept_out ? "cannot enter its control group: " : "",
			 strerror(-u->error), u->kept_out ? cgroup_remedy(u->error) : "");
	}
}

/* Reap executors that have ended; what they controlled runs on. */
static void reap(struct master *m)
{
	int status;
	pid_t pid;
	uint32_t i;

	while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
		for (i = 0; i < m->run->nr; i++) {
			struct run_unit *u = &m->run->unit[i];

			if (u->executor != pid)
				continue;
			u->executor = 0;
			unit_release(u);
			if (WIFSIGNALED(status) && !m->killing) {
				u->state = UNIT_FAILED;
				complain("the executor of %s was killed (signal %d): %s runs on, uncontrolled",
					 name_of(m, i), WTERMSIG(status), name_of(m, i));
			} else if (u->state == UNIT_FAILED) {
				explain_failure(m, i);
			}
			m->failed |= u->state == UNIT_FAILED;
		}
	}
}

static void warn_of_reach(struct master *m)
{
	const struct observation *x = &m->observer.latest;
	double error = x->target - x->load;
	bool low = error > REACH_ERROR && x->duty > 0.99;
	bool high = error < -REACH_ERROR && x->duty < 0.01;

	if (m->warned_reach || !m->options->control || !(low || high)) {
		m->out_of_reach = 0;
		return;
	}
	if (++m->out_of_reach < REACH_PERIODS)
		return;
	m->warned_reach = true;
	if (low)
		complain("a load of %.0f %% is out of reach: with nothing stopped it is %.1f %%; use more copies (-n), or programs with more threads",
			 100 * x->target, 100 * x->load);
	else
		complain("a load of %.0f %% is out of reach: with everything stopped it is %.1f %%; other programs keep the CPUs busy",
			 100 * x->target, 100 * x->load);
}

/* Report other processes that hang: what follows for programs, and what to do. */
static void tell_silence(struct master *m)
{
	struct run *run = m->run;
	bool hung = !run->paused && run->guardian_hung && run_is_silent(run->guardian_at, NOTICE_PATIENCE);
	uint32_t i;

	if (hung && !m->warned_guardian)
		complain("showstopper (process %d) %s: all programs run on, uncontrolled; continue it with kill -CONT %d",
			 run->guardian, proc_trouble(run->guardian), run->guardian);
	m->warned_guardian = hung;
	for (i = 0; i < run->nr && m->options->control && run->begin; i++) {
		const struct run_unit *u = &run->unit[i];

		hung = u->state == UNIT_RUNNING && u->executor &&
		       run_is_hung(u->executor, u->due, NOTICE_PATIENCE);
		if (hung && !m->warned_late[i])
			complain("the executor of %s (process %d) %s: %s runs on, uncontrolled; continue it with kill -CONT %d",
				 name_of(m, i), u->executor, proc_trouble(u->executor), name_of(m, i),
				 u->executor);
		m->warned_late[i] = hung;
	}
}

/* Report what executors cannot, because the screen is not theirs. */
static void tell_notices(struct master *m)
{
	struct run *run = m->run;
	uint32_t i;

	if (run->load_error && !m->warned_load)
		complain("cannot read the load: %s; duty cycles stay as they are", strerror(-run->load_error));
	m->warned_load |= run->load_error;
	if (run->iterations_error && !m->warned_iterations)
		complain("%s: %s: iterations are missing", m->options->iterations,
			 out_error(run->iterations_error));
	m->warned_iterations |= run->iterations_error;
	if (run->warden_error && !m->warned_warden)
		complain("the warden has ended, and a new one cannot be started: %s; should all of showstopper be killed now, use showstopper rescue",
			 strerror(-run->warden_error));
	m->warned_warden |= run->warden_error;
	tell_silence(m);
	for (i = 0; i < run->nr; i++) {
		if (run->unit[i].stopped_itself && !m->warned_stopped[i])
			complain("%s has stopped itself: it is continued", name_of(m, i));
		m->warned_stopped[i] |= run->unit[i].stopped_itself;
	}
}

static void show_status(struct master *m)
{
	const struct observation *x = &m->observer.latest;
	bool screen = isatty(2);

	/* Standard error is blocked, after Ctrl-S, or because nobody reads it. */
	if (!out_is_ready(2))
		return;
	if (m->view.on) {
		view_draw(&m->view, &m->observer, m->run, m->options);
		return;
	}
	if (m->options->quiet || !(screen || m->options->view))
		return;
	fprintf(stderr, "%s%7.1f s  target %5.1f %%  load %5.1f %%  duty %5.1f %%  running %u  iterations %llu%s",
		screen ? "\r" : "", (double)x->at / NS_PER_S, 100 * x->target, 100 * x->load, 100 * x->duty, x->running,
		(unsigned long long)x->iterations, screen ? " \033[K" : "\n");
}

static void tick(struct master *m)
{
	int err = observer_take(&m->observer, m->run, &m->options->trace);

	if (err && !m->failed)
		complain("cannot observe the load, or log it: %s", strerror(-err));
	m->failed |= err;
	tell_notices(m);
	show_status(m);
	warn_of_reach(m);
	if (run_now() - m->strays_at < STRAYS_PERIOD)
		return;
	m->strays_at = run_now();
	if (unit_find_strays(m->run) && !m->warned_strays) {
		m->warned_strays = true;
		complain("a program has more than %d processes outside of its group: some are not controlled; use --freezer",
			 RUN_MAX_PROCS);
	}
}

static bool is_over(const struct master *m)
{
	int64_t deadline = m->run->deadline;

	return (deadline && run_now() >= deadline) || count(m->run, UNIT_ENDED) + count(m->run, UNIT_FAILED) == m->run->nr;
}

/* Wait until @until, at most RUN_BEAT. Returns the signal that ends the run, 0: none yet. */
static int next_signal(struct master *m, int64_t until)
{
	struct pollfd fd = { .fd = m->signals, .events = POLLIN };
	int64_t left = until - run_now();
	struct signalfd_siginfo info;

	/* The guardian resets this only when it has heard from the master. */
	m->observer.paused |= m->run->master_hung;
	m->run->master_at = run_now();
	if (left > RUN_BEAT)
		left = RUN_BEAT;
	if (poll(&fd, 1, left > 0 ? (int)(left / NS_PER_MS) + 1 : 0) <= 0 ||
	    read(m->signals, &info, sizeof(info)) != sizeof(info))
		return 0;
	if (info.ssi_signo != SIGCHLD)
		return info.ssi_signo;
	reap(m);
	return 0;
}

/* Wait until all programs are there (at most 5 s), because the trace begins then. */
static int wait_for_start(struct master *m)
{
	int64_t until = run_now() + 5 * NS_PER_S;
	int sig = 0;

	while (!sig && count(m->run, UNIT_NEW) && run_now() < until)
		sig = next_signal(m, run_now() + 20 * NS_PER_MS);
	reap(m);
	return sig;
}

static int exit_status(const struct master *m, int sig)
{
	int status = m->run->unit[0].status;

	if (sig)
		return 128 + sig;
	if (m->failed)
		return 1;
	/* With one program, showstopper ends with the program's status. */
	if (m->run->nr != 1 || m->options->restart || !m->options->argv ||
	    m->run->unit[0].state != UNIT_ENDED)
		return 0;
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/* Executors that hang are not waited for: they and their programs are killed. */
static void kill_rest(struct master *m)
{
	uint32_t i;

	m->killing = true;
	for (i = 0; i < m->run->nr; i++) {
		if (!m->run->unit[i].executor)
			continue;
		ending_kill(m->options, m->run, i);
		m->failed = 1;
	}
}

/* End all programs, and then their executors. Another signal does not interrupt that. */
static void end_run(struct master *m)
{
	const struct timespec moment = { 0, 5 * NS_PER_MS };
	int64_t until = run_now() + ENDING_PATIENCE;
	siginfo_t info;

	/* Processes that left their groups end with the others. */
	unit_find_strays(m->run);
	m->run->end = 1;
	close(m->alive);
	ending_wake(m->run);
	for (;;) {
		m->run->master_at = run_now();
		reap(m);
		if (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) && errno == ECHILD)
			return;
		if (!m->killing && run_now() > until)
			kill_rest(m);
		/* An executor that hangs in the kernel, or in a debugger, may stay. */
		if (run_now() > until + NS_PER_S)
			return;
		nanosleep(&moment, NULL);
	}
}

/* Without a guardian, stop nothing and end nothing. */
static _Noreturn void give_up(struct master *m)
{
	const struct timespec moment = { 0, 200 * NS_PER_MS };
	uint32_t i;
	int round;

	m->run->paused = 1;
	close(m->alive);
	for (round = 0; round < 2; round++) {
		for (i = 0; i < m->run->nr; i++)
			unit_continue(&m->run->unit[i]);
		nanosleep(&moment, NULL);
	}
	complain("the guardian has died: all programs run on, uncontrolled");
	_exit(1);
}

_Noreturn void master_main(const struct options *o, struct run *run, struct load *load)
{
	struct master m = { .options = o, .run = run, .guardian = run->guardian };
	int64_t next, length = options_length(o);
	sigset_t set;
	int err, sig;

	prctl(PR_SET_PDEATHSIG, SIGTERM);
	signals_that_end(&set);
	/* SIGTERM tells of the guardian's death. */
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGCHLD);
	sigprocmask(SIG_SETMASK, &set, NULL);
	m.signals = signalfd(-1, &set, SFD_CLOEXEC);
	err = m.signals < 0 ? -errno : start_executors(&m, load);
	if (err) {
		complain("cannot start the executors: %s", strerror(-err));
		end_run(&m);
		_exit(1);
	}
	sig = wait_for_start(&m);
	err = observer_open(&m.observer, load, o->log, o->log_fd);
	if (err) {
		complain("cannot observe the load: %s", strerror(-err));
		m.failed = 1;
	}
	run->begin = run_now();
	run->deadline = length ? run->begin + length : 0;
	next = run->begin;
	if (o->view && !o->quiet && !m.failed && !sig)
		view_open(&m.view);
	while (!sig && !m.failed && !is_over(&m)) {
		next += OBSERVE_PERIOD;
		/* After a pause of this process, or of the machine. */
		if (next < run_now())
			next = run_now() + OBSERVE_PERIOD;
		while (!sig && run_now() < next && !is_over(&m)) {
			sig = next_signal(&m, next);
			sig = sig ?: view_key(&m.view);
		}
		if (run_now() >= next)
			tick(&m);
	}
	view_close(&m.view);
	if (getppid() != m.guardian)
		give_up(&m);
	end_run(&m);
	tell_notices(&m);
	if (!o->quiet && !o->view && isatty(2))
		fputc('\n', stderr);
	err = observer_close(&m.observer);
	if (err) {
		complain("%s: %s", o->log, out_error(err));
		m.failed = 1;
	}
	if (!o->quiet && !o->json)
		observer_summary(&m.observer);
	err = o->json ? observer_write_summary(&m.observer, run, o->json_fd) : 0;
	if (err) {
		complain("%s: %s", o->json, out_error(err));
		m.failed = 1;
	}
	_exit(exit_status(&m, sig));
}
