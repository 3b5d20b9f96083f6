// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cgroup.h"
#include "executor.h"
#include "iterations.h"
#include "proc.h"
#include "signals.h"
#include "unit.h"

/* How long a program may take to end when it is asked to. */
#define GRACE		(2 * NS_PER_S)
/* How long an executor waits for what it has killed, ns. With GRACE, less than ENDING_PATIENCE. */
#define KILLED		(3 * NS_PER_S / 2)
/* How often an executor looks what became of the program's processes. */
#define LOOK_PERIOD	(250 * NS_PER_MS)
/* For how long the members found in a tree are taken for all of its members. */
#define TREE_AGE	NS_PER_S

struct executor {
	const struct executor_job *job;
	struct run *run;
	struct run_unit *unit;
	struct cycle cycle;
	pid_t child;
	int pidfd;
	pid_t root;
	uint64_t root_start;
	int64_t tree_at;
	int64_t looked_at;
};

/* Called in the child. Does not return; a failure is told through the pipe @told. */
static void exec_program(const struct executor_job *job, int told)
{
	struct run_unit *u = &job->run->unit[job->index];
	const char *cgroup = u->kind == UNIT_FREEZER ? u->path : job->options->cgroup;
	int err, null;

	setpgid(0, 0);
	signals_restore();
	/*
	 * If guardian, master and executor die at once, the kernel continues the first process by
	 * this, and the group, which is orphaned then, by SIGHUP and SIGCONT.
	 */
	prctl(PR_SET_PDEATHSIG, SIGCONT);
	signal(SIGHUP, SIG_IGN);
	/* Reading from a terminal would stop the program, because it is in the background. */
	null = open("/dev/null", O_RDWR | O_CLOEXEC);
	if (null >= 0 && isatty(0))
		dup2(null, 0);
	if (job->options->view && isatty(1) && null >= 0)
		dup2(null, 1);
	if (job->options->view && isatty(2) && null >= 0)
		dup2(null, 2);
	err = cgroup ? cgroup_enter(cgroup) : 0;
	u->kept_out = err;
	if (!err && job->options->pinned && sched_setaffinity(0, sizeof(cpu_set_t), &job->options->cpus))
		err = -errno;
	if (!err) {
		execvp(job->argv[0], job->argv);
		err = -errno;
	}
	if (write(told, &err, sizeof(err)) != sizeof(err))
		_exit(126);
	_exit(127);
}

/* Returns 0 or a negative errno, also that of exec. */
static int start_program(struct executor *e)
{
	int told[2], err = 0;
	struct proc p;

	if (pipe2(told, O_CLOEXEC))
		return -errno;
	e->child = fork();
	if (!e->child)
		exec_program(e->job, told[1]);
	close(told[1]);
	if (e->child < 0) {
		close(told[0]);
		return -errno;
	}
	/* Parent and child both do this, because either may come first. */
	setpgid(e->child, e->child);
	if (!proc_read(e->child, &p))
		e->unit->group_start = p.start;
	e->unit->group = e->child;
	if (read(told[0], &err, sizeof(err)) != sizeof(err))
		err = 0;
	close(told[0]);
	e->pidfd = syscall(SYS_pidfd_open, e->child, 0);
	if (!err && e->pidfd < 0)
		err = -errno;
	return err;
}

/* Wait until nothing is left of the group, at most until @until (monotonic ns). */
static void await_rest(struct executor *e, pid_t group, int64_t until)
{
	const struct timespec moment = { 0, 20 * NS_PER_MS };

	for (;;) {
		/* Orphans are children of this process, and zombies are still in the group. */
		while (waitpid(-1, NULL, WNOHANG) > 0)
			;
		if ((kill(-group, 0) && !unit_is_alive(e->unit)) || run_now() >= until)
			return;
		nanosleep(&moment, NULL);
	}
}

/*
 * End what is left of a program that has ended. Its processes were asked first; those that are left
 * at @until are killed. Members of its group keep that number from being used again. On a busy
 * machine killed processes take a while to disappear, and a process that waits for showstopper may
 * rely on their end.
 */
