// SPDX-License-Identifier: GPL-2.0-or-later
/* Monitor one program from its exec to its end, or running processes for a while. */
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cli.h"

/* Grace for a program that we end (-n, -N). */
#define KILL_AFTER_S	2

struct monitor {
	const struct options *o;
	struct sets sets;
	struct pmctrack_session *session;
	FILE *out;
	struct table table;
	struct aggregate aggregate;
	unsigned long nr_samples;
	uint64_t merged;	/* records that cover more than one period */
	uint64_t setuid;	/* threads that ended monitoring by exec */
	struct child child;
	int signals;		/* signalfd */
	int timer;		/* -N, then the grace period */
	bool ending;		/* we told the program to end, or left the processes */
	bool over;		/* the program has ended, or nobody is monitored any more */
	int write_error;	/* errno of the first failure to write the table */
	int status;		/* of waitpid() */
	struct timespec start;
	struct rusage usage;
};

static void arm(int timer, double seconds)
{
	long long ns = (long long)(seconds * 1e9) + 1;
	struct itimerspec t = { .it_value = { ns / 1000000000, ns % 1000000000 } };

	timerfd_settime(timer, 0, &t, NULL);
}

/* SIGTERM first; the timer brings SIGKILL. Running processes are left alone. */
static void end_program(struct monitor *m)
{
	if (m->ending || m->over)
		return;
	m->ending = true;
	if (!m->o->argv) {
		pmctrack_session__detach(m->session);
		return;
	}
	kill(m->child.pid, SIGTERM);
	arm(m->timer, KILL_AFTER_S);
}

static void flush(struct monitor *m)
{
	if ((fflush(m->out) || ferror(m->out)) && !m->write_error)
		m->write_error = errno ? errno : EIO;
}

static void take_record(struct monitor *m, const struct pmctrack_record *rec)
{
	if (m->o->max_samples && m->nr_samples >= m->o->max_samples)
		return;
	m->nr_samples++;
	m->merged += !!(rec->flags & PMCTRACK_RECORD_F_MERGED);
	m->setuid += !!(rec->flags & PMCTRACK_RECORD_F_SETUID);
	if (m->o->aggregate)
		aggregate_add(&m->aggregate, rec);
	else
		table_row(&m->table, m->nr_samples, rec);
	if (m->nr_samples == m->o->max_samples)
		end_program(m);
}

static void take_records(struct monitor *m)
{
	const struct pmctrack_record *rec;

	while (pmctrack_session__next(m->session, &rec) > 0)
		take_record(m, rec);
	flush(m);
}

static void reap(struct monitor *m)
{
	if (!m->over && wait4(m->child.pid, &m->status, WNOHANG, &m->usage) == m->child.pid)
		m->over = true;
}

static void on_signal(struct monitor *m)
{
	struct signalfd_siginfo si;

	while (read(m->signals, &si, sizeof(si)) == sizeof(si)) {
		if (!m->o->argv) {
			if (si.ssi_signo != SIGCHLD)
				end_program(m);
		} else if (si.ssi_signo == SIGCHLD) {
			reap(m);
		}
		/* A terminal signals the program itself; others only know us. */
		else if (si.ssi_code != SI_KERNEL && !m->over)
			kill(m->child.pid, (int)si.ssi_signo);
	}
}

static void on_timer(struct monitor *m)
{
	uint64_t expirations;

	if (read(m->timer, &expirations, sizeof(expirations)) < 0)
		return;
	if (!m->ending)
		end_program(m);
	else if (!m->over)
		kill(m->child.pid, SIGKILL);
}

static void monitor_loop(struct monitor *m)
{
	struct pollfd fds[3] = {
		{ .fd = m->signals, .events = POLLIN },
		{ .fd = m->timer, .events = POLLIN },
		{ .fd = pmctrack_session__fd(m->session), .events = POLLIN },
	};

	while (!m->over) {
		if (poll(fds, 3, -1) < 0 && errno != EINTR)
			break;
		if (fds[0].revents)
			on_signal(m);
		if (fds[1].revents)
			on_timer(m);
		take_records(m);
		/* All its threads have ended, or hidden behind set-uid. */
		if (fds[2].revents & POLLHUP) {
			fds[2].fd = -1;
			m->over |= !m->o->argv;
		}
	}
	/* The last records were written before the program could be reaped. */
	take_records(m);
}

static void report_lost_counts(const struct monitor *m)
{
	for (unsigned int set = 0; set < PMCTRACK_MAX_SETS; set++) {
		for (unsigned int c = 0; c < PMCTRACK_MAX_COUNTERS; c++) {
			uint64_t lost = pmctrack_session__lost_count(m->session, set, c);

			if (lost && m->sets.nr > 1)
				fprintf(stderr, "  set %u of its core type: pmc%u %" PRIu64 "\n",
					set, c, lost);
			else if (lost)
				fprintf(stderr, "  pmc%u %" PRIu64 "\n", c, lost);
		}
	}
}

