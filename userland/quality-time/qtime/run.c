// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "child.h"
#include "complain.h"
#include "exit_status.h"
#include "monotonic.h"
#include "out_file.h"
#include "qtime/options.h"
#include "qtime/run.h"
#include "qtime/writer.h"
#include "watch/groups.h"
#include "watch/machine.h"
#include "watch/watch.h"

struct qtime {
	const struct options *o;
	struct child child;
	struct watch *watch;
	struct out_file file;
	FILE *out;
	int timer;
	bool asked;		/* the run is to end */
	bool live;		/* there is a line on the terminal that changes */
	int error;		/* errno of a failure to write */
	double start_s;
	char folder[PATH_MAX];	/* of the control group whose throttling is reported; "": none */
	struct elsewhere before;	/* what the kernel had counted at the last look */
	struct sum last;	/* sum of all at the last line */
	struct state state;
	struct programs programs;
};

static struct elsewhere look_elsewhere(const struct qtime *q)
{
	struct elsewhere e = { 0 };

	e.has_throttled = q->folder[0] && groups_throttled(q->folder, &e.throttled_us);
	e.has_stolen = machine_stolen(&e.stolen_ms);
	return e;
}

/* Growth of a counter; 0 if it fell: a new group begins at 0, and stolen time may be corrected. */
static uint64_t growth(uint64_t before, uint64_t now)
{
	return now > before ? now - before : 0;
}

/* What a removed group counted since the last look is lost; the rest is known. */
static void update_elsewhere(struct qtime *q)
{
	struct elsewhere now = look_elsewhere(q), *e = &q->state.elsewhere;

	e->throttled_gone |= e->has_throttled && !now.has_throttled;
	if (now.has_throttled) {
		e->throttled_us += growth(q->before.throttled_us, now.throttled_us);
		q->before.throttled_us = now.throttled_us;
	}
	if (now.has_stolen)
		e->stolen_ms += growth(q->before.stolen_ms, now.stolen_ms);
	e->has_stolen &= now.has_stolen;
	q->before.stolen_ms = now.stolen_ms;
}

/* Called for each process. Ended processes go to the sums by program, and are forgotten. */
static bool look_at(struct process *of, void *arg)
{
	struct qtime *q = arg;
	struct state *s = &q->state;

	if (of->oldest_ms > s->oldest_ms)
		s->oldest_ms = of->oldest_ms;
	if (of->sample_age_ms > s->sample_age_ms && !of->ended)
		s->sample_age_ms = of->sample_age_ms;
	s->processes += !of->ended;
	if (of->ended)
		programs_add(&q->programs, of);
	return of->ended;
}

static void update(struct qtime *q)
{
	struct state *s = &q->state;
	struct sum all = *watch_sum(q->watch);

	s->elapsed_s = monotonic_s() - q->start_s;
	s->interval = sum_less(&all, &q->last);
	s->all = all;
	q->last = all;
	s->processes = 0;
	s->sample_age_ms = 0;
	processes_each(watch_processes(q->watch), look_at, q);
	update_elsewhere(q);
}

static void note_error(struct qtime *q)
{
	if ((fflush(q->out) || ferror(q->out)) && !q->error)
		q->error = errno ? errno : EIO;
}

static void on_timer(struct qtime *q)
{
	uint64_t expirations;

	if (read(q->timer, &expirations, sizeof(expirations)) < 0)
		return;
	watch_look(q->watch);
	update(q);
	q->o->writer->interval(q->out, &q->state);
	note_error(q);
	if (!q->live)
		return;
	fputs("\r", stderr);
	writer_live(stderr, &q->state);
	fputs("\033[K", stderr);
	fflush(stderr);
}

static void arm(const struct qtime *q)
{
	long long ns = (long long)(q->o->interval * 1e9);
	struct itimerspec t = {
		.it_value = { ns / 1000000000, ns % 1000000000 },
		.it_interval = { ns / 1000000000, ns % 1000000000 },
	};

	timerfd_settime(q->timer, 0, &t, NULL);
}

/* Milliseconds until the time of -N is over; -1: there is no -N. */
static int time_left_ms(const struct qtime *q)
{
	double left = q->o->max_seconds - (monotonic_s() - q->start_s);

	if (!(q->o->max_seconds > 0))
		return -1;
	return left > 0 ? (int)(left * 1000) + 1 : 0;
}

static void loop(struct qtime *q)
{
	struct pollfd fds[3] = {
		{ .fd = q->child.signals, .events = POLLIN },
		{ .fd = q->timer, .events = POLLIN },
		{ .fd = watch_fd(q->watch), .events = POLLIN },
	};
	bool more = false;

	while (!q->child.over && !q->asked) {
		if (poll(fds, 3, more ? 0 : time_left_ms(q)) < 0 && errno != EINTR)
			break;
		q->asked |= !time_left_ms(q);
		if (fds[0].revents)
			q->asked |= child_take_signals(&q->child);
		more = watch_take(q->watch);
		if (fds[1].revents)
			on_timer(q);
		/* No process is watched any more, but a control group may get new ones. */
		if (fds[2].revents & POLLHUP) {
			fds[2].fd = -1;
			q->asked |= q->o->nr_processes;
		}
		/* Output cannot be written, and there is no program to wait for. */
		q->asked |= q->error && !q->o->argv;
	}
}

