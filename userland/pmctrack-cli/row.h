/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A row: one sample, with everything that writers print looked up once. */
#ifndef PMCTRACK_CLI_ROW_H
#define PMCTRACK_CLI_ROW_H

#include <stdbool.h>
#include <stdint.h>
#include <pmctrack/libpmctrack.h>

#include "options.h"

struct metrics;
struct sets;

/* A row of one record. Its strings belong to the sets and metrics that it was made with. */
struct row {
	unsigned long nr;	/* of the sample, from 1 */
	const char *kind;
	uint64_t time_ns;
	uint64_t run_ns;
	uint64_t hw_ns;
	int tid;
	int tgid;
	unsigned int cpu;
	unsigned int core_type;	/* PMCTRACK_MAX_CORE_TYPES: of a CPU without usable counters */
	int set;		/* index in struct sets; -1: of a CPU without a set */
	bool merged;
	bool setuid;
	bool widened;
	bool disturbed;
	bool revoked;	/* the last of a thread whose monitoring somebody else ended */
	unsigned int nr_counts;
	struct row_count {
		const char *name;	/* of the event; NULL if there is no set */
		unsigned int counter;
		uint64_t value;
	} counts[PMCTRACK_MAX_COUNTERS];	/* as the events of the set */
	unsigned int nr_virts;
	struct row_virt {
		unsigned int index;	/* of the virtual counter */
		const char *name;
		bool known;	/* it has a value in this interval */
		uint64_t value;
	} virts[PMCTRACK_MAX_VIRT];	/* those that are wanted, ascending */
	unsigned int nr_metrics;
	struct row_metric {
		const char *name;
		bool known;	/* all that it is made of is in this row */
		double value;
	} metrics[MAX_METRICS];	/* in the order of the command line */
};

/*
 * The row of the @nr-th record. @metrics may be NULL: the row has none. Return: 0, or -ENOENT:
 * the record is of a core type that the session does not know; then there is no row.
 */
int row_make(struct row *row, unsigned long nr, const struct pmctrack_record *rec,
	     const struct sets *sets, const struct metrics *metrics);

#endif /* PMCTRACK_CLI_ROW_H */
