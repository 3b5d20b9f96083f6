/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Numbers on a command line: without blanks or signs before them, or anything behind. */
#ifndef COMMON_NUMBER_H
#define COMMON_NUMBER_H

#include <stdint.h>
#include <sys/types.h>

/* Digits only at the beginning; @end is behind them. 0 or a negative errno. */
int number_digits(const char *text, unsigned long *value, char **end);
/* A number above 0. 0 or -EINVAL. */
int number_count(const char *text, unsigned long *count);
/* From 0 to a day, with a decimal point or without. 0 or -EINVAL. */
int number_seconds(const char *text, double *seconds);
/* "12,345": adds to the @nr in @pids, which has room for @max. 0 or -EINVAL. */
int number_pids(const char *text, pid_t *pids, unsigned int *nr, unsigned int max);

#endif /* COMMON_NUMBER_H */