static void end_rest(struct executor *e, pid_t group, int64_t until)
{
	await_rest(e, group, until);
	kill(-group, SIGKILL);
	unit_signal(e->unit, SIGKILL);
	await_rest(e, group, run_now() + KILLED);
}

/* End the program, or reap it if it has ended. What is left of its group is ended, too. */
static void reap_program(struct executor *e)
{
	struct pollfd end = { .fd = e->pidfd, .events = POLLIN };
	int64_t until = run_now() + GRACE;
	int status;

	unit_release(e->unit);
	unit_signal(e->unit, SIGTERM);
	if (poll(&end, 1, GRACE / NS_PER_MS) <= 0)
		unit_signal(e->unit, SIGKILL);
	e->unit->group = 0;
	if (waitpid(e->child, &status, 0) == e->child)
		e->unit->status = status;
	close(e->pidfd);
	e->pidfd = -1;
	end_rest(e, e->child, until);
	e->child = 0;
}

/*
 * Sleep until @until (monotonic ns). Returns false if the run is over. Sets *@ended to true, and
 * returns at once, if the program has ended.
 */
static bool wait_until(struct executor *e, int64_t until, bool *ended)
{
	struct pollfd fds[2] = {
		{ .fd = e->job->alive, .events = POLLIN },
		{ .fd = e->pidfd, .events = POLLIN },
	};
	int64_t left;

	*ended = false;
	while ((left = until - run_now()) > 0) {
		struct timespec t = { left / NS_PER_S, left % NS_PER_S };

		if (ppoll(fds, 2, &t, NULL) < 0 && errno != EINTR)
			return false;
		if (fds[0].revents)
			return false;
		if (fds[1].revents) {
			*ended = true;
			return true;
		}
	}
	return !e->run->end;
}

static int find_tree(struct executor *e)
{
	const struct run_unit *u = e->unit;
	int64_t now = run_now();

	if (u->kind != UNIT_TREE || now - e->tree_at < TREE_AGE)
		return 0;
	e->tree_at = now;
	return unit_find_tree(e->unit, e->root, e->root_start, e->run->guardian);
}

/* Stop the unit, with processes that are forked while their parents are being stopped. */
static int stop(struct executor *e)
{
	bool look = e->unit->kind == UNIT_TREE && run_now() - e->tree_at >= TREE_AGE;
	int before, err = unit_stop(e->unit);

	while (!err && look) {
		before = e->unit->nr_procs;
		e->tree_at = 0;
		err = find_tree(e);
		if (err || e->unit->nr_procs == before)
			break;
		err = unit_stop(e->unit);
	}
	return err;
}

/*
 * Reap orphans that this process adopted. A program that has stopped itself is continued, because
 * it could not be told from one that showstopper forgot.
 */
static void look_after(struct executor *e)
{
	int64_t now = run_now();
	siginfo_t info = {};

	if (now - e->looked_at < LOOK_PERIOD)
		return;
	e->unit->own = run_own_time();
	/* A program that showstopper has stopped does nothing, and will soon run. */
	if (e->unit->stopped && e->unit->duty > 0)
		return;
	e->looked_at = now;
	while (!waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) && info.si_pid &&
	       info.si_pid != e->child)
		waitpid(info.si_pid, NULL, 0);
	info.si_pid = 0;
	if (!e->child || e->unit->stopped || waitid(P_PID, e->child, &info, WSTOPPED | WNOHANG) ||
	    !info.si_pid)
		return;
	unit_signal(e->unit, SIGCONT);
	e->unit->stopped_itself = true;
}

/* Do what cycle_next() said, unless nothing may be stopped now. */
static int apply(struct executor *e)
{
	bool run = e->cycle.run || !run_is_attended(e->run);

	if (run)
		return e->unit->stopped ? unit_release(e->unit) : 0;
	return stop(e);
}

static void fail(struct executor *e, int err)
{
	e->unit->error = err;
	e->unit->state = UNIT_FAILED;
}

