// SPDX-License-Identifier: GPL-2.0-or-later
#include "cycle.h"

static void update(struct cycle *c, int64_t now, int *err)
{
	struct feedback_load load;
	double global;

	*err = feedback_get(&c->feedback, now, &load);
	if (*err)
		return;
	c->target = trace_target(c->trace, now - c->begin);
	global = control_next(&c->control, c->target, &load);
	global = control_average(c->outputs, c->nr, c->self, c->kappa, global);
	c->duty = space_duty(c->space, global, c->self, c->nr);
}

int64_t cycle_next(struct cycle *c, int64_t now, int *err)
{
	int64_t time;

	update(c, now, err);
	c->run = !c->run;
	time = dither_time(c->duty, c->tau, c->run);
	if (!time) {
		/* No time in this state: the benchmark stays in the other one. */
		c->run = !c->run;
		time = dither_time(c->duty, c->tau, c->run);
	}
	return time;
}

int64_t cycle_phase(unsigned int i, unsigned int nr, int64_t tau)
{
	return tau * i / nr;
}
