/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Decides how many CPUs a program needs: a PI controller with one pole (section 2.2 of the paper),
 * on top of the model. Pure.
 *
 *	c(k) = c(k-1) + (1-p)/b e(k) - a (1-p)/b e(k-1),   e = goal - r
 *
 * c(k-1) is what was granted, not what was asked for. This is the whole anti-windup.
 *
 * A goal can be a range: within the range, e is 0. The following is not in the paper: if a
 * program's rate no longer grows with its CPUs, the program gets no more CPUs than it needs for
 * that rate.
 */
#ifndef QOS_MANAGER_H
#define QOS_MANAGER_H

#include "model.h"

/*
 * The rate is remembered for so many numbers of CPUs (rounded up from a quarter). Larger numbers
 * share the last level.
 */
#define QOS_LEVELS 64

/**
 * struct qos_level - what is known of one number of CPUs
 * @rate: units/s that the program had with so many CPUs, lately
 * @at: step of the manager in which the rate was seen last
 * @seen: how often it was seen, counted up to a limit
 */
struct qos_level {
	double rate;
	unsigned long at;
	unsigned int seen;
};

/**
 * struct qos_manager - the controller of one program
 * @model: model of the program
 * @pole: p, 0 to 1: larger values are slower and smoother
 * @e: error of the last step, units/s
 * @known: @e is known
 * @most: CPUs that the program can have at most
 * @granted: CPUs that it was granted last
 * @shared: this was less than it asked for, because other programs ask, too
 * @demand: CPUs that it asked for last
 * @probed: CPUs in a trial of whether fewer CPUs do as well
 * @short_of: number of steps in which it has had all CPUs, and they were not enough
 * @probing: steps of the trial that are left
 * @steps: number of steps so far
 * @probed_at: number of the step in which the last trial began
 * @step_s: seconds of a step
 * @missed: units that it should have delivered since its last delivery, while it used its CPUs
 * @usual: so many missed units are usual, because the program delivers many at a time
 * @level: what is known of each number of CPUs, from 1
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
