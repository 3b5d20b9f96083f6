/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The command line of qplacer. */
#ifndef QPLACER_OPTIONS_H
#define QPLACER_OPTIONS_H

#include <stdbool.h>
#include <sys/types.h>

#include "qplacer/anneal.h"

#define MAX_PROCESSES	64
#define MAX_WEIGHTS	32

/* -w NAME=N, or PID=N */
struct weight {
	const char *name;
	size_t len;
	double weight;
};

struct options {
	double interval;
	double max_seconds;	/* 0: none */
	struct anneal_params params;
	bool dry_run;
	bool json;
	const char *user;	/* NULL: the caller */
	pid_t processes[MAX_PROCESSES];
	unsigned int nr_processes;
	const char *cgroup;
	const char *published;
	struct weight weight[MAX_WEIGHTS];
	unsigned int nr_weights;
};

/* Returns 0, -1 if all is done (--help), or an exit status after printing the reason. */
int options_parse(struct options *o, int argc, char **argv);
/* The weight of a process, 1 if there is no -w for it. */
double options_weight(const struct options *o, pid_t pid, const char *name);

#endif /* QPLACER_OPTIONS_H */
