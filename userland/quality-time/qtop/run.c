// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "complain.h"
#include "exit_status.h"
#include "monotonic.h"
#include "qtop/batch.h"
#include "qtop/options.h"
#include "qtop/run.h"
#include "qtop/screen.h"
#include "watch/json.h"
#include "watch/machine.h"
#include "watch/watch.h"

#define SCHEMA_VERSION	1
/* Time between two reads of records, which is their largest delay. Rings have room for more. */
#define REST_MS		100

struct qtop {
	const struct options *o;
	struct watch *watch;
	struct rows rows;
	struct screen screen;
	struct moment moment;
	int signals;
	int timer;
	double interval_s;
	double start_s, slot_began_s;
	uint64_t stolen_ms;
	unsigned long intervals;
	bool over;
	int error;	/* errno of a failure to write */
};

static const struct choice *choice(const struct qtop *q)
{
	return q->o->batch ? &q->o->choice : &q->screen.choice;
}

static void show(struct qtop *q)
{
	q->moment.choice = choice(q);
	q->moment.refused = watch_refused(q->watch);
	q->moment.trouble = watch_trouble(q->watch);
	rows_fill(&q->rows, watch_processes(q->watch), q->moment.choice);
	if (!q->o->batch) {
		screen_draw(&q->screen, &q->moment, &q->rows, watch_processes(q->watch));
		return;
	}
	if (q->o->json)
		batch_json(&q->moment, &q->rows, monotonic_s() - q->start_s);
	else
		batch_text(&q->moment, &q->rows);
	/* The reader of the output is gone, or the disk is full. */
	if ((fflush(stdout) || ferror(stdout)) && !q->error)
		q->error = errno;
	q->over |= q->error;
}

static void on_timer(struct qtop *q)
{
	double now = monotonic_s();
	uint64_t expirations, stolen_ms;

	if (read(q->timer, &expirations, sizeof(expirations)) < 0)
		return;
	watch_look(q->watch);
	processes_next_slot(watch_processes(q->watch));
	q->moment.slot_s = now - q->slot_began_s;
	q->slot_began_s = now;
	q->moment.has_stolen = machine_stolen(&stolen_ms);
	if (q->moment.has_stolen) {
		/* The kernel may correct stolen time. */
		q->moment.stolen_ms = stolen_ms > q->stolen_ms ? stolen_ms - q->stolen_ms : 0;
		q->stolen_ms = stolen_ms;
	}
	/* Curses reports a new size as a key; its signal may have come at any time. */
	if (!q->o->batch)
		screen_type(&q->screen, &q->rows);
	show(q);
	q->over |= !q->o->batch && q->screen.quit;
	q->intervals++;
	q->over |= q->o->lines && q->intervals >= q->o->lines;
}

/* A signal that ends qtop came. */
static void on_signal(struct qtop *q)
{
	struct signalfd_siginfo si;

	while (read(q->signals, &si, sizeof(si)) == sizeof(si))
		q->over = true;
}

static void on_keys(struct qtop *q)
{
	if (screen_type(&q->screen, &q->rows))
		show(q);
	q->over |= q->screen.quit;
}

static void loop(struct qtop *q)
{
	struct pollfd fds[4] = {
		{ .fd = q->signals, .events = POLLIN },
		{ .fd = q->timer, .events = POLLIN },
		/* Poll for the end only, because each record would wake qtop, see REST_MS. */
		{ .fd = watch_fd(q->watch), .events = 0 },
		{ .fd = q->o->batch ? -1 : STDIN_FILENO, .events = POLLIN },
	};
	bool more = false, resized;

	while (!q->over) {
		resized = poll(fds, 4, more ? 0 : REST_MS) < 0;
		if (resized && errno != EINTR)
			break;
		if (!resized && fds[0].revents)
			on_signal(q);
		more = watch_take(q->watch);
		if (!resized && fds[1].revents)
			on_timer(q);
		/* Curses reports the signal of a new size as a key. */
		if (!q->o->batch && (resized || fds[3].revents))
			on_keys(q);
		if (resized)
			continue;
		/* The terminal is gone. */
		if (fds[3].revents & (POLLHUP | POLLERR))
			q->over = true;
		/* All processes of -p have ended. Without -p, others may come. */
		if (fds[2].revents & POLLHUP) {
			fds[2].fd = -1;
			q->over |= q->o->batch && q->o->nr_processes;
		}
	}
}

static int prepare(struct qtop *q)
{
	long long ns = (long long)(q->interval_s * 1e9);
	struct itimerspec t = {
		.it_value = { ns / 1000000000, ns % 1000000000 },
		.it_interval = { ns / 1000000000, ns % 1000000000 },
	};
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	sigaddset(&set, SIGQUIT);
	q->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	sigaddset(&set, SIGPIPE);
	sigprocmask(SIG_BLOCK, &set, NULL);
	q->timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (q->signals < 0 || q->timer < 0)
		return -errno;
	timerfd_settime(q->timer, 0, &t, NULL);
	q->start_s = q->slot_began_s = monotonic_s();
	machine_stolen(&q->stolen_ms);
	return 0;
}

static void print_header(void)
{
	struct json_object *line = json_new_line("header");

	json_add_u64(line, "schema", SCHEMA_VERSION);
	json_add_text(line, "version", VERSION);
	json_add_units(line);
	json_print(stdout, line);
}

int run(const struct options *o)
{
	struct watch_options w = {
		.processes = o->processes,
		.nr_processes = o->nr_processes,
		.cgroup = o->cgroup,
		.all = !o->nr_processes && !o->cgroup,
		.published = o->published,
		.interval_s = o->interval,
	};
	struct qtop q = {
		.o = o,
		.moment = {
			.cpus = (unsigned int)sysconf(_SC_NPROCESSORS_ONLN),
		},
	};
	int err;

	q.watch = watch_open(&w);
	if (!q.watch)
		return STATUS_FAILED;
	q.interval_s = q.moment.interval_s = q.moment.slot_s = watch_interval_s(q.watch);
	q.moment.processes = watch_processes(q.watch);
	q.moment.all = watch_sum(q.watch);
	err = prepare(&q);
	if (!err && !o->batch)
		err = screen_open(&q.screen, &o->choice);
	if (err == -ENOTTY || err == -ENODEV)
		complain("there is no terminal that shows a screen: use --batch");
	else if (err)
		complain("%s", strerror(-err));
	if (err) {
		watch_close(q.watch);
		return STATUS_FAILED;
	}
	if (o->json)
		print_header();
	if (!o->batch)
		show(&q);
	loop(&q);
	if (!o->batch)
		screen_close(&q.screen);
	watch_end(q.watch);
	watch_complain(q.watch);
	rows_free(&q.rows);
	watch_close(q.watch);
	if (!q.error)
		return 0;
	complain("cannot write: %s", strerror(q.error));
	return STATUS_FAILED;
}
