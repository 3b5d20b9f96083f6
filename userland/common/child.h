/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The program that a tool runs. It is held back until child_run(). Also handles the signals that
 * the tool gets meanwhile. Without a program, handles only the tool's signals.
 */
#ifndef COMMON_CHILD_H
#define COMMON_CHILD_H

#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/resource.h>

/**
 * struct child - the program
 * @argv: set by the caller: command line; NULL: there is no program
 * @cpus: set by the caller: CPUs where the program is to run (-b); NULL: anywhere
 * @signals: signalfd of child_block_signals(), for poll()
 * @over: the program has ended, with @status as of waitpid(), and @usage
 */
struct child {
	char *const *argv;
	const cpu_set_t *cpus;
	int signals;
	bool over;
	int status;
	struct rusage usage;
	/* private: */
	sigset_t mask;
	struct sigaction on_child;
	int pid;
	int go;
	int failure;
};

/*
 * Call this first. From now on, SIGINT and the like, and the program's end, are read from @signals.
 * Returns 0 or a negative errno.
 */
int child_block_signals(struct child *c);
/* Fork the program. Returns 0 or a negative errno. */
int child_prepare(struct child *c);
/* Let the program execute. Returns 0, or the tool's exit status after printing the reason. */
int child_run(struct child *c);
/* Kill the program before child_run(), because the session could not be opened. */
void child_abandon(struct child *c);
/*
 * Take the signals that came. They are sent on to the program, except those that a terminal has
 * sent to it, too. Returns true if a signal asks to end, and there is no program that could end.
 */
bool child_take_signals(struct child *c);
/* The tool's exit status when the program is over: its status, or 128 plus the signal's number. */
int child_exit_status(const struct child *c);

#endif /* COMMON_CHILD_H */
