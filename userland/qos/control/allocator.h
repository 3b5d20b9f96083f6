/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Who gets how many CPUs (section 2.3 of the paper)? Pure.
 *
 * When all demands fit, each is met. Otherwise each program gets a part of what it asked for: the
 * same part for all (equation 3), in proportion to weights, but never less than its floor nor more
 * than its demand. The floor is one CPU, or, with more programs than CPUs, an equal part. Before
 * that, CPUs are divided among users, by weights alone, so that nobody has more for having more
 * programs, or for asking for more.
 *
 * CPUs are then rounded to what can be given. What is lost by that is carried on, so that it comes
 * right over time; and small changes are not made.
 */
#ifndef QOS_ALLOCATOR_H
#define QOS_ALLOCATOR_H

#include <stddef.h>

/**
 * struct qos_share - a program
 * @demand: CPUs that it asks for; whoever asks for less than the floor is given the floor
 * @cap: CPUs that it can use at most (its threads)
 * @weight: 1 to 1000
 * @fair: CPUs, before rounding; set by qos_allocate()
 * @granted: CPUs; likewise. What it had before, at first: 0 for a new one
 * @carry: CPUs that rounding has taken from it, or given; 0 at first
 */
struct qos_share {
	double demand;
	double cap;
	double weight;
	double fair;
	double granted;
	double carry;
};

/**
 * struct qos_machine - what there is to give
 * @cpus: so many
 * @unit: the smallest part of a CPU that can be given: 1 for whole ones
 * @hysteresis: changes of less than this part of a unit are not made
 */
struct qos_machine {
	double cpus;
	double unit;
	double hysteresis;
};

double qos_floor(const struct qos_machine *machine, size_t programs);
void qos_limit(const struct qos_machine *machine, double cpus, struct qos_share *share, size_t n);
void qos_divide_users(const struct qos_machine *machine, struct qos_share *share,
		      const unsigned int *user, size_t n);
void qos_allocate(const struct qos_machine *machine, struct qos_share *share, size_t n);

#endif /* QOS_ALLOCATOR_H */
