// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * foresee: the model of qosd, online. Reads lines of CPUs and the resulting rate, one for each
 * step. Prints the rate that was predicted for each step, or nan for the first.
 */
#include <math.h>
#include <stdio.h>

#include "model.h"

/* The same as in the manager. */
#define FORGETTING 0.95

int main(void)
{
	struct qos_model m;
	double cpus, rate, last = -1;

	qos_model_begin(&m, FORGETTING, 0);
	while (scanf("%lf %lf", &cpus, &rate) == 2) {
		if (last >= 0)
			qos_model_apply(&m, last, cpus);
		printf("%.6g\n", last >= 0 ? qos_model_foresee(&m, last, cpus) : NAN);
		qos_model_learn(&m, rate);
		last = rate;
	}
	return 0;
}
