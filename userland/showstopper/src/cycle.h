/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The decisions of one executor: target, load, control, space and dithering, in this order,
 * whenever its benchmark is about to run or to stop. Pure except for the memory that executors
 * share, so that it works with simulated time, too.
 */
#ifndef SHOWSTOPPER_CYCLE_H
#define SHOWSTOPPER_CYCLE_H

#include "control.h"
#include "dither.h"
#include "feedback.h"
#include "space.h"
#include "trace.h"

/**
 * struct cycle - one executor of @nr
 * @trace: the load to follow
 * @feedback: access to the load's estimate
 * @control: its controller
 * @space: how duty is divided
 * @tau: dithering quantum, ns
 * @kappa: how many others' outputs are averaged
 * @outputs: of all executors, shared
 * @self: its index
 * @nr: number of executors
 * @begin: when the trace began, ns of the clock
 * @duty: its benchmark's duty cycle
 * @target: the target it followed last
 * @run: its benchmark is runnable
 */
struct cycle {
	const struct trace *trace;
	struct feedback feedback;
	struct control control;
	enum space_method space;
	int64_t tau;
	unsigned int kappa;
	_Atomic double *outputs;
	unsigned int self, nr;
	int64_t begin;
	double duty;
	double target;
	bool run;
};

/*
 * Decide at @now what comes next: sets @c->run, and returns for how many ns, more than 0. If the
 * load cannot be read, the duty cycle stays as it is, and *@err tells why.
 */
int64_t cycle_next(struct cycle *c, int64_t now, int *err);

/* Returns how many ns executor @i of @nr waits before it begins; they spread over a quantum. */
int64_t cycle_phase(unsigned int i, unsigned int nr, int64_t tau);

#endif /* SHOWSTOPPER_CYCLE_H */
