/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the parts of pmctrack share. */
#ifndef PMCTRACK_CLI_H
#define PMCTRACK_CLI_H

#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <pmctrack/libpmctrack.h>

#define EXIT_USAGE	2
#define EXIT_SELF	1	/* pmctrack itself failed */
#define EXIT_CANNOT_RUN	126	/* as the shell: found, but cannot be executed */
#define EXIT_NOT_FOUND	127

#define MAX_SETS	(PMCTRACK_MAX_SETS * PMCTRACK_MAX_CORE_TYPES)

/* What the command line says. */
struct options {
	const char *events[MAX_SETS];	/* -c, each an event set or more */
	unsigned int nr_events;
	bool raw;		/* -r */
	bool strict;		/* --strict */
	bool aggregate;		/* -A */
	double period;		/* -T, seconds */
	const char *output;	/* -o, NULL: stdout */
	bool bind;		/* -b */
	cpu_set_t cpus;
	unsigned long max_samples;	/* -n, 0: no limit */
	double max_seconds;	/* -N, 0: no limit */
	bool no_mappings;	/* -L */
	bool times;		/* -t */
	bool no_inherit;	/* --no-inherit */
	pid_t processes[PMCTRACK_MAX_PIDS];	/* -p */
	unsigned int nr_processes;
	uint32_t ring_size;	/* -k, bytes */
	char **argv;		/* the program; NULL with -p */
};

/* options.c: 0, or an exit status with the reason printed (-1: all done) */
int options_parse(struct options *o, int argc, char **argv);
int parse_cpus(const char *text, cpu_set_t *set);
int parse_size(const char *text, uint32_t *bytes);

/* child.c: the program, held back until it may run */
struct child {
	sigset_t mask;		/* in: signals that the program is to have blocked */
	struct sigaction on_child;	/* in: what it is to do on SIGCHLD */
	int pid;
	int go;			/* write end: a byte lets it run, end of file ends it */
	int failure;		/* read end: errno of a failed exec */
};

int child_prepare(struct child *c, const struct options *o);
int child_run(struct child *c, const struct options *o);
void child_abandon(struct child *c);

/* run.c: monitor one program; exit status */
int run(const struct options *o);

/* sets.c: what is counted; a set is known to people by its index here */
struct sets {
	struct pmctrack_evset *set[MAX_SETS];
	unsigned int nr;
	unsigned int nr_core_types;
};

int sets_parse(struct sets *sets, const struct pmctrack_ctl *ctl, const struct options *o);
void sets_free(struct sets *sets);

/* table.c: output for people, as in the paper */
struct table {
	FILE *out;
	const struct sets *sets;
	uint32_t counters;	/* of all sets */
};

void table_mappings(FILE *out, const struct sets *sets);
void table_begin(struct table *t);
void table_row(const struct table *t, unsigned long nr, const struct pmctrack_record *rec);

/* aggregate.c: totals, and what part of the time they were counted (-A) */
struct aggregate {
	const struct sets *sets;
	uint64_t run_ns[PMCTRACK_MAX_CORE_TYPES + 1];
	struct {
		uint64_t hw_ns;
		uint64_t counts[PMCTRACK_MAX_COUNTERS];
	} of[MAX_SETS];
};

void aggregate_add(struct aggregate *a, const struct pmctrack_record *rec);
void aggregate_print(const struct aggregate *a, FILE *out);

/* complain.c */
void complain(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

#endif /* PMCTRACK_CLI_H */
