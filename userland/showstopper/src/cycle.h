/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The decisions of one executor: target, load, control, space and dithering, in
 * this order, whenever its benchmark is about to run or to stop. Pure but for the
 * memory that executors share, so that simulated time will do.
 */
#ifndef SHOWSTOPPER_CYCLE_H
#define SHOWSTOPPER_CYCLE_H

#include "control.h"
#include "dither.h"
#include "feedback.h"
#include "space.h"
#include "trace.h"

/**
 * struct cycle - an executor, of @nr
 * @trace: what to follow
 * @feedback: what is observed
 * @control: its controller
 * @space: how duty is divided
 * @tau: ns
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
 * What comes next, at @now: sets @c->run, and returns for how many ns, more than 0.
 * If the load cannot be read, the duty cycle stays as it is, and *@err tells why.
 */
int64_t cycle_next(struct cycle *c, int64_t now, int *err);

/* How long executor @i of @nr waits before it begins, in ns: they spread over a quantum. */
int64_t cycle_phase(unsigned int i, unsigned int nr, int64_t tau);

#endif /* SHOWSTOPPER_CYCLE_H */
