/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The command line of qtop. */
#ifndef QTOP_OPTIONS_H
#define QTOP_OPTIONS_H

#include <stdbool.h>
#include <sys/types.h>

#include "qtop/rows.h"

#define MAX_PROCESSES	64

struct options {
	double interval;
	unsigned long lines;	/* -n: number of intervals; 0: no end */
	bool batch;
	bool json;
	pid_t processes[MAX_PROCESSES];
	unsigned int nr_processes;
	const char *cgroup;
	const char *published;
	struct choice choice;
};

/* Returns 0, -1 if all is done (--help), or an exit status after printing the reason. */
int options_parse(struct options *o, int argc, char **argv);

#endif /* QTOP_OPTIONS_H */
