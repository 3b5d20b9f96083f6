/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How many CPUs does a program need? A PI controller with one pole (section 2.2 of the paper), on
 * top of the model. Pure.
 *
 *	c(k) = c(k-1) + (1-p)/b e(k) - a (1-p)/b e(k-1),   e = goal - r
 *
 * c(k-1) is what was granted, not what was asked for: that is all there is to anti-windup.
 *
 * A goal can be a range: within it, e is 0. What the paper does not have: a program whose rate does
 * not grow with its CPUs any more is not given more of them than it needs for that rate.
 */
#ifndef QOS_MANAGER_H
#define QOS_MANAGER_H

#include "model.h"

/* Numbers of CPUs, rounded up, whose rates are remembered; larger ones share the last. */
#define QOS_LEVELS 64

/**
 * struct qos_level - with so many CPUs
 * @rate: units/s that the program had, lately
 * @at: step of the manager in which that was
 * @seen: how often, up to some
 */
struct qos_level {
	double rate;
	unsigned long at;
	unsigned int seen;
};

/**
 * struct qos_manager - a program
 * @model: of it
 * @pole: p, 0 to 1: larger ones are slower and smoother
 * @e: of the last step
 * @known: @e is
 * @most: CPUs that it can have
 * @granted: CPUs
 * @shared: that was less than it asked for, because others ask, too
 * @demand: CPUs, as asked for last
 * @probed: CPUs with which it is tried whether fewer do as well
 * @short_of: steps for which it has had all, and it was not enough
 * @probing: steps of the trial that are left
 * @steps: counted
 * @probed_at: number of the step of the last trial
 * @step_s: seconds of a step
 * @missed: units that it should have delivered since it did so last, using its CPUs
 * @usual: as many may be missed, as it delivers many at a time
 * @level: by number of CPUs, from 1
 */
struct qos_manager {
	struct qos_model model;
	double pole;
	double e;
	bool known;
	bool shared;
	double most;
	double granted;
	double demand;
	double probed;
	unsigned int short_of;
	unsigned int probing;
	unsigned long steps;
	unsigned long probed_at;
	double step_s;
	double missed;
	double usual;
	struct qos_level level[QOS_LEVELS];
};

/**
 * struct qos_goal - what a program should deliver, in units/s
 * @min: more than 0
 * @max: at least @min
 */
struct qos_goal {
	double min;
	double max;
};

double qos_least_pole(double delay_steps);
double qos_manager_window(struct qos_manager *m, double rate, const struct qos_goal *goal,
			  double step_s, double pole);
void qos_manager_begin(struct qos_manager *m, double pole, double window_a, double granted,
		       double most);
double qos_manager_step(struct qos_manager *m, double rate, bool learn, const struct qos_goal *goal);
void qos_manager_grant(struct qos_manager *m, double rate, double cpus, bool shared);
double qos_manager_best(const struct qos_manager *m);
double qos_manager_plateau(const struct qos_manager *m);
bool qos_manager_is_silent(const struct qos_manager *m);

#endif /* QOS_MANAGER_H */