static bool end_process(struct process *of, void *unused)
{
	(void)unused;
	of->ended = true;
	return false;
}

static const char *title(const struct qtime *q, char *text, size_t size)
{
	const struct options *o = q->o;

	if (o->argv)
		return o->argv[0];
	if (o->cgroup)
		return o->cgroup;
	snprintf(text, size, o->nr_processes == 1 ? "process %d" : "process %d and others", o->processes[0]);
	return text;
}

static void finish(struct qtime *q)
{
	unsigned int hold_us, budget;
	char text[64];

	if (q->live)
		fputs("\r\033[K", stderr);
	watch_end(q->watch);
	update(q);
	if (q->state.interval.cpu_ns)
		q->o->writer->interval(q->out, &q->state);
	/* The remaining processes go to the sums by program, too. */
	processes_each(watch_processes(q->watch), end_process, NULL);
	processes_each(watch_processes(q->watch), look_at, q);
	programs_sort(&q->programs);
	q->state.programs = &q->programs;
	q->state.processes = programs_processes(&q->programs);
	q->state.whole = watch_is_whole(q->watch);
	q->state.has_sampling &= machine_sampling(&hold_us, &budget) && hold_us == q->state.hold_us &&
				 budget == q->state.budget;
	q->o->writer->end(q->out, &q->state, title(q, text, sizeof(text)));
	note_error(q);
	watch_complain(q->watch);
}

/* Find the group whose throttling is reported: DIR, or the group of the program. */
static void find_group(struct qtime *q)
{
	char path[PATH_MAX - sizeof(GROUPS_ROOT)];

	if (q->o->cgroup) {
		if (groups_resolve(q->o->cgroup, q->folder, sizeof(q->folder)))
			q->folder[0] = '\0';
		return;
	}
	groups_of(q->o->argv ? getpid() : q->o->processes[0], path, sizeof(path));
	if (path[0])
		snprintf(q->folder, sizeof(q->folder), GROUPS_ROOT "%s", path);
}

/* Returns 0, or an exit status after printing the reason. */
static int begin(struct qtime *q)
{
	const struct options *o = q->o;
	struct watch_options w = {
		.processes = o->processes,
		.nr_processes = o->nr_processes,
		.cgroup = o->cgroup,
		.interval_s = o->interval,
	};
	/* Without a program to run, Ctrl-C ends qtime even while it attaches many threads. */
	int err = o->argv ? child_block_signals(&q->child) : 0;

	q->timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (!err && q->timer < 0)
		err = -errno;
	if (!err && o->argv)
		err = child_prepare(&q->child);
	if (err) {
		complain("cannot create a process: %s", strerror(-err));
		return STATUS_FAILED;
	}
	w.program = o->argv ? q->child.pid : 0;
	find_group(q);
	q->watch = watch_open(&w);
	if (!q->watch) {
		if (o->argv)
			child_abandon(&q->child);
		return STATUS_FAILED;
	}
	if (!o->argv && child_block_signals(&q->child)) {
		complain("cannot wait for signals: %s", strerror(errno));
		return STATUS_FAILED;
	}
	q->start_s = monotonic_s();
	q->state.has_sampling = machine_sampling(&q->state.hold_us, &q->state.budget);
	q->before = look_elsewhere(q);
	q->state.elsewhere = (struct elsewhere){
		.has_throttled = q->before.has_throttled, .has_stolen = q->before.has_stolen,
	};
	return o->argv ? child_run(&q->child) : 0;
}

int run(const struct options *o)
{
	struct qtime q = {
		.o = o,
		.child.argv = o->argv,
		.out = o->argv ? stderr : stdout,
	};
	int status, err = o->output ? out_file_open(&q.file, o->output) : 0;

	if (err) {
		complain("-o %s: %s", o->output, strerror(-err));
		return STATUS_FAILED;
	}
	if (q.file.out)
		q.out = q.file.out;
	status = begin(&q);
	if (!status) {
		q.error = -out_file_begin(&q.file);
		q.live = !o->no_live && o->writer == &writer_text && isatty(STDERR_FILENO);
		o->writer->begin(q.out);
		arm(&q);
		loop(&q);
		finish(&q);
		status = o->argv ? child_exit_status(&q.child) : 0;
	}
	err = out_file_close(&q.file);
	if (!q.error)
		q.error = -err;
	watch_close(q.watch);
	if (!q.error)
		return status;
	complain("cannot write the results: %s", strerror(q.error));
	return STATUS_FAILED;
}
