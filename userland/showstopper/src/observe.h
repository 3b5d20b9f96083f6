/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The load as an independent observer sees it, which knows nothing of the control: over each
 * 500 ms, like the paper's cpuload. Log and summary are made from it.
 */
#ifndef SHOWSTOPPER_OBSERVE_H
#define SHOWSTOPPER_OBSERVE_H

#include <stdio.h>

#include "load.h"
#include "out.h"
#include "run.h"
#include "trace.h"

#define OBSERVE_PERIOD	(500 * NS_PER_MS)
/* How long the controllers may take to reach the target, before errors count. */
#define OBSERVE_SETTLE	(3 * NS_PER_S)
/* How long readers of log and summary may take at the end. */
#define OBSERVE_PATIENCE	(2 * NS_PER_S)

/**
 * struct observation - what was observed in a period
 * @at: its end, ns since the trace began
 * @target: 0 to 1, in its middle
 * @load: 0 to 1
 * @duty: mean duty cycle of units that run
 * @running: number of units that run
 * @iterations: ended programs, all together
 * @own: CPU time of showstopper's own processes, ns
 */
struct observation {
	int64_t at;
	double target;
	double load;
	double duty;
	unsigned int running;
	uint64_t iterations;
	int64_t own;
};

/**
 * struct observer - all observations of a run
 * @load: what is observed
 * @last: times at the end of the last period
 * @last_at: when that period ended
 * @log: log of all observations
 * @json: lines of JSON, not CSV
 * @paused: the run was paused at the end of the last period
 * @nr: observations that count
 * @error: sum of target minus load
 * @squares: sum of its squares
 * @sum_load: sum of loads
 * @first: the first observation that counts
 * @latest: the last one
 */
struct observer {
	struct load *load;
	struct load_time last;
	int64_t last_at;
	struct out log;
	int json;
	bool paused;
	unsigned int nr;
	double error, squares, sum_load;
	struct observation first;
	struct observation latest;
};

/*
 * Returns 0 or a negative errno. The log is @fd, if @path is not NULL: CSV, or lines of JSON if
 * @path ends with .jsonl.
 */
int observer_open(struct observer *o, struct load *load, const char *path, int fd);
/* Call this at the end of a period. Returns 0 or a negative errno. */
int observer_take(struct observer *o, const struct run *run, const struct trace *trace);
/* Print the summary for people to standard error. */
void observer_summary(const struct observer *o);
/* Write the summary as JSON to @fd, and close it. Returns 0 or a negative errno. */
int observer_write_summary(const struct observer *o, const struct run *run, int fd);
int observer_close(struct observer *o);

#endif /* SHOWSTOPPER_OBSERVE_H */
