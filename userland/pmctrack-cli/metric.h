/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Metrics: numbers made of counts (-m). */
#ifndef PMCTRACK_CLI_METRIC_H
#define PMCTRACK_CLI_METRIC_H

#include <stdbool.h>
#include <stddef.h>

/* An operation on a stack of numbers. */
struct metric_op {
	char op;		/* + - * / ~ (negate), or n: @number, v: @name */
	double number;
	char *name;		/* of an event, a virtual counter, or run_ns, hw_ns */
};

/* A formula, and its name. */
struct metric {
	char *name;
	char *formula;
	struct metric_op *ops;	/* in postfix order */
	unsigned int nr_ops;
};

/* The metrics of a command line, in its order. */
struct metrics {
	struct metric *of;
	unsigned int nr;
};

/* "NAME=FORMULA": 0, or a negative errno with the reason in @why. */
int metric_parse(struct metric *m, const char *text, char *why, size_t size);
/*
 * The value of a metric, by the values of its names, for which @value is called.
 * False: it has none, because a name has none, or because of a division by zero.
 */
bool metric_value(const struct metric *m, bool (*value)(const char *name, double *v, void *arg),
		  void *arg, double *result);
void metric_free(struct metric *m);

/* NAME=FORMULA, or names of ready metrics: 0, or an exit status with the reason printed. */
int metrics_parse(struct metrics *all, const char *const *texts, unsigned int nr);
/* Calls @fn for each ready metric until it returns something else than 0; returns that. */
int metrics_each_ready(int (*fn)(const char *name, const char *formula, const char *desc, void *arg),
		       void *arg);
/* The events that metrics are made of, as for -c; NULL without memory. Caller frees. */
char *metrics_events(const struct metrics *all);
void metrics_free(struct metrics *all);

#endif /* PMCTRACK_CLI_METRIC_H */
