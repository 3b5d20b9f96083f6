/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A row: one sample, with all names and values that writers print. */
#ifndef PMCTRACK_CLI_ROW_H
#define PMCTRACK_CLI_ROW_H

#include <stdbool.h>
#include <stdint.h>
#include <pmctrack/libpmctrack.h>

#include "options.h"

struct metrics;
struct sets;

/* The row of one record. Its strings belong to the sets and metrics it was made with. */
struct row {
	unsigned long nr;	/* number of the sample, from 1 */
	const char *kind;
	uint64_t time_ns;
	uint64_t run_ns;
	uint64_t hw_ns;
	int tid;
	int tgid;
	unsigned int cpu;
	unsigned int core_type;	/* PMCTRACK_MAX_CORE_TYPES: the CPU has no usable counters */
	int set;		/* index in struct sets; -1: the CPU has no set */
	bool merged;
	bool setuid;
	bool widened;
	bool disturbed;
	bool revoked;	/* last row of a thread whose monitoring an administrator ended */
	unsigned int nr_counts;
	struct row_count {
		const char *name;	/* name of the event; NULL if there is no set */
		unsigned int counter;
		uint64_t value;
	} counts[PMCTRACK_MAX_COUNTERS];	/* in the order of the set's events */
	unsigned int nr_virts;
	struct row_virt {
		unsigned int index;	/* number of the virtual counter */
		const char *name;
		bool known;	/* the counter has a value in this interval */
		uint64_t value;
	} virts[PMCTRACK_MAX_VIRT];	/* the virtual counters of -V, ascending */
	unsigned int nr_metrics;
	struct row_metric {
		const char *name;
		bool known;	/* the metric has a value in this row */
		double value;
	} metrics[MAX_METRICS];	/* in the order of the command line */
};

/*
 * Make the row of record number @nr. If @metrics is NULL, the row has no metrics. Returns 0; or
 * -ENOENT, without a row, if the session does not know the record's core type.
 */
int row_make(struct row *row, unsigned long nr, const struct pmctrack_record *rec,
	     const struct sets *sets, const struct metrics *metrics);

#endif /* PMCTRACK_CLI_ROW_H */
