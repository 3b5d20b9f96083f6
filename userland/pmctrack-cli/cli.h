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

/* What the command line says. */
struct options {
	const char *events;
	bool raw;		/* -r */
	double period;		/* -T, seconds */
	const char *output;	/* -o, NULL: stdout */
	bool bind;		/* -b */
	cpu_set_t cpus;
	unsigned long max_samples;	/* -n, 0: no limit */
	double max_seconds;	/* -N, 0: no limit */
	bool no_mappings;	/* -L */
	bool times;		/* -t */
	bool no_inherit;	/* --no-inherit */
	uint32_t ring_size;	/* -k, bytes */
	char **argv;		/* the program */
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

/* table.c: output for people, as in the paper */
struct table {
	FILE *out;
	unsigned long nr_samples;
	uint64_t merged;	/* records that cover more than one period */
	uint64_t setuid;	/* threads that ended monitoring by exec */
};

void table_begin(struct table *t, const struct pmctrack_evset *set, bool mappings);
void table_row(struct table *t, const struct pmctrack_record *rec);

/* complain.c */
void complain(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

#endif /* PMCTRACK_CLI_H */
