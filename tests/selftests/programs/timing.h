/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Timing of the benchmark programs: in nanoseconds, by median. */
#ifndef TIMING_H
#define TIMING_H

#include <stdlib.h>
#include <time.h>

static inline long long now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static int compare_times(const void *a, const void *b)
{
	long long x = *(const long long *)a, y = *(const long long *)b;

	return (x > y) - (x < y);
}

static inline long long median(long long *times, size_t nr)
{
	qsort(times, nr, sizeof(times[0]), compare_times);
	return times[nr / 2];
}

#endif /* TIMING_H */