static void report_losses(const struct monitor *m)
{
	struct pmctrack_session_stats stats = { .sz = sizeof(stats) };

	pmctrack_session__stats(m->session, &stats);
	if (m->merged)
		complain("%" PRIu64 " samples cover more than one period, because the kernel's buffer was full; no event is missing. A larger buffer (-k) or period (-T) helps",
			 m->merged);
	if (stats.lost) {
		complain("%" PRIu64 " last samples of threads were lost, because the kernel's buffer was full (see -k); they had, in all:",
			 stats.lost);
		report_lost_counts(m);
	}
	if (stats.skipped_threads)
		complain("%u threads were not monitored: the kernel had no memory for them",
			 stats.skipped_threads);
	if (m->setuid)
		complain("%" PRIu64 " threads executed a program with other privileges and were not monitored further; that needs CAP_PERFMON (run pmctrack as root)",
			 m->setuid);
	if (stats.threads)
		complain("%u threads of background processes still run; their events since their last sample are not shown",
			 stats.threads);
}

static void report_times(const struct monitor *m)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	fprintf(m->out, "real %.3f\nuser %ld.%03ld\nsys %ld.%03ld\n",
		(double)(now.tv_sec - m->start.tv_sec) + (double)(now.tv_nsec - m->start.tv_nsec) / 1e9,
		(long)m->usage.ru_utime.tv_sec, (long)m->usage.ru_utime.tv_usec / 1000,
		(long)m->usage.ru_stime.tv_sec, (long)m->usage.ru_stime.tv_usec / 1000);
}

static int exit_status(const struct monitor *m)
{
	if (!m->o->argv)
		return 0;
	if (WIFEXITED(m->status))
		return WEXITSTATUS(m->status);
	/* Ended as the user asked for with -n or -N. */
	if (m->ending && (WTERMSIG(m->status) == SIGTERM || WTERMSIG(m->status) == SIGKILL))
		return 0;
	return 128 + WTERMSIG(m->status);
}

static int open_session(struct monitor *m)
{
	const struct options *o = m->o;
	struct pmctrack_session_opts opts = {
		.sz = sizeof(opts),
		.flags = (o->argv ? PMCTRACK_SESSION_ON_EXEC : 0) | PMCTRACK_SESSION_THREADS |
			 (o->no_inherit ? 0 : PMCTRACK_SESSION_CHILDREN),
		.processes = o->processes,
		.nr_processes = o->nr_processes,
		.period_ns = (uint64_t)(o->period * 1e9),
		.ring_size = o->ring_size,
	};
	struct pmctrack_ctl *ctl = pmctrack_ctl__open();
	int err = 0;

	if (!ctl) {
		complain("%s", pmctrack_error());
		return EXIT_SELF;
	}
	if (sets_parse(&m->sets, ctl, o))
		goto out;
	if (o->argv)
		err = child_prepare(&m->child, o);
	if (err) {
		complain("cannot create a process: %s", strerror(-err));
		goto out;
	}
	opts.pid = m->child.pid;
	m->session = pmctrack_session__open(ctl, m->sets.set, m->sets.nr, &opts);
	if (!m->session) {
		complain("%s", pmctrack_error());
		if (o->argv)
			child_abandon(&m->child);
	}
out:
	pmctrack_ctl__close(ctl);
	return m->session ? 0 : EXIT_SELF;
}

static int prepare_signals(struct monitor *m)
{
	const struct sigaction ordinary = { .sa_handler = SIG_DFL };
	sigset_t set;

	/* Where it is ignored, children end without a word. */
	sigaction(SIGCHLD, &ordinary, &m->child.on_child);
	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	sigaddset(&set, SIGQUIT);
	m->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	/* A reader of our output that goes away must not end the monitoring. */
	sigaddset(&set, SIGPIPE);
	sigprocmask(SIG_BLOCK, &set, &m->child.mask);
	m->timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	return m->signals < 0 || m->timer < 0 ? -errno : 0;
}

int run(const struct options *o)
{
	struct monitor m = { .o = o, .out = stdout };
	int status;

	if (o->output) {
		m.out = fopen(o->output, "we");
		if (!m.out) {
			complain("-o %s: %s", o->output, strerror(errno));
			return EXIT_SELF;
		}
	}
	if (prepare_signals(&m)) {
		complain("cannot watch the program: %s", strerror(errno));
		return EXIT_SELF;
	}
	status = open_session(&m);
	if (status)
		goto out;
	clock_gettime(CLOCK_MONOTONIC, &m.start);
	status = o->argv ? child_run(&m.child, o) : 0;
	if (status)
		goto out;
	m.table = (struct table){ .out = m.out, .sets = &m.sets };
	m.aggregate.sets = &m.sets;
	if (!o->no_mappings)
		table_mappings(m.out, &m.sets);
	if (!o->aggregate)
		table_begin(&m.table);
	if (o->max_seconds > 0)
		arm(m.timer, o->max_seconds);
	monitor_loop(&m);
	if (o->aggregate)
		aggregate_print(&m.aggregate, m.out);
	if (o->times)
		report_times(&m);
	report_losses(&m);
	status = exit_status(&m);
out:
	flush(&m);
	if (o->output && fclose(m.out) && !m.write_error)
		m.write_error = errno;
	if (m.write_error) {
		complain("cannot write %s: %s", o->output ? o->output : "the counts",
			 strerror(m.write_error));
		status = EXIT_SELF;
	}
	pmctrack_session__close(m.session);
	sets_free(&m.sets);
	return status;
}
