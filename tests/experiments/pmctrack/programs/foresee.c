// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * foresee: the model of qosd, as it runs. Reads lines of CPUs and the rate that came of them, a
 * step each; prints for each what was foreseen for it, or nan for the first.
 */
#include <math.h>
#include <stdio.h>

#include "model.h"

/* As the manager has it. */
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
