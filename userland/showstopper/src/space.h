/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Module space: each benchmark's part of the global duty cycle (paper, 3.2.4). */
#ifndef SHOWSTOPPER_SPACE_H
#define SHOWSTOPPER_SPACE_H

enum space_method {
	SPACE_EVEN,	/* all the same */
	SPACE_UNEVEN,	/* as few as possible run */
};

/*
 * Returns the duty cycle of benchmark @i of @nr if their mean is to be @duty, all 0 to 1: half of
 * three is 1/2, 1/2, 1/2 or 1, 1/2, 0.
 */
static inline double space_duty(enum space_method method, double duty, unsigned int i,
				unsigned int nr)
{
	double rest;

	if (method == SPACE_EVEN)
		return duty;
	rest = duty * nr - i;
	return rest < 0 ? 0 : rest > 1 ? 1 : rest;
}

#endif /* SHOWSTOPPER_SPACE_H */
