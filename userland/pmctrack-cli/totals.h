/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Totals of all samples: the part of the time in which they were counted, and what is missing. */
#ifndef PMCTRACK_CLI_TOTALS_H
#define PMCTRACK_CLI_TOTALS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sets.h"

struct metric;
struct row;

/**
 * enum missed - reasons why events, or the time in which they were counted, are not in the totals
 * @MISSED_LOST: last samples of threads that did not fit into the kernel's buffer: their
 *	events are in the totals, their time and virtual counters are not
 * @MISSED_SKIPPED: threads for which the kernel had no memory
 * @MISSED_SETUID: threads that executed a program with other privileges
 * @MISSED_LEFT_OUT: threads of running processes that were not attached
 * @MISSED_TAKEN: threads that a session with CAP_PERFMON took over
 * @MISSED_REVOKED: 1 if an administrator ended the session
 * @MISSED_RUNNING: threads that still run
 * @MISSED_SURPLUS: samples after the last one that was asked for (-n)
 * @MISSED_UNCOUNTED: nanoseconds on CPUs whose counters cannot be used
 */
enum missed {
	MISSED_LOST,
	MISSED_SKIPPED,
	MISSED_SETUID,
	MISSED_LEFT_OUT,
	MISSED_TAKEN,
	MISSED_REVOKED,
	MISSED_RUNNING,
	MISSED_SURPLUS,
	MISSED_UNCOUNTED,
	NR_MISSED
};

/* The sums of one run. */
struct totals {
	const struct sets *sets;
	unsigned long nr;	/* samples */
	uint64_t merged;	/* samples that cover more than one period */
	uint64_t widened;	/* windows longer than requested */
	uint64_t disturbed;	/* samples whose counters other software wrote */
	uint64_t run_ns[PMCTRACK_MAX_CORE_TYPES + 1];
	struct {
		uint64_t hw_ns;
		uint64_t counts[PMCTRACK_MAX_COUNTERS];
	} of[MAX_SETS];
	/* Events of lost samples: by core type, set of that core type, counter. */
	uint64_t lost[PMCTRACK_MAX_CORE_TYPES][PMCTRACK_MAX_SETS][PMCTRACK_MAX_COUNTERS];
	struct {
		uint64_t nr;	/* samples with a value */
		uint64_t sum;
		double weighted;	/* for a gauge: sum of value times run_ns */
		double weight;		/* sum of run_ns */
	} virt[PMCTRACK_MAX_VIRT];
	uint64_t missed[NR_MISSED];	/* how much is missing, by reason; 0: nothing */
};

/*
 * Total of one event of a set. The mark is printed before the number, for people: "~" if the
 * number is extrapolated to the time in which the event was not counted, ">=" if events may
 * be missing, "" if the number is exact.
 */
struct total {
	bool known;		/* the event was counted at some time */
	bool exact;		/* counted all the time, and nothing is missing */
	bool extrapolated;	/* @estimate is for the whole time; else it is @counted */
	const char *mark;
	uint64_t counted;	/* events that were counted, including @lost */
	uint64_t lost;		/* events in samples that were lost */
	double coverage;	/* part of the time in which the event was counted, 0 to 1 */
	double estimate;	/* of the events in the whole time, if @known */
};

/* Total of a virtual counter: the sum of its values; for a gauge, their mean over time. */
struct virt_total {
	bool known;		/* at least one sample has a value */
	bool exact;		/* all samples have a value, and nothing is missing */
	bool is_mean;
	const char *mark;	/* as in struct total */
	uint64_t sum;
	double mean;
};

void totals_add(struct totals *t, const struct row *row);
/* Add events of lost samples, as the kernel reports them. */
void totals_add_lost(struct totals *t, unsigned int core_type, unsigned int set,
		     unsigned int counter, uint64_t events);
/* Find out what is missing, after all samples were added. */
void totals_end(struct totals *t, const struct pmctrack_session_stats *stats);
/* True if nothing is missing. Then a total is exact if its event was counted all the time. */
bool totals_whole(const struct totals *t);
/* The total of event @i of a set. */
struct total totals_of(const struct totals *t, unsigned int set, unsigned int i);
struct virt_total totals_virt(const struct totals *t, unsigned int virt);
/* Compute a metric from totals; @exact: all these are exact. Returns false if it has no value. */
bool totals_metric(const struct totals *t, const struct metric *m, double *value, bool *exact);
/* Time in which threads or CPUs were monitored, summed up, in seconds. */
double totals_run_s(const struct totals *t);

/* The number of a total that is known, as text without its mark. */
void total_text(const struct total *total, char *text, size_t size);
void virt_total_text(const struct virt_total *total, char *text, size_t size);

#endif /* PMCTRACK_CLI_TOTALS_H */
