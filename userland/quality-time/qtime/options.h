/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The command line of qtime. */
#ifndef QTIME_OPTIONS_H
#define QTIME_OPTIONS_H

#include <stdbool.h>
#include <sys/types.h>

#define MAX_PROCESSES	64

struct writer;

struct options {
	double interval;	/* seconds between lines */
	double max_seconds;	/* 0: none */
	const struct writer *writer;
	const char *output;	/* file; NULL: none */
	bool no_live;
	pid_t processes[MAX_PROCESSES];
	unsigned int nr_processes;
	const char *cgroup;
	char **argv;		/* the program; NULL: none */
};

/* Returns 0, -1 if all is done (--help), or an exit status after printing the reason. */
int options_parse(struct options *o, int argc, char **argv);

#endif /* QTIME_OPTIONS_H */
