/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef THROUGHPUT_CALLS_RUN_H
#define THROUGHPUT_CALLS_RUN_H

/**
 * struct calls_options - of a program that counts its calls itself, by LD_PRELOAD
 * @function: one of those in calls/calls.h, or "any"
 * @unit: NULL: not given
 * @min: goal; 0: none
 */
struct calls_options {
	const char *function;
	const char *name;
	const char *unit;
	double min;
	double max;
	unsigned int weight;
};

/*
 * Executes the program in place of this one. Returns only on failure: an exit status; the reason
 * has been printed.
 */
int calls_run(const struct calls_options *o, char **argv);

#endif /* THROUGHPUT_CALLS_RUN_H */
