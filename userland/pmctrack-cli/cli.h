/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the parts of pmctrack share. */
#ifndef PMCTRACK_CLI_H
#define PMCTRACK_CLI_H

#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <pmctrack/libpmctrack.h>

#define EXIT_USAGE	2
#define EXIT_SELF	1	/* pmctrack itself failed */
#define EXIT_CANNOT_RUN	126	/* as the shell: found, but cannot be executed */
#define EXIT_NOT_FOUND	127

#define MAX_SETS	(PMCTRACK_MAX_SETS * PMCTRACK_MAX_CORE_TYPES)
#define MAX_METRICS	32
#define MAX_PROCESSES	64	/* of -p */

enum format { FORMAT_TABLE, FORMAT_CSV, FORMAT_JSON, FORMAT_OPENMETRICS };

/* What the command line says. */
struct options {
	const char *events[MAX_SETS];	/* -c, each an event set or more */
	unsigned int nr_events;
	bool raw;		/* -r */
	bool strict;		/* --strict */
	bool aggregate;		/* -A */
	bool summary;		/* --summary */
	enum format format;	/* --csv, --json, --openmetrics */
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

/* options.c: 0, or an exit status with the reason printed (-1: all done) */
int options_parse(struct options *o, int argc, char **argv);
int parse_cpus(const char *text, cpu_set_t *set);
int parse_size(const char *text, uint32_t *bytes);

/* doctor.c: the exit status of "pmctrack doctor" */
int doctor(int argc, char **argv);

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

/* metric.c: numbers made of counts (-m) */
struct metric_op {
	char op;		/* + - * / ~ (negate), or n: @number, v: @name */
	double number;
	char *name;		/* of an event, a virtual counter, or run_ns, hw_ns */
};

struct metric {
	char *name;
	char *formula;
	struct metric_op *ops;	/* in postfix order */
	unsigned int nr_ops;
};

struct metrics {
	struct metric *of;
	unsigned int nr;
};

int metric_parse(struct metric *m, const char *text, char *why, size_t size);
bool metric_value(const struct metric *m, bool (*value)(const char *name, double *v, void *arg),
		  void *arg, double *result);
void metric_free(struct metric *m);
int metrics_parse(struct metrics *all, const struct options *o);
int metrics_each_ready(int (*fn)(const char *name, const char *formula, const char *desc, void *arg),
		       void *arg);
char *metrics_events(const struct metrics *all);
void metrics_free(struct metrics *all);

/* metric_list.c: 0, or a negative errno with the reason printed */
int metrics_list(void);
int metrics_print(FILE *out, const struct pmctrack_ctl *ctl);

/* sets.c: what is counted; a set is known to people by its index here */
struct sets {
	struct pmctrack_evset *set[MAX_SETS];
	unsigned int nr;
	unsigned int nr_core_types;
	bool of_mmon;		/* the monitoring module's */
	uint32_t virts;		/* mask of the virtual counters that are wanted */
	struct {
		char *name;
		char *unit;
		bool gauge;
	} virt[PMCTRACK_MAX_VIRT];
};

int sets_parse(struct sets *sets, const struct pmctrack_ctl *ctl, const struct options *o,
	       const struct metrics *metrics);
void sets_free(struct sets *sets);

/* totals.c: sums of all samples, and what part of the time they were counted */
struct totals {
	const struct sets *sets;
	unsigned long nr;	/* samples */
	uint64_t merged;	/* samples that cover more than one period */
	uint64_t setuid;	/* threads that ended monitoring by exec */
	uint64_t widened;	/* windows longer than asked for */
	uint64_t disturbed;	/* samples whose counters somebody else wrote */
	uint64_t run_ns[PMCTRACK_MAX_CORE_TYPES + 1];
	struct {
		uint64_t hw_ns;
		uint64_t counts[PMCTRACK_MAX_COUNTERS];
	} of[MAX_SETS];
	struct {
		uint64_t nr;	/* samples with a value */
		uint64_t sum;
		double weighted;	/* of a gauge, by time */
		double weight;
	} virt[PMCTRACK_MAX_VIRT];
};

/* Of one event of a set. */
struct total {
	uint64_t counted;
	double coverage;	/* 0 to 1 */
	bool complete;		/* counted all the time */
	double estimate;	/* of the whole, if coverage is not 0 */
};

void totals_add(struct totals *t, const struct pmctrack_record *rec);
struct total totals_of(const struct totals *t, unsigned int set, unsigned int i);
bool totals_virt(const struct totals *t, unsigned int virt, double *value);
bool totals_metric(const struct totals *t, const struct metric *m, double *value, bool *exact);
double totals_run_s(const struct totals *t);

/* output.c: where rows go */
struct outcome {
	double elapsed_s;
	bool has_times;		/* of a program that we ran */
	double user_s;
	double system_s;
	struct pmctrack_session_stats stats;
	const struct pmctrack_session *session;
};

struct output {
	FILE *out;
	const struct options *o;
	const struct sets *sets;
	const struct metrics *metrics;
	uint64_t period_ns;
	struct totals totals;
	uint32_t counters;	/* of all sets; of the table */
	char **columns;		/* distinct event names; of CSV */
	unsigned int nr_columns;
	struct per_cpu *cpus;	/* of OpenMetrics */
	unsigned int nr_cpus;
	int error;		/* errno of the first failure to write */
	bool created;		/* the file of -o is ours, and the run has not begun */
};

void output_begin(struct output *w);
void output_row(struct output *w, const struct pmctrack_record *rec);
void output_flush(struct output *w);
void output_end(struct output *w, const struct outcome *end);
bool output_rows(const struct output *w);
const char *kind_name(unsigned int kind);
bool row_metric(const struct output *w, const struct pmctrack_record *rec, const struct metric *m,
		double *value);

/* file.c: the file of -o, or the standard output */
int file_open(struct output *w);
void file_begin(struct output *w);
void file_close(struct output *w);

/* One of these writes: table.c, csv.c, json.c, openmetrics.c, summary.c */
void table_mappings(const struct output *w);
void table_begin(struct output *w);
void table_row(const struct output *w, const struct pmctrack_record *rec);
void table_totals(const struct output *w);
int csv_check(const struct sets *sets, const struct metrics *metrics);
void csv_begin(struct output *w);
void csv_row(const struct output *w, const struct pmctrack_record *rec);
void csv_totals(const struct output *w);
void csv_free(struct output *w);
void json_begin(const struct output *w);
void json_row(const struct output *w, const struct pmctrack_record *rec);
void json_end(const struct output *w, const struct outcome *end);
int openmetrics_check(const struct output *w);
void openmetrics_row(struct output *w, const struct pmctrack_record *rec);
void openmetrics_write(struct output *w);
void openmetrics_free(struct output *w);
void summary_print(const struct output *w, const struct outcome *end);

/* complain.c */
void complain(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

#endif /* PMCTRACK_CLI_H */
