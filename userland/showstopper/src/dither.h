/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Module dithering: how long a benchmark runs and is stopped (paper, 3.2.5).
 * Runnable for D(n) tau, then stopped for (1 - D(n + 1)) tau: the number of
 * changes hardly depends on the duty cycle.
 */
#ifndef SHOWSTOPPER_DITHER_H
#define SHOWSTOPPER_DITHER_H

#include <stdbool.h>
#include <stdint.h>

#define DITHER_TAU	107000000LL	/* ns */
/* Shorter times are not worth two signals. */
#define DITHER_LEAST	500000LL	/* ns */

/* Returns how long to be runnable, or (not @run) stopped, in ns; 0: not at all. */
static inline int64_t dither_time(double duty, int64_t tau, bool run)
{
	int64_t time = (int64_t)((run ? duty : 1 - duty) * tau);

	return time < DITHER_LEAST ? 0 : time;
}

#endif /* SHOWSTOPPER_DITHER_H */
