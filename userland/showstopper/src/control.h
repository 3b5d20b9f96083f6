/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Module control: the global duty cycle that brings the load to its target
 * (paper, 3.2.3, equations 3 and 4).
 */
#ifndef SHOWSTOPPER_CONTROL_H
#define SHOWSTOPPER_CONTROL_H

#include <stdatomic.h>
#include <stdbool.h>

#include "feedback.h"

enum control_method {
	CONTROL_PI,	/* proportional and integral */
	CONTROL_GEOM,	/* growth by the ratio of target and load */
	CONTROL_CDC,	/* no feedback: the duty cycle is the target */
};

/*
 * The paper has ke = ki = 1, with time in seconds of all CPUs together. On many CPUs the loop then
 * oscillates, because its delay, a dithering quantum, stays the same. Here time is the clock's, and
 * a part of the output is less sensitive to single samples. The values were found by simulation
 * (tests/plant.c) for 1 to 128 CPUs.
 */
#define CONTROL_KE	0.2
#define CONTROL_KI	4.0	/* per second */
#define CONTROL_KAPPA_PI	2
#define CONTROL_KAPPA_GEOM	3

/**
 * struct control - an executor's controller
 * @method: the control method
 * @ke: gain of the error
 * @ki: gain of its integral over time
 * @nr_cpus: number of CPUs of the load
 * @duty: what it returned last, 0 to 1
 * @integral: ki times the integral (PI), 0 to 1
 * @mean_duty: mean duty cycle of the last seconds
 * @mean_load: mean load of the same seconds
 * @seen: seconds that it has observed
 * @last: the load that it saw last
 * @started: it has seen a load
 */
struct control {
	enum control_method method;
	double ke, ki;
	unsigned int nr_cpus;
	double duty;
	double integral;
	double mean_duty, mean_load;
	double seen;
	struct feedback_load last;
	bool started;
};

void control_init(struct control *c, enum control_method method, unsigned int nr_cpus);

/* Returns the duty cycle, 0 to 1, that the executor's own observations ask for. */
double control_next(struct control *c, double target, const struct feedback_load *load);

/*
 * Returns the mean of the own output and those of @kappa other executors, which keeps them from
 * drifting apart. @outputs holds what each has written last (below 0: nothing yet), @self is the
 * own index, of @nr. The own output is written here.
 */
double control_average(_Atomic double *outputs, unsigned int nr, unsigned int self,
		       unsigned int kappa, double own);

#endif /* SHOWSTOPPER_CONTROL_H */
