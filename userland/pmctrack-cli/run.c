// SPDX-License-Identifier: GPL-2.0-or-later
/* Monitor a program from its exec to its end, or running processes or CPUs for a while. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "child.h"
#include "complain.h"
#include "exit_status.h"
#include "file.h"
#include "losses.h"
#include "metric.h"
#include "monotonic.h"
#include "options.h"
#include "output.h"
#include "run.h"
#include "sets.h"

/* Time from SIGTERM to SIGKILL if -n or -N ends the program. */
#define KILL_AFTER_S	2
/* Records between two checks for signals and timers: some milliseconds of printing. */
#define RECORDS_AT_ONCE 4096

struct monitor {
	const struct options *o;
	struct sets sets;
	struct metrics metrics;
	struct pmctrack_session *session;
	struct output output;
	struct child child;
	int timer;		/* for -N, then for the time until SIGKILL */
	bool ending;		/* the program was told to end, or its processes were detached */
	bool nobody;		/* without a program: nothing is monitored any more */
	double start_s;
};

static void arm(int timer, double seconds)
{
	long long ns = (long long)(seconds * 1e9) + 1;
	struct itimerspec t = { .it_value = { ns / 1000000000, ns % 1000000000 } };

	timerfd_settime(timer, 0, &t, NULL);
}

/*
 * End the monitoring. A program that pmctrack runs gets SIGTERM, and SIGKILL when the
 * timer expires. Running processes are only detached.
 */
static void end_program(struct monitor *m)
{
	if (m->ending || m->child.over)
		return;
	m->ending = true;
	if (!m->o->argv) {
		pmctrack_session__detach(m->session);
		return;
	}
	kill(m->child.pid, SIGTERM);
	arm(m->timer, KILL_AFTER_S);
}

static void take_record(struct monitor *m, const struct pmctrack_record *rec)
{
	if (m->o->max_samples && m->output.totals.nr >= m->o->max_samples) {
		m->output.totals.missed[MISSED_SURPLUS]++;
		return;
	}
	output_row(&m->output, rec);
	if (m->output.totals.nr == m->o->max_samples)
		end_program(m);
}

/*
 * Take some records. Returns true if there may be more. The number is limited, because many
 * CPUs can write faster than one thread prints, and signals and timers must still be seen.
 */
static bool take_records(struct monitor *m)
{
	const struct pmctrack_record *rec;
	unsigned int n = 0;

	while (n < RECORDS_AT_ONCE && pmctrack_session__next(m->session, &rec) > 0) {
		take_record(m, rec);
		n++;
	}
	output_flush(&m->output);
	return n == RECORDS_AT_ONCE;
}

/* End the monitoring if the counts cannot be written, unless pmctrack runs a program. */
static void end_in_vain(struct monitor *m)
{
	if (m->output.error && !m->o->argv)
		end_program(m);
}

static void on_timer(struct monitor *m)
{
	uint64_t expirations;

	if (read(m->timer, &expirations, sizeof(expirations)) < 0)
		return;
	if (!m->ending)
		end_program(m);
	else if (!m->child.over)
		kill(m->child.pid, SIGKILL);
}

static void monitor_loop(struct monitor *m)
{
	struct pollfd fds[4] = {
		{ .fd = m->child.signals, .events = POLLIN },
		{ .fd = m->timer, .events = POLLIN },
		{ .fd = pmctrack_session__fd(m->session), .events = POLLIN },
		/* POLLERR: the output is a pipe without a reader. */
		{ .fd = output_fd(&m->output) },
	};

	bool more = false;

	while (!m->child.over && !m->nobody) {
		if (poll(fds, 4, more ? 0 : -1) < 0 && errno != EINTR)
			break;
		if (fds[0].revents && child_take_signals(&m->child))
			end_program(m);
		if (fds[1].revents)
			on_timer(m);
		more = take_records(m);
		if (fds[3].revents & POLLERR) {
			fds[3].fd = -1;
			if (!m->output.error)
				m->output.error = EPIPE;
		}
		end_in_vain(m);
		/* All monitored threads have ended, or executed a set-uid program. */
		if (fds[2].revents & POLLHUP) {
			fds[2].fd = -1;
			m->nobody = !m->o->argv;
		}
	}
	/* CPUs do not end. The kernel writes their last records when they are detached. */
	if (m->o->system)
		pmctrack_session__detach(m->session);
	/* The kernel writes the last records of a program before it can be reaped. */
	while (take_records(m))
		;
}

static void add_lost_counts(struct monitor *m)
{
	for (unsigned int i = 0; i < PMCTRACK_MAX_CORE_TYPES * PMCTRACK_MAX_SETS; i++) {
		unsigned int type = i / PMCTRACK_MAX_SETS, set = i % PMCTRACK_MAX_SETS;

		for (unsigned int c = 0; c < PMCTRACK_MAX_COUNTERS; c++)
			totals_add_lost(&m->output.totals, type, set, c,
					pmctrack_session__lost_count_of(m->session, type, set, c));
	}
}

static double seconds(const struct timeval *t)
{
	return (double)t->tv_sec + (double)t->tv_usec / 1e6;
}

