/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where rows go. */
#ifndef PMCTRACK_CLI_OUTPUT_H
#define PMCTRACK_CLI_OUTPUT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <pmctrack/libpmctrack.h>

#include "totals.h"

struct metric;
struct metrics;
struct options;

/* How a run ended. */
struct outcome {
	double elapsed_s;
	bool has_times;		/* of a program that we ran */
	double user_s;
	double system_s;
	struct pmctrack_session_stats stats;
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

#endif /* PMCTRACK_CLI_OUTPUT_H */
