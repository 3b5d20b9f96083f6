/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The program that a tool runs, which is held back until it may run; and the signals that the tool
 * gets meanwhile. Without a program, the tool's signals only.
 */
#ifndef COMMON_CHILD_H
#define COMMON_CHILD_H

#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/resource.h>

/**
 * struct child - the program
 * @argv: in; NULL: there is none
 * @cpus: in: where it is to run (-b); NULL: anywhere
 * @signals: signalfd of child_block_signals(), for poll()
 * @over: it has ended, with @status as of waitpid(), and @usage
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

/* First: SIGINT and the like, and the program's end, are read from now on. 0 or negative errno. */
int child_block_signals(struct child *c);
/* Fork the program: 0 or a negative errno. */
int child_prepare(struct child *c);
/* Let it execute: 0, or the exit status to end with, the reason printed. */
int child_run(struct child *c);
/* End it, before child_run(): the session could not be opened. */
void child_abandon(struct child *c);
/*
 * Take the signals that came. The program gets those that a terminal has not sent to it anyhow.
 * Returns true if one of them asks to end, and there is no program that could do so.
 */
bool child_take_signals(struct child *c);
/* The tool's exit status, once the program is over: its own, 128 more than the signal's number. */
int child_exit_status(const struct child *c);

#endif /* COMMON_CHILD_H */
