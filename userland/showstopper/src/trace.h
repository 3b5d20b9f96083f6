/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Module trace: which load is wanted at which time. */
#ifndef SHOWSTOPPER_TRACE_H
#define SHOWSTOPPER_TRACE_H

#include <stddef.h>
#include <stdint.h>

#define NS_PER_S	1000000000LL
#define NS_PER_MS	1000000LL

/**
 * struct trace_point - the load at an instant; between two, it is interpolated
 * @at: ns since the trace began, ascending
 * @load: fraction of all CPUs, 0 to 1
 */
struct trace_point {
	int64_t at;
	double load;
};

/**
 * struct trace - a load over time
 * @points: at least one; before the first and after the last the load is theirs
 * @nr: how many
 * @period: ns after which it begins again, 0: never
 * @amplitude: of a sine around the only point, 0: none
 */
struct trace {
	struct trace_point *points;
	size_t nr;
	int64_t period;
	double amplitude;
};

/* All return 0 or a negative errno, with a message for people in @why. */
struct trace_why { char text[200]; };

int trace_constant(struct trace *t, double load, struct trace_why *why);

/* @mean plus @amplitude * sin(2 pi t / @period); both bounds must be loads. */
int trace_sine(struct trace *t, double mean, double amplitude, int64_t period,
	       struct trace_why *why);

/*
 * The symmetric staircase of the paper (6.1.4): @from to @to and back in steps of
 * @step, each for @hold ns. Steps are sharp.
 */
int trace_staircase(struct trace *t, double from, double to, double step, int64_t hold,
		    struct trace_why *why);

/*
 * A file of lines "seconds,percent"; empty lines, lines with # and a first line of
 * names are skipped. Times ascend from 0 or later; a step of more than three times
 * the usual one is refused, as a gap, unless @gaps.
 */
int trace_file(struct trace *t, const char *path, int gaps, struct trace_why *why);

/* Replay @speed times faster. The trace must still take 1 ms at least. */
int trace_scale(struct trace *t, double speed, struct trace_why *why);

/* Returns the load wanted @at ns after the beginning, 0 to 1. */
double trace_target(const struct trace *t, int64_t at);

/* Returns when the last point is, in ns; 0 for a trace that never ends. */
int64_t trace_end(const struct trace *t);

void trace_free(struct trace *t);

#endif /* SHOWSTOPPER_TRACE_H */
