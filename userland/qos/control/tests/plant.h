/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Simulated programs whose throughput is known. They are not what the model assumes. */
#ifndef PLANT_H
#define PLANT_H

#include <math.h>
#include <stdint.h>

#define PLANT_DELAY 4

/**
 * struct plant - a simulated program
 * @a: part of a step's rate that comes from the step before
 * @work: units/s of one CPU
 * @serial: part of its work that does not scale (Amdahl)
 * @harm: cost of each further CPU for all CPUs (contention)
 * @threads: CPUs that it can use
 * @delay: steps until a change of CPUs has an effect
 * @noise: noise of the measured rate, as a part of the rate
 */
struct plant {
	double a;
	double work;
	double serial;
	double harm;
	double threads;
	int delay;
	double noise;
	double r;
	double past[PLANT_DELAY + 1];
	int began;
	uint32_t lot;
};

static double plant_lot(struct plant *p)
{
	p->lot = p->lot * 1664525 + 1013904223;
	return p->lot / 4294967296.0 * 2 - 1;
}

/* The rate (units/s) at which the program settles. */
static double plant_rate(const struct plant *p, double cpus)
{
	double c = fmin(cpus, p->threads);

	return p->work * (c < 1 ? c : 1 / (p->serial + (1 - p->serial) / c + p->harm * (c - 1)));
}

/* Run one step with @cpus CPUs. Returns the rate that is measured. */
static double plant_step(struct plant *p, double cpus)
{
	int i;

	if (!p->began++)
		for (i = 0; i <= PLANT_DELAY; i++)
			p->past[i] = cpus;
	for (i = PLANT_DELAY; i; i--)
		p->past[i] = p->past[i - 1];
	p->past[0] = cpus;
	p->r = p->a * p->r + (1 - p->a) * plant_rate(p, p->past[p->delay]);
	return p->r * (1 + p->noise * plant_lot(p));
}

#endif /* PLANT_H */
