/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Divides the CPUs of the machine among programs (section 2.3 of the paper). Pure.
 *
 * If all demands fit, each program gets its demand. Otherwise each program gets the same part of
 * its demand (equation 3), in proportion to weights, but never less than the floor nor more than
 * its demand. The floor is one CPU or, if there are more programs than CPUs, an equal part. Before
 * that, CPUs are divided among users by weights alone. A user therefore gets no more for having
 * more programs, or for asking for more.
 *
 * The results are then rounded to what can be granted. The rounding error is carried over, so that
 * it evens out over time. Small changes are not made.
 */
#ifndef QOS_ALLOCATOR_H
#define QOS_ALLOCATOR_H

#include <stddef.h>

/**
 * struct qos_share - the demand of a program, and the CPUs that it is granted
 * @demand: CPUs that the program asks for; if this is less than the floor, it is given the floor
 * @cap: CPUs that it can use at most (its threads)
 * @weight: 1 to 1000
 * @fair: CPUs before rounding; set by qos_allocate()
 * @granted: CPUs after rounding; set by qos_allocate(). Before the call: the CPUs that it had, 0
 *	for a new program
 * @carry: CPUs that rounding has taken from it (positive) or given to it (negative); 0 at first
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
 * struct qos_machine - the CPUs to divide
 * @cpus: number of CPUs
 * @unit: the smallest part of a CPU that can be granted; 1: whole CPUs only
 * @hysteresis: a change of less than this part of a unit is not made
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
