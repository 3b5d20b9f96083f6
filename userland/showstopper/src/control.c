// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>
#include <string.h>

#include "control.h"
#include "trace.h"

/* geom: a duty cycle of 0 cannot grow, and a load of 0 says nothing about the ratio. */
#define GEOM_LEAST	0.001
#define GEOM_MOST_STEP	2.0
#define GEOM_SECONDS	0.3

/* The slope is computed over so many seconds, over fewer at the beginning. */
#define SLOPE_LEAST_SECONDS	0.2
#define SLOPE_MOST_SECONDS	5.0
#define SLOPE_LEAST		0.02

static double clamp(double x, double low, double high)
{
	return x < low ? low : x > high ? high : x;
}

void control_init(struct control *c, enum control_method method, unsigned int nr_cpus)
{
	memset(c, 0, sizeof(*c));
	c->method = method;
	c->ke = CONTROL_KE;
	c->ki = CONTROL_KI;
	c->nr_cpus = nr_cpus;
}

/*
 * Returns how much duty cycle a change of the load takes. Programs with many threads need little; a
 * gain that ignores this would oscillate between all and nothing. The slope is computed from means,
 * because single samples would weigh errors above the target differently from those below it.
 */
static double slope(struct control *c, double load, double seconds)
{
	double window = fmin(SLOPE_MOST_SECONDS, SLOPE_LEAST_SECONDS + c->seen / 2);
	double part = seconds / (seconds + window);

	c->seen += seconds;
	c->mean_duty += part * (c->duty - c->mean_duty);
	c->mean_load += part * (load - c->mean_load);
	return c->mean_load > 0 ? clamp(c->mean_duty / c->mean_load, SLOPE_LEAST, 1) : 1;
}

/*
 * The paper's integral sums up estimates of the load. Here it sums up the load's own times, so that
 * no error is left in the long run, however coarse the samples are. It goes no further than to a
 * duty cycle of all or nothing, because what it gathers while the target is out of reach would have
 * to be paid back.
 */
static double next_pi(struct control *c, double target, const struct feedback_load *load)
{
	int64_t work = load->work - c->last.work;
	double cpu_seconds = (double)(work + load->idle - c->last.idle) / NS_PER_S;
	double seconds = cpu_seconds / c->nr_cpus;
	double mean, gain;

	if (seconds <= 0)
		return c->duty;
	mean = (double)work / NS_PER_S / cpu_seconds;
	gain = slope(c, mean, seconds);
	c->integral = clamp(c->integral + gain * c->ki * (target - mean) * seconds, 0, 1);
	return clamp(gain * c->ke * (target - load->load) + c->integral, 0, 1);
}

/*
 * Change the duty cycle by the ratio each GEOM_SECONDS, and by a part of it in between, so that
 * executors that decide more often do not grow faster. The load is that of about the same time,
 * because samples at an executor's own turns see its own program more often than others.
 */
static double next_geom(struct control *c, double target, const struct feedback_load *load)
{
	int64_t work = load->work - c->last.work;
	double cpu_seconds = (double)(work + load->idle - c->last.idle) / NS_PER_S;
	double seconds = cpu_seconds / c->nr_cpus;
	double ratio;

	if (seconds <= 0)
		return c->duty;
	c->mean_load += seconds / (seconds + GEOM_SECONDS) *
			((double)work / NS_PER_S / cpu_seconds - c->mean_load);
	ratio = c->mean_load > target / GEOM_MOST_STEP ? target / c->mean_load : GEOM_MOST_STEP;
	return clamp(c->duty * pow(ratio, fmin(1, seconds / GEOM_SECONDS)),
		     target > 0 ? GEOM_LEAST : 0, 1);
}

static bool is_new(const struct control *c, const struct feedback_load *load)
{
	return load->work != c->last.work || load->idle != c->last.idle;
}

double control_next(struct control *c, double target, const struct feedback_load *load)
{
	if (!c->started) {
		/* Start as if each program kept one CPU busy. */
		c->started = true;
		c->duty = target;
		c->integral = target;
		c->mean_duty = target;
		c->mean_load = target;
	} else if (c->method == CONTROL_CDC) {
		c->duty = target;
	} else if (is_new(c, load)) {
		c->duty = c->method == CONTROL_PI ? next_pi(c, target, load) :
			  next_geom(c, target, load);
	}
	c->last = *load;
	return c->duty;
}

double control_average(_Atomic double *outputs, unsigned int nr, unsigned int self,
		       unsigned int kappa, double own)
{
	double sum = own;
	unsigned int i, n = 1;

	atomic_store_explicit(&outputs[self], own, memory_order_relaxed);
	for (i = 1; i < nr && n <= kappa; i++) {
		double other = atomic_load_explicit(&outputs[(self + i) % nr],
						    memory_order_relaxed);

		if (other < 0)
			continue;
		sum += other;
		n++;
	}
	return sum / n;
}