/* Control the program until it or the run ends. Returns false if the executor is to end. */
static bool control(struct executor *e)
{
	int64_t now = run_now(), begin = e->run->begin;
	bool ended;
	int err;

	while (!begin || !e->job->options->control) {
		look_after(e);
		if (!wait_until(e, run_now() + 50 * NS_PER_MS, &ended))
			return false;
		if (ended)
			return true;
		begin = e->run->begin;
	}
	e->cycle.begin = begin;
	if (!wait_until(e, begin + cycle_phase(e->cycle.self, e->cycle.nr, e->cycle.tau), &ended))
		return false;
	while (!ended) {
		look_after(e);
		now = run_now();
		e->unit->due = now + cycle_next(&e->cycle, now, &err);
		e->unit->duty = e->cycle.duty;
		if (err)
			e->run->load_error = err;
		err = apply(e);
		if (err == -ESRCH)
			return true;
		if (err) {
			unit_release(e->unit);
			fail(e, err);
			return false;
		}
		if (!wait_until(e, e->unit->due, &ended))
			return false;
	}
	return true;
}

/*
 * The run is over: programs that showstopper has started are ended, others run on. If the master
 * has died, all run on, because it could not say that their end is wanted.
 */
static void finish(struct executor *e)
{
	unit_release(e->unit);
	if (e->child && e->run->end)
		reap_program(e);
}

static int begin(struct executor *e)
{
	return e->job->argv ? start_program(e) : 0;
}

/* Log a program that has ended, unless the trace has not begun. */
static void log_iteration(struct executor *e, int64_t began, int64_t ended, int status)
{
	int64_t begin = e->run->begin;
	int err;

	if (e->job->options->iterations_fd < 0 || !begin)
		return;
	err = iterations_add(e->job->options->iterations_fd, e->job->index, e->job->argv[0], began - begin,
			     ended - begin, status);
	if (err)
		e->run->iterations_error = err;
}

/* Account for the program's end. Returns true if it begins again. */
static bool account_end(struct executor *e, int64_t began)
{
	int64_t ended = run_now();
	int status;

	if (!e->child) {
		e->unit->state = UNIT_ENDED;
		return false;
	}
	reap_program(e);
	status = e->unit->status;
	log_iteration(e, began, ended, status);
	if (WIFEXITED(status) && !WEXITSTATUS(status))
		e->unit->iterations++;
	if (!e->job->options->restart || e->run->end) {
		e->unit->state = UNIT_ENDED;
		return false;
	}
	/* Starting it again would be nothing but starts. */
	if (status && run_now() - began < 100 * NS_PER_MS) {
		fail(e, -ECHILD);
		return false;
	}
	return true;
}

_Noreturn void executor_main(const struct executor_job *job)
{
	const struct sigaction quiet = { .sa_handler = SIG_DFL, .sa_flags = SA_NOCLDSTOP };
	const struct options *o = job->options;
	struct executor e = {
		.job = job, .run = job->run, .unit = &job->run->unit[job->index], .pidfd = -1,
		.cycle = {
			.trace = &o->trace, .feedback = { &job->run->estimate, job->source, o->delta },
			.space = o->space, .tau = o->tau, .kappa = o->kappa,
			.outputs = job->run->outputs, .self = job->index, .nr = job->run->nr,
			.run = true,
		},
	};
	bool goes_on = true;
	int64_t began;
	int err;

	/* Orphans of the program stay below this process, where they are found. */
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	prctl(PR_SET_TIMERSLACK, 1);
	/* Stopping or continuing the program need not wake this process. */
	sigaction(SIGCHLD, &quiet, NULL);
	/* The master says when the run is over. */
	signal(SIGINT, SIG_IGN);
	signal(SIGTERM, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	signal(SIGQUIT, SIG_IGN);
	e.root = e.unit->proc[0].pid;
	e.root_start = e.unit->proc[0].start;
	control_init(&e.cycle.control, o->method, job->source->nr_cpus);
	e.unit->executor = getpid();
	while (goes_on) {
		began = run_now();
		err = begin(&e);
		if (err) {
			fail(&e, err);
			break;
		}
		e.unit->state = UNIT_RUNNING;
		goes_on = control(&e) && account_end(&e, began);
	}
	finish(&e);
	job->run->outputs[job->index] = -1;
	_exit(e.unit->state == UNIT_FAILED);
}