static void finish(struct monitor *m)
{
	struct outcome end = {
		.has_times = m->o->argv != NULL,
		.user_s = seconds(&m->child.usage.ru_utime),
		.system_s = seconds(&m->child.usage.ru_stime),
		.stats.sz = sizeof(end.stats),
	};

	end.elapsed_s = monotonic_s() - m->start_s;
	pmctrack_session__stats(m->session, &end.stats);
	add_lost_counts(m);
	output_end(&m->output, &end);
	if (m->o->times)
		fprintf(m->output.report.out, "real %.3f\nuser %.3f\nsys %.3f\n", end.elapsed_s, end.user_s,
			end.system_s);
	losses_complain(&m->output.totals);
}

static int exit_status(const struct monitor *m)
{
	if (!m->o->argv)
		return 0;
	/* The user asked for this end with -n or -N. */
	if (m->ending && WIFSIGNALED(m->child.status) &&
	    (WTERMSIG(m->child.status) == SIGTERM || WTERMSIG(m->child.status) == SIGKILL))
		return 0;
	return child_exit_status(&m->child);
}

/* Without -k, buffers are smaller if memory is short: then records are merged sooner. */
static void tell_ring_size(const struct pmctrack_session *session)
{
	struct pmctrack_session_stats stats = { .sz = sizeof(stats) };

	pmctrack_session__stats(session, &stats);
	if (stats.ring_size < stats.ring_wanted)
		complain("the kernel's buffers have %u bytes instead of %u: little memory may be had (ulimit -l, memory.max)",
			 stats.ring_size, stats.ring_wanted);
}

static int open_session(struct monitor *m)
{
	const struct options *o = m->o;
	struct pmctrack_session_opts opts = {
		.sz = sizeof(opts),
		.flags = o->system ? PMCTRACK_SESSION_SYSTEM :
			 (o->argv ? PMCTRACK_SESSION_ON_EXEC : 0) | PMCTRACK_SESSION_THREADS |
			 (o->no_inherit ? 0 : PMCTRACK_SESSION_CHILDREN),
		.cgroup = o->cgroup,
		.processes = o->processes,
		.nr_processes = o->nr_processes,
		.period_ns = (uint64_t)(o->period * 1e9),
		.ring_size = o->ring_size,
	};
	struct pmctrack_ctl *ctl = pmctrack_ctl__open();
	int status = STATUS_FAILED;
	int err = 0;

	if (!ctl) {
		complain("%s", pmctrack_error());
		return STATUS_FAILED;
	}
	status = metrics_parse(&m->metrics, o->metrics, o->nr_metrics);
	if (!status)
		status = sets_parse(&m->sets, ctl, o, &m->metrics);
	if (!status)
		status = output_check(&m->output);
	if (status)
		goto out;
	sets_tell_turns(&m->sets, o);
	status = STATUS_FAILED;
	if (o->argv)
		err = child_prepare(&m->child);
	if (err) {
		complain("cannot create a process: %s", strerror(-err));
		goto out;
	}
	opts.pid = o->system ? 0 : m->child.pid;
	opts.virts = m->sets.virts;
	m->session = pmctrack_session__open(ctl, m->sets.set, m->sets.of_mmon ? 0 : m->sets.nr,
					    &opts);
	if (m->session) {
		tell_ring_size(m->session);
		status = 0;
	} else {
		complain("%s", pmctrack_error());
		if (o->argv)
			child_abandon(&m->child);
	}
out:
	pmctrack_ctl__close(ctl);
	return status;
}

static int prepare_signals(struct monitor *m)
{
	int err = child_block_signals(&m->child);

	m->timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	return m->timer < 0 ? -errno : err;
}

static volatile sig_atomic_t early_signal;

static void on_early_signal(int sig)
{
	early_signal = sig;
}

/* Catch signals until prepare_signals(). No SA_RESTART: a signal must interrupt system calls. */
static void catch_early_signals(void)
{
	const struct sigaction catch = { .sa_handler = on_early_signal };
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };
	struct sigaction old;

	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++) {
		if (!sigaction(signals[i], NULL, &old) && old.sa_handler == SIG_DFL)
			sigaction(signals[i], &catch, NULL);
	}
}

int run(const struct options *o)
{
	struct monitor m = {
		.o = o,
		.child = { .argv = o->argv, .cpus = o->bind ? &o->cpus : NULL },
	};
	int status;

	output_init(&m.output, o, &m.sets, &m.metrics);
	status = file_open(&m.output);
	if (status)
		return status;
	/* Attaching to a process with many threads takes long, so a signal must end it. */
	if (!o->argv)
		catch_early_signals();
	else if (prepare_signals(&m))
		goto no_signals;
	status = open_session(&m);
	if (!status && !o->argv && prepare_signals(&m))
		goto no_signals;
	/* The signals are blocked now; monitor_loop() reads those that come later. */
	if (early_signal)
		status = 128 + early_signal;
	if (status)
		goto out;
	m.start_s = monotonic_s();
	status = o->argv ? child_run(&m.child) : 0;
	if (status)
		goto out;
	m.output.report.period_ns = pmctrack_session__period_ns(m.session);
	file_begin(&m.output);
	output_begin(&m.output);
	if (o->max_seconds > 0)
		arm(m.timer, o->max_seconds);
	monitor_loop(&m);
	finish(&m);
	status = exit_status(&m);
	output_flush(&m.output);
out:
	file_close(&m.output);
	output_complain(&m.output);
	if (m.output.error)
		status = STATUS_FAILED;
	pmctrack_session__close(m.session);
	sets_free(&m.sets);
	metrics_free(&m.metrics);
	return status;

no_signals:
	complain("cannot watch the program: %s", strerror(errno));
	status = STATUS_FAILED;
	goto out;
}
