/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writers: one for each output format. A writer prints rows and totals. It neither
 * reads records nor computes metrics, which row.h and totals.h do.
 *
 * A new format needs a file with its writer, and a line in WRITERS.
 */
#ifndef PMCTRACK_CLI_WRITER_H
#define PMCTRACK_CLI_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <pmctrack/libpmctrack.h>

struct metrics;
struct options;
struct row;
struct sets;
struct totals;

/* The formats that have an option. Format NAME has option --NAME, writer_NAME and a help text. */
#define WRITERS(WRITER)								\
	WRITER(csv, "print comma-separated values")				\
	WRITER(json, "print JSON Lines")					\
	WRITER(openmetrics, "with -S: print OpenMetrics; a FILE (-o) is replaced each\nperiod")

/* What writers know about a run. Valid from before its first row until its end. */
struct report {
	FILE *out;
	const struct options *o;
	const struct sets *sets;
	const struct metrics *metrics;
	const struct totals *totals;	/* totals of the rows so far */
	uint64_t period_ns;
	bool rows;		/* rows are printed; false: only totals at the end */
};

/* How a run ended. */
struct outcome {
	double elapsed_s;
	bool has_times;		/* the next two are known, because pmctrack ran a program */
	double user_s;
	double system_s;
	struct pmctrack_session_stats stats;	/* for totals_end() */
};

/**
 * struct writer - an output format
 * @name: name of the format, and of its option without "--"
 * @summary: the writer that --summary uses instead of this one; NULL: this one
 * @system_only: the format is only for CPUs (-S, --cgroup)
 * @every_row: @row is called even if only totals are printed
 * @state_size: bytes of the writer's own state (@state below), zero at @begin
 * @check: checks that the format can write these sets and metrics. Called before
 *	anything is counted. Returns 0; or prints the reason and returns an exit status.
 *	May be NULL.
 * @check_file: only for a format whose writer replaces the file (-o) as a whole; then
 *	report.out is not that file. Checks that the file can be replaced. Called
 *	before all others. Returns 0 or a negative errno. NULL: report.out is the file.
 * @begin: called once, when counting has begun. May be NULL.
 * @row: called for each row. Returns 0 or a negative errno. NULL: the format has no rows.
 * @totals: called once if only totals are printed, after all rows were added to
 *	report.totals. May be NULL.
 * @end: called once, after all rows and after @totals, for formats that always print
 *	something at the end. Returns 0 or a negative errno. May be NULL.
 * @release: called after @end; frees what the state refers to. May be NULL.
 *
 * Writers need not check for errors of report.out, because the caller does.
 */
struct writer {
	const char *name;
	const struct writer *summary;
	bool system_only;
	bool every_row;
	size_t state_size;
	int (*check)(const struct report *r);
	int (*check_file)(const char *path);
	void (*begin)(const struct report *r, void *state);
	int (*row)(const struct report *r, void *state, const struct row *row);
	void (*totals)(const struct report *r, const struct outcome *end);
	int (*end)(const struct report *r, void *state, const struct outcome *end);
	void (*release)(void *state);
};

/* The writers of the default format, the table: rows or -A, and --summary. */
extern const struct writer writer_table, writer_summary;

#define WRITER_DECLARE(name, help) extern const struct writer writer_##name;
WRITERS(WRITER_DECLARE)
#undef WRITER_DECLARE

#endif /* PMCTRACK_CLI_WRITER_H */
