/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Models how a program's throughput follows its CPUs: r(k+1) = a r(k) + b c(k). The parameters a
 * and b are estimated by recursive least squares (section 2.2 of the paper on the QoS-driven
 * scheduler). Pure: no time, no files.
 *
 * The paper leaves open what to do if a and b cannot be told apart, or if the model does not hold.
 * Here a is in [0, 0.99]. The parameter b is never below a part of the slope that is proportional
 * to the CPUs (perfect scaling). Therefore (1 - p) / b stays finite. As long as the CPUs hardly
 * change, only b is learnt. Nothing is learnt from a step without a tick, or from a step in which
 * the CPUs were not those that the model assumes.
 */
#ifndef QOS_MODEL_H
#define QOS_MODEL_H

#include <stdbool.h>

#define QOS_MOST_A 0.99
/* b is at least this part of (1 - a) r / c, the slope of a program that scales perfectly. */
#define QOS_LEAST_B 0.05

/**
 * struct qos_model - the model of one program
 * @forgetting: forgetting factor of a step, below 1
 * @window_a: value of a that follows from how rates are measured: a window that is longer than a
 *	step contains a part of the rate before
 * @a: see above
 * @b: units/s for each CPU, in one step
 * @p: covariance
 * @r: last rate, units/s; negative: there is none
 * @c: CPUs since then
 * @mean_c: mean of @c, lately
 * @var_c: mean square of how much @c changed, lately
 * @error: mean square error of the prediction
 * @error_last: mean square error of the prediction that nothing changes
 * @steps: number of steps that were learnt from
 * @changed: in the last step, the program entered another phase
 */
struct qos_model {
	double forgetting;
	double window_a;
	double a;
	double b;
	double p[2][2];
	double r;
	double c;
	double mean_c;
	double var_c;
	double error;
	double error_last;
	unsigned long steps;
	bool changed;
};

void qos_model_begin(struct qos_model *m, double forgetting, double window_a);
double qos_model_foresee(const struct qos_model *m, double r, double c);
void qos_model_learn(struct qos_model *m, double rate);
void qos_model_apply(struct qos_model *m, double rate, double cpus);
bool qos_model_is_excited(const struct qos_model *m);
bool qos_model_is_trusted(const struct qos_model *m);

#endif /* QOS_MODEL_H */
