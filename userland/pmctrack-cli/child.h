/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The program to monitor, which is held back until it may run. */
#ifndef PMCTRACK_CLI_CHILD_H
#define PMCTRACK_CLI_CHILD_H

#include <signal.h>

struct options;

struct child {
	sigset_t mask;		/* in: signals that the program is to have blocked */
	struct sigaction on_child;	/* in: what it is to do on SIGCHLD */
	int pid;
	int go;			/* write end: a byte lets it run, end of file ends it */
	int failure;		/* read end: errno of a failed exec */
};

/* Fork the program: 0 or a negative errno. */
int child_prepare(struct child *c, const struct options *o);
/* Let it execute: 0, or the exit status to end with, the reason printed. */
int child_run(struct child *c, const struct options *o);
/* End it, before child_run(): the session could not be opened. */
void child_abandon(struct child *c);

#endif /* PMCTRACK_CLI_CHILD_H */
