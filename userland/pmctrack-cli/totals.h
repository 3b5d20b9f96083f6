/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sums of all samples, and what part of the time they were counted. */
#ifndef PMCTRACK_CLI_TOTALS_H
#define PMCTRACK_CLI_TOTALS_H

#include <stdbool.h>
#include <stdint.h>

#include "sets.h"

struct metric;
struct row;

/* The sums of one run. */
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

void totals_add(struct totals *t, const struct row *row);
/* The @i-th event of a set. */
struct total totals_of(const struct totals *t, unsigned int set, unsigned int i);
/* A virtual counter: its sum, or the mean in time of a gauge. False: no sample had it. */
bool totals_virt(const struct totals *t, unsigned int virt, double *value);
/* A metric of the whole; @exact: of events that were counted all the time. */
bool totals_metric(const struct totals *t, const struct metric *m, double *value, bool *exact);
/* Time in which anything was monitored, in seconds. */
double totals_run_s(const struct totals *t);

#endif /* PMCTRACK_CLI_TOTALS_H */
