/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Derived metrics: numbers that are computed from counts (-m). */
#ifndef PMCTRACK_CLI_METRIC_H
#define PMCTRACK_CLI_METRIC_H

#include <stdbool.h>
#include <stddef.h>

/* One operation of a formula, on a stack of numbers. */
struct metric_op {
	char op;		/* + - * / ~ (negate); n: push @number; v: push value of @name */
	double number;
	char *name;		/* of an event, a virtual counter, or run_ns, hw_ns */
};

/* A metric: its name and its formula. */
struct metric {
	char *name;
	char *formula;
	struct metric_op *ops;	/* in postfix order */
	unsigned int nr_ops;
};

/* The metrics of a command line, in the same order. */
struct metrics {
	struct metric *of;
	unsigned int nr;
};

/* Parse "NAME=FORMULA". Returns 0, or a negative errno with the reason in @why. */
int metric_parse(struct metric *m, const char *text, char *why, size_t size);
/*
 * Compute a metric; @value is called for the value of each name in it. Returns false if
 * the metric has no value, because a name has none or because of a division by zero.
 */
bool metric_value(const struct metric *m, bool (*value)(const char *name, double *v, void *arg),
		  void *arg, double *result);
void metric_free(struct metric *m);

/*
 * Parse texts that are NAME=FORMULA or the name of a ready metric. Returns 0; or prints the reason
 * and returns an exit status.
 */
int metrics_parse(struct metrics *all, const char *const *texts, unsigned int nr);
/* Calls @fn for each ready metric until @fn returns a value other than 0. Returns that value. */
int metrics_each_ready(int (*fn)(const char *name, const char *formula, const char *desc, void *arg),
		       void *arg);
/* The events in the formulas, as a list for -c, which the caller frees; NULL: no memory. */
char *metrics_events(const struct metrics *all);
void metrics_free(struct metrics *all);

#endif /* PMCTRACK_CLI_METRIC_H */
