/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The time since some point in the past, by a clock that is never set (CLOCK_MONOTONIC). */
#ifndef COMMON_MONOTONIC_H
#define COMMON_MONOTONIC_H

#include <stdint.h>
#include <time.h>

static inline uint64_t monotonic_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static inline double monotonic_s(void)
{
	return (double)monotonic_ns() / 1e9;
}

#endif /* COMMON_MONOTONIC_H */
