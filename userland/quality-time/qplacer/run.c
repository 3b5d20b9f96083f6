// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <poll.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "child.h"
#include "complain.h"
#include "exit_status.h"
#include "monotonic.h"
#include "qplacer/apps.h"
#include "qplacer/log.h"
#include "qplacer/run.h"
#include "watch/watch.h"

/* Intervals after a move that are not used, because caches are still filling. */
#define SETTLE	1

struct qplacer {
	const struct options *o;
	struct child signals;	/* signals only, there is no program */
	struct watch *watch;
	struct topology topology;
	struct apps apps;
	struct placement where;
	struct decision decision;
	int timer;
	double start_s, slot_began_s, moved_s;
	unsigned int settling;
	bool over;
	int error;	/* errno of a failure to write */
};

/* Move all applications to @where. */
static void move(struct qplacer *q, const struct placement *where, double now)
{
	q->where = *where;
	q->moved_s = now;
	q->settling = SETTLE;
	apps_move(&q->apps, watch_processes(q->watch), &q->where, log_left_alone);
}

static void learn(struct qplacer *q)
{
	for (unsigned int i = 0; i < ANNEAL_APPS; i++) {
		if (q->apps.of[i].pid && q->apps.of[i].quality >= 0)
			anneal_learn(q->apps.anneal, &q->where, i, q->apps.of[i].quality);
	}
}

/* In a dry run, the state is the kernel's placement: qplacer can learn only about that. */
static void step(struct qplacer *q, double slot_s, double now)
{
	struct placement where = q->where;

	bool changed = apps_update(&q->apps, watch_processes(q->watch), slot_s, &where);

	if (q->o->dry_run)
		q->where = where;
	if (changed) {
		move(q, &where, now);
		log_placed(&q->apps, &q->where, now - q->start_s);
		return;
	}
	/*
	 * Set the CPUs again, for new threads of programs that set CPUs themselves. Changes by
	 * others are noticed here, too.
	 */
	apps_move(&q->apps, watch_processes(q->watch), &q->where, log_left_alone);
	if (q->settling) {
		q->settling--;
		return;
	}
	learn(q);
	if (q->apps.nr < 2)
		return;
	anneal_decide(q->apps.anneal, &q->where, 1000 * (now - q->moved_s), &q->decision);
	log_decision(&q->apps, &q->decision, now - q->start_s, 1000 * (now - q->moved_s));
	if (q->decision.chosen && !q->o->dry_run)
		move(q, &q->decision.candidate[q->decision.chosen].where, now);
}

static void on_timer(struct qplacer *q)
{
	double now = monotonic_s();
	uint64_t expirations;

	if (read(q->timer, &expirations, sizeof(expirations)) < 0)
		return;
	watch_look(q->watch);
	/* From now on, all processes would seem idle. watch_complain() says why at the end. */
	if (watch_trouble(q->watch)) {
		q->over = true;
		return;
	}
	processes_next_slot(watch_processes(q->watch));
	step(q, now - q->slot_began_s, now);
	q->slot_began_s = now;
	/* Go on even if the output cannot be written. */
	if (fflush(stdout) && !q->error)
		q->error = errno;
	q->over |= q->o->max_seconds > 0 && now - q->start_s >= q->o->max_seconds;
}

static void loop(struct qplacer *q)
{
	struct pollfd fds[3] = {
		{ .fd = q->signals.signals, .events = POLLIN },
		{ .fd = q->timer, .events = POLLIN },
		{ .fd = watch_fd(q->watch), .events = POLLIN },
	};
	bool more = false;

	while (!q->over) {
		if (poll(fds, 3, more ? 0 : -1) < 0) {
			if (errno != EINTR)
				break;
			continue;
		}
		if (fds[0].revents)
			q->over |= child_take_signals(&q->signals);
		more = watch_take(q->watch);
		if (fds[1].revents)
			on_timer(q);
		if (fds[2].revents & POLLHUP) {
			fds[2].fd = -1;
			q->over |= q->o->nr_processes;
		}
	}
}

/* Find the user whose processes are placed. Returns 0, or an exit status after a message. */
static int find_user(struct qplacer *q)
{
	const struct passwd *pw;

	q->apps.uid = q->o->nr_processes || q->o->cgroup ? (uid_t)-1 : getuid();
	if (!q->o->user)
		return 0;
	pw = getpwnam(q->o->user);
	if (!pw) {
		complain("-u %s: there is no such user", q->o->user);
		return STATUS_USAGE;
	}
	q->apps.uid = pw->pw_uid;
	return 0;
}

static int find_caches(struct qplacer *q)
{
	int err = topology_read(&q->topology);

	if (err == -E2BIG)
		complain("this machine has more than %u last-level caches: use taskset to run qplacer on the CPUs of some",
			 ANNEAL_CACHES);
	else if (err)
		complain("the kernel does not say which CPUs share a cache (/sys/devices/system/cpu/cpu*/cache)");
	else if (q->topology.nr < 2)
		complain("all CPUs that this process may use share one last-level cache: there is nothing to choose");
	return err || q->topology.nr < 2 ? STATUS_FAILED : 0;
}

static int begin(struct qplacer *q)
{
	const struct options *o = q->o;
	const struct watch_options w = {
		.processes = o->processes,
		.nr_processes = o->nr_processes,
		.cgroup = o->cgroup,
		.all = !o->nr_processes && !o->cgroup,
		.published = o->published,
		.interval_s = o->interval,
	};
	struct itimerspec t = { .it_value = { 0 } };
	long long ns;
	int status = find_user(q);

	if (!status)
		status = find_caches(q);
	if (status)
		return status;
	q->apps.anneal = anneal_new(&o->params, q->topology.room, q->topology.nr);
	if (!o->dry_run)
		q->apps.affinity = affinity_new();
	if (!q->apps.anneal || (!o->dry_run && !q->apps.affinity)) {
		complain("cannot begin: %s", strerror(errno));
		return STATUS_FAILED;
	}
	q->timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (q->timer < 0) {
		complain("cannot begin: %s", strerror(errno));
		return STATUS_FAILED;
	}
	q->watch = watch_open(&w);
	if (!q->watch)
		return STATUS_FAILED;
	/* Until here, Ctrl-C ends qplacer at once. */
	if (child_block_signals(&q->signals)) {
		complain("cannot begin: %s", strerror(errno));
		return STATUS_FAILED;
	}
	ns = (long long)(watch_interval_s(q->watch) * 1e9);
	t.it_value = t.it_interval = (struct timespec){ ns / 1000000000, ns % 1000000000 };
	timerfd_settime(q->timer, 0, &t, NULL);
	q->start_s = q->slot_began_s = q->moved_s = monotonic_s();
	return 0;
}

int run(const struct options *o)
{
	static struct qplacer q;
	int status;

	q.o = q.apps.o = o;
	q.apps.topology = &q.topology;
	status = begin(&q);
	if (!status) {
		log_begin(&q.apps, o->json);
		fflush(stdout);
		loop(&q);
		watch_end(q.watch);
		watch_complain(q.watch);
		if (q.apps.too_many)
			complain("more than %u processes ran: some were not placed", ANNEAL_APPS);
	}
	affinity_free(q.apps.affinity);
	anneal_free(q.apps.anneal);
	watch_close(q.watch);
	if (status || !q.error)
		return status;
	complain("cannot write: %s", strerror(q.error));
	return STATUS_FAILED;
}
