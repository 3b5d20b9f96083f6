/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The command line of pmctrack. */
#ifndef PMCTRACK_CLI_OPTIONS_H
#define PMCTRACK_CLI_OPTIONS_H

#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "sets.h"

#define MAX_METRICS	32
#define MAX_PROCESSES	64	/* in the list of -p */

struct writer;

/* The parsed command line. The strings are those of argv. */
struct options {
	const char *events[MAX_SETS];	/* -c; each string makes one or more event sets */
	unsigned int nr_events;
	bool raw;		/* -r */
	bool strict;		/* --strict */
	bool aggregate;		/* -A */
	bool summary;		/* --summary */
	const struct writer *format;	/* --csv, --json or --openmetrics; default: the table */
	const char *virts;	/* -V */
	const char *metrics[MAX_METRICS];	/* -m */
	unsigned int nr_metrics;
	bool system;		/* -S */
	const char *cgroup;	/* --cgroup */
	double period;		/* -T, seconds */
	const char *output;	/* -o, NULL: stdout */
	bool bind;		/* -b */
	cpu_set_t cpus;
	unsigned long max_samples;	/* -n, 0: no limit */
	double max_seconds;	/* -N, 0: no limit */
	bool no_mappings;	/* -L */
	bool times;		/* -t */
	bool no_inherit;	/* --no-inherit */
	pid_t processes[MAX_PROCESSES];	/* -p */
	unsigned int nr_processes;
	uint32_t ring_size;	/* -k, bytes */
	char **argv;		/* the program; NULL: none */
};

/*
 * Parse the command line. Returns 0: monitor; -1: nothing is left to do, as after -m list. On an
 * error, prints the reason and returns an exit status.
 */
int options_parse(struct options *o, int argc, char **argv);
/* Parse the arguments of -b and -k. Both return 0 or a negative errno. */
int parse_cpus(const char *text, cpu_set_t *set);
int parse_size(const char *text, uint32_t *bytes);

#endif /* PMCTRACK_CLI_OPTIONS_H */
