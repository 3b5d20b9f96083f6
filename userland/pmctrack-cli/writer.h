/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writers: one for each output format. A writer prints rows and totals; it neither
 * reads records nor computes metrics (row.h, totals.h).
 *
 * A new format is a file with its writer, and a line in WRITERS.
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

/* The formats that have an option: --NAME, whose writer is writer_NAME, and its help. */
#define WRITERS(WRITER)								\
	WRITER(csv, "print comma-separated values")				\
	WRITER(json, "print JSON Lines")					\
	WRITER(openmetrics, "with -S: print OpenMetrics; a FILE (-o) is replaced each\nperiod")

/* What writers know of the run, from before its first row to its end. */
struct report {
	FILE *out;
	const struct options *o;
	const struct sets *sets;
	const struct metrics *metrics;
	const struct totals *totals;	/* of the rows so far */
	uint64_t period_ns;
	bool rows;		/* rows are printed; false: only totals at the end */
};

/* How a run ended. */
struct outcome {
	double elapsed_s;
	bool has_times;		/* of a program that we ran */
	double user_s;
	double system_s;
	struct pmctrack_session_stats stats;	/* for totals_end() */
};

/**
 * struct writer - an output format
 * @name: of the format, and of its option without "--"
 * @summary: the writer that --summary takes instead of this one; NULL: this one
 * @system_only: the format is for CPUs (-S, --cgroup)
 * @every_row: @row is called also if only totals are printed
 * @state_size: bytes of the writer's own state (@state below), zero at @begin
 * @check: can these sets and metrics be written? 0, or an exit status with the
 *	reason printed. Called before anything is counted. May be NULL.
 * @check_file: for a format whose file (-o) the writer replaces as a whole; then
 *	report.out is not that file. Can it be replaced? 0 or a negative errno.
 *	Called first of all. NULL: report.out is the file.
 * @begin: called once, when counting has begun. May be NULL.
 * @row: called for each row. 0 or a negative errno. NULL: there are no rows.
 * @totals: called once, when all rows were given to report.totals, if only totals are
 *	printed. May be NULL.
 * @end: called once, when all rows were given, after @totals. 0 or a negative errno. For
 *	formats that end with something in any case. May be NULL.
 * @release: frees what is in the state, after @end. May be NULL.
 *
 * A failure to write to report.out need not be looked for: the caller does that.
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

/* Without an option: the table, and --summary of it. */
extern const struct writer writer_table, writer_summary;

#define WRITER_DECLARE(name, help) extern const struct writer writer_##name;
WRITERS(WRITER_DECLARE)
#undef WRITER_DECLARE

#endif /* PMCTRACK_CLI_WRITER_H */
