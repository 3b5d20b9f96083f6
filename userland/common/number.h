/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Numbers on a command line: without blanks or signs before them, or anything behind. */
#ifndef COMMON_NUMBER_H
#define COMMON_NUMBER_H

#include <stdint.h>
#include <sys/types.h>

/* Reads the digits at the beginning; @end is behind them. Returns 0 or a negative errno. */
int number_digits(const char *text, unsigned long *value, char **end);
/* Reads a number above 0. Returns 0 or -EINVAL. */
int number_count(const char *text, unsigned long *count);
/* Reads a time from 0 to a day, with or without a decimal point. Returns 0 or -EINVAL. */
int number_seconds(const char *text, double *seconds);
/* Reads "12,345", and adds to the @nr in @pids, which has room for @max. Returns 0 or -EINVAL. */
int number_pids(const char *text, pid_t *pids, unsigned int *nr, unsigned int max);

#endif /* COMMON_NUMBER_H */
