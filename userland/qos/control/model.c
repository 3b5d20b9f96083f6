// SPDX-License-Identifier: GPL-2.0-or-later
#include "model.h"

#include <math.h>
#include <string.h>

/*
 * Covariance at the beginning, and the largest trace that forgetting may give it. Units are such
 * that rates and CPUs are about 1. The parameter a begins with less variance than b, because how
 * rates are measured is known better than how the program scales.
 */
#define FIRST_P_OF_A 1.0
#define FIRST_P_OF_B 10.0
#define MOST_P 100.0
/*
 * If the error is more than this part of the rate, and so many times the usual error, the program
 * has entered another phase.
 */
#define CHANGED 0.15
#define UNUSUAL 3.0
/* Weight of the old mean in the running means of errors and of CPUs. */
#define FADING 0.9
/* If the CPUs vary by less than this part of their mean, a and b cannot be told apart. */
#define EXCITED 0.03
/* A model can be judged after so many steps. */
#define JUDGED 6

static void forget(struct qos_model *m)
{
	m->a = m->window_a;
	m->p[0][0] = FIRST_P_OF_A;
	m->p[1][1] = FIRST_P_OF_B;
	m->p[0][1] = m->p[1][0] = 0;
}

/**
 * qos_model_begin() - begin a model that knows nothing
 * @forgetting: forgetting factor, 0.9 to 1; with 0.95, a step is forgotten in 20 steps
 * @window_a: 0 to QOS_MOST_A, see struct qos_model
 */
void qos_model_begin(struct qos_model *m, double forgetting, double window_a)
{
	memset(m, 0, sizeof(*m));
	m->forgetting = forgetting;
	m->window_a = fmin(fmax(window_a, 0), QOS_MOST_A);
	m->r = -1;
	forget(m);
}

/* Returns the rate (units/s) that is predicted after a step with rate @r and @c CPUs. */
double qos_model_foresee(const struct qos_model *m, double r, double c)
{
	return m->a * r + m->b * c;
}

/* b of a program that scales perfectly. */
static double proportional(const struct qos_model *m, double rate)
{
	return (1 - m->a) * rate / m->c;
}

static void project(struct qos_model *m, double rate)
{
	m->a = fmin(fmax(m->a, 0), QOS_MOST_A);
	m->b = fmax(m->b, QOS_LEAST_B * proportional(m, rate));
}

static void bound(struct qos_model *m)
{
	double trace = m->p[0][0] + m->p[1][1];
	int i, k;

	if (trace <= MOST_P)
		return;
	for (i = 0; i < 2; i++)
		for (k = 0; k < 2; k++)
			m->p[i][k] *= MOST_P / trace;
}

/*
 * True if the program has entered another phase: what was learnt belongs to the last one. (Least
 * squares would explain a sudden fall by a large a and a small b, and (1 - p) / b would explode.)
 */
static bool has_changed(const struct qos_model *m, double off)
{
	return m->steps && fabs(off) > CHANGED * m->r && off * off > UNUSUAL * UNUSUAL * m->error;
}

/* One step of recursive least squares, in units in which rates and CPUs are about 1. */
static void least_squares(struct qos_model *m, double rate)
{
	double unit_r = fmax(m->r, rate), unit_c = fmax(m->mean_c, m->c);
	double x[2] = {m->r / unit_r, m->c / unit_c};
	double px[2] = {m->p[0][0] * x[0] + m->p[0][1] * x[1], m->p[1][0] * x[0] + m->p[1][1] * x[1]};
	double gain = m->forgetting + x[0] * px[0] + x[1] * px[1];
	double off = (rate - qos_model_foresee(m, m->r, m->c)) / unit_r;
	int i, k;

	m->a += px[0] / gain * off;
	m->b += px[1] / gain * off * unit_r / unit_c;
	for (i = 0; i < 2; i++)
		for (k = 0; k < 2; k++)
			m->p[i][k] = (m->p[i][k] - px[i] * px[k] / gain) / m->forgetting;
	bound(m);
}

static void note(double *mean, double value)
{
	*mean = FADING * *mean + (1 - FADING) * value;
}

/* True if the CPUs vary enough that a and b can be told apart. */
bool qos_model_is_excited(const struct qos_model *m)
{
	return m->var_c > EXCITED * EXCITED * m->mean_c * m->mean_c;
}

/*
 * True if its predictions are better than the assumption that nothing changes, or 10 % worse.
 * Also true in the first steps, because nothing can be said yet.
 */
bool qos_model_is_trusted(const struct qos_model *m)
{
	return m->steps < JUDGED || m->error <= m->error_last * 1.1 + 1e-4 * m->r * m->r;
}

/**
 * qos_model_learn() - learn from a step that is over, and that had the CPUs of qos_model_apply()
 * @rate: units/s that were measured in this step
 */
void qos_model_learn(struct qos_model *m, double rate)
{
	double off = rate - qos_model_foresee(m, m->r, m->c);
	bool changed = has_changed(m, off);

	m->changed = false;
	if (m->r <= 0 || m->c <= 0 || rate <= 0)
		return;
	if (!m->steps) {
		m->b = proportional(m, rate);
	} else {
		note(&m->error, off * off);
		note(&m->error_last, (rate - m->r) * (rate - m->r));
	}
	m->changed = changed;
	if (changed) {
		forget(m);
		m->b = (rate - m->a * m->r) / m->c;
	} else if (qos_model_is_excited(m)) {
		least_squares(m, rate);
	} else {
		/* Only the rate at which the program settles is known, so only b is learnt. */
		m->b += (1 - m->forgetting) * 4 * off / m->c;
		m->a += (1 - m->forgetting) * (m->window_a - m->a);
	}
	project(m, rate);
	m->steps++;
}

/**
 * qos_model_apply() - begin a step
 * @rate: units/s now; 0 or less: unknown, and nothing will be learnt from the step
 * @cpus: CPUs that the program is given
 */
void qos_model_apply(struct qos_model *m, double rate, double cpus)
{
	double off = cpus - m->mean_c;

	m->r = rate;
	m->c = cpus;
	if (m->mean_c <= 0) {
		m->mean_c = cpus;
		return;
	}
	note(&m->mean_c, cpus);
	note(&m->var_c, off * off);
}
