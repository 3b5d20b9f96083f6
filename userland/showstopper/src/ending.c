// SPDX-License-Identifier: GPL-2.0-or-later
#include <signal.h>
#include <sys/wait.h>
#include <time.h>

#include "complain.h"
#include "ending.h"
#include "proc.h"
#include "unit.h"

const char *ending_name(const struct options *o, uint32_t i)
{
	return o->argv ? o->argv[i][0] : "a controlled process";
}

void ending_wake(const struct run *run)
{
	uint32_t i;

	for (i = 0; i < run->nr; i++) {
		if (run->unit[i].executor)
			kill(run->unit[i].executor, SIGCONT);
	}
}

void ending_kill(const struct options *o, struct run *run, uint32_t i)
{
	struct run_unit *u = &run->unit[i];

	complain("the executor of %s does not end: killed", ending_name(o, i));
	kill(u->executor, SIGKILL);
	unit_continue(u);
	if (o->argv)
		unit_signal(u, SIGKILL);
}

/*
 * The process is a child of this one, or of the master, which may hang; or it is a zombie until a
 * debugger has seen its end.
 */
static bool has_ended(pid_t pid)
{
	struct proc p;

	return waitpid(pid, NULL, WNOHANG) == pid || proc_read(pid, &p) || p.state == 'Z' || p.state == 'X';
}

/* Returns how many executors are left. What ended executors controlled runs on. */
static uint32_t reap(struct run *run)
{
	uint32_t i, left = 0;

	for (i = 0; i < run->nr; i++) {
		struct run_unit *u = &run->unit[i];

		if (u->executor && has_ended(u->executor)) {
			u->executor = 0;
			unit_release(u);
		}
		left += u->executor != 0;
	}
	return left;
}

void ending_without_master(const struct options *o, struct run *run, pid_t master)
{
	const struct timespec moment = { 0, 20 * NS_PER_MS };
	int64_t until = run_now() + ENDING_PATIENCE;
	bool killed = false;
	uint32_t i;

	run->end = 1;
	kill(master, SIGKILL);
	ending_wake(run);
	while (reap(run) || !has_ended(master)) {
		run->guardian_at = run_now();
		if (run_now() > until) {
			/* The kernel does not kill a process that hangs in it. */
			if (killed)
				return;
			killed = true;
			until = run_now() + NS_PER_S;
			for (i = 0; i < run->nr; i++) {
				if (run->unit[i].executor)
					ending_kill(o, run, i);
			}
		}
		nanosleep(&moment, NULL);
	}
}
