// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * qos_model MACHINE CPUS PROGRAMS SECONDS SEED POLICY: programs with goals under the controller of
 * qosd, without a guest. Programs differ from what the model assumes: they scale by Amdahl's law,
 * and worse; their work changes with phases, and from unit to unit; they report whole units; they
 * take cache from each other. Time is in steps of 10 ms.
 *
 * POLICY: "qos" (fractions of CPUs), "whole" (whole ones), "static" (the constant number of CPUs
 * with which the program has its goal on average), "oracle" (knows the program, and gives at each
 * step what it needs then), "random" (other CPUs each second, to judge the model).
 *
 * MACHINE: "x264": two programs with goals of 8 and 12, and six CPUs, as in the paper; "fits":
 * random programs, which need two thirds of the CPUs together; "crowded": random programs, which
 * need twice as many CPUs as there are.
 *
 * Prints a row of CSV for each program.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "allocator.h"
#include "manager.h"

#define TICK_S 0.01
#define LOOK_S 0.05
#define STEP_S 0.25
#define LOOKS 512
#define MOST 64
/* A full machine reduces the speed of all programs by this part. */
#define HARM 0.15

struct program {
	/* What the program is. */
	double goal, weight, work, serial, harm, noise;
	int threads;
	double phase, phase_s, unit;
	/* What the program did. */
	double done, cpu_s;
	uint64_t ticks;
	uint64_t look[LOOKS];
	unsigned long looks;
	/* What the controller makes of it. */
	struct qos_manager manager;
	struct qos_share share;
	double rate, constant, needed_s, foreseen;
	/* The judgement, by windows of a second, or of 20 units. */
	double window_s, window_began;
	uint64_t window_ticks;
	unsigned int windows, good;
	double settled_s;
	double error, error_last, error_mean, sum, squares, last;
	unsigned int judged;
	/* CPUs of 10 s: by the allocator's division, and after rounding; the largest deviation. */
	double fair, had, off;
	unsigned int steps;
};

static struct program program[MOST];
static uint64_t lot;

static double draw(void)
{
	lot = lot * 6364136223846793005ULL + 1442695040888963407ULL;
	return (double)(lot >> 11) / (double)(1ULL << 53);
}

/* Returns how many times as fast as with one CPU the program is. */
static double speedup(const struct program *p, double cpus)
{
	double c = fmin(cpus, p->threads);

	return c < 1 ? c : 1 / (p->serial + (1 - p->serial) / c + p->harm * (c - 1));
}

/* Returns the CPUs for so many times one CPU's speed, in a phase. */
static double needed(const struct program *p, double times, double most)
{
	double low = 0, high = fmin(p->threads, most), middle;
	int i;

	for (i = 0; i < 50; i++) {
		middle = (low + high) / 2;
		if (speedup(p, middle) < times)
			low = middle;
		else
			high = middle;
	}
	return high;
}

static void make(const char *machine, double cpus, int n)
{
	double want = !strcmp(machine, "crowded") ? 2 * cpus : cpus * 2 / 3;
	int i;

	for (i = 0; i < n; i++) {
		struct program *p = &program[i];

		p->threads = (int)fmax(cpus, 2);
		p->serial = 0.15 * draw() * draw();
		p->harm = 0.004 * draw() * draw();
		p->noise = 0.2 * draw();
		p->weight = !strcmp(machine, "crowded") && draw() < 0.3 ? 200 : 100;
		p->work = 1 / exp(log(4) + draw() * log(50));
		p->phase = 1;
		if (!strcmp(machine, "x264")) {
			p->goal = i ? 12 : 8;
			p->work = 1 / 5.0;
			p->serial = 0.03;
			p->harm = 0.002;
			p->noise = 0.2;
		} else {
			double mine = fmin(want / n * (0.7 + 0.6 * draw()), 0.6 * cpus);

			p->goal = speedup(p, mine) / p->work;
		}
		p->constant = needed(p, p->goal * p->work, cpus);
		qos_manager_begin(&p->manager, 0, 0, 1, cpus);
		p->share = (struct qos_share){.granted = 1, .cap = p->threads, .weight = p->weight};
		p->window_s = fmax(1, 20 / p->goal);
		p->settled_s = -1;
		p->unit = 1;
	}
}

/* Phases last for 5 to 20 s, and take 0.6 to 1.6 times the work. */
static void change(struct program *p)
{
	p->phase_s -= TICK_S;
	if (p->phase_s > 0)
		return;
	p->phase_s = 5 + 15 * draw();
	p->phase = 0.6 * exp(draw() * log(1.6 / 0.6));
}

static void run(struct program *p, double crowding)
{
	double speed = speedup(p, p->share.granted) / (p->work * p->phase) * (1 - HARM * crowding);

	p->cpu_s += fmin(p->share.granted, p->threads) * TICK_S;
	p->done += speed * TICK_S;
	while (p->done >= p->unit) {
		p->done -= p->unit;
		p->unit = 1 + p->noise * (2 * draw() - 1);
		p->ticks++;
	}
}

static void judge_window(struct program *p, double now, double began)
{
	double rate;

	if (now - p->window_began < p->window_s)
		return;
	rate = (double)(p->ticks - p->window_ticks) / (now - p->window_began);
	if (now > began) {
		p->windows++;
		p->good += fabs(rate / p->goal - 1) <= 0.1;
	}
	if (p->settled_s < 0 && fabs(rate / p->goal - 1) <= 0.1)
		p->settled_s = now;
	p->window_began = now;
	p->window_ticks = p->ticks;
}

/* Returns the rate as libthroughput's readers compute it. */
static double rate_of(const struct program *p, double window)
{
	unsigned long back = (unsigned long)(window / LOOK_S + 0.5);

	back = back < p->looks ? back : p->looks - 1;
	if (!back)
		return 0;
	return (double)(p->look[(p->looks - 1) % LOOKS] - p->look[(p->looks - 1 - back) % LOOKS]) / (back * LOOK_S);
}

/* Compare the model's prediction with the assumption that the last rate stays. */
static void judge_model(struct program *p)
{
	if (p->manager.model.steps > 10 && p->last > 0 && p->foreseen > 0) {
		p->error += (p->rate - p->foreseen) * (p->rate - p->foreseen);
		p->error_last += (p->rate - p->last) * (p->rate - p->last);
		p->error_mean += fabs(p->rate - p->foreseen) / p->rate;
		p->sum += p->rate;
		p->squares += p->rate * p->rate;
		p->judged++;
	}
}

static void ask(struct program *p, double cpus)
{
	const struct qos_goal goal = {p->goal, p->goal};
	double window = qos_manager_window(&p->manager, p->rate, &goal, STEP_S, 0);

	p->rate = rate_of(p, window);
	judge_model(p);
	p->manager.most = fmin(cpus, p->threads);
	p->share.demand = qos_manager_step(&p->manager, p->rate, true, &goal);
	p->share.cap = p->manager.most;
}

/* Compare what the program had with its part, over 10 s. */
static void judge_part(struct program *p)
{
	p->fair += p->share.fair;
	p->had += p->share.granted;
	if (++p->steps < (unsigned int)(10 / STEP_S + 0.5))
		return;
	p->off = fmax(p->off, fabs(p->had / p->fair - 1));
	p->fair = p->had = p->steps = 0;
}

static void decide(const char *policy, const struct qos_machine *machine, int n, double crowding)
{
	struct qos_share share[MOST];
	static unsigned long step;
	int i;

	step++;
	for (i = 0; i < n; i++) {
		struct program *p = &program[i];
		double times = p->goal * p->work * p->phase / (1 - HARM * crowding);
		double truly = fmax(needed(p, times, machine->cpus), 1);

		if (!strcmp(policy, "random")) {
			ask(p, machine->cpus);
			if (!(step % 4))
				p->constant = 1 + draw() * (machine->cpus / n - 1);
			p->share.demand = p->constant;
		} else if (!strcmp(policy, "static")) {
			p->share.demand = fmax(p->constant, 1);
		} else if (!strcmp(policy, "oracle")) {
			p->share.demand = truly;
		} else {
			ask(p, machine->cpus);
		}
		share[i] = p->share;
	}
	qos_allocate(machine, share, n);
	for (i = 0; i < n; i++) {
		struct program *p = &program[i];

		p->share = share[i];
		judge_part(p);
		p->last = p->rate;
		qos_manager_grant(&p->manager, p->rate, p->share.granted, p->share.fair < 0.98 * p->share.demand);
		p->foreseen = qos_model_foresee(&p->manager.model, p->rate, p->share.granted);
	}
}

int main(int argc, char **argv)
{
	struct qos_machine machine = {.unit = 0.05, .hysteresis = 0.5};
	double seconds, now = 0, crowding, variance;
	unsigned long tick;
	int n, i;

	if (argc != 7) {
		fprintf(stderr, "Usage: qos_model MACHINE CPUS PROGRAMS SECONDS SEED POLICY\n");
		return 2;
	}
	machine.cpus = atof(argv[2]);
	n = atoi(argv[3]);
	seconds = atof(argv[4]);
	lot = strtoull(argv[5], NULL, 10) * 0x9e3779b97f4a7c15ULL;
	if (n < 1 || n > MOST || machine.cpus < 1)
		return 2;
	if (!strcmp(argv[6], "whole")) {
		machine.unit = 1;
		machine.hysteresis = 0.6;
	}
	make(argv[1], machine.cpus, n);
	for (tick = 0; now < seconds; tick++) {
		now = tick * TICK_S;
		crowding = 0;
		for (i = 0; i < n; i++)
			crowding += program[i].share.granted / machine.cpus;
		for (i = 0; i < n; i++) {
			change(&program[i]);
			run(&program[i], fmin(crowding, 1));
			judge_window(&program[i], now, 10);
			if (tick % (unsigned long)(LOOK_S / TICK_S + 0.5) == 0)
				program[i].look[program[i].looks++ % LOOKS] = program[i].ticks;
		}
		if (tick && tick % (unsigned long)(STEP_S / TICK_S + 0.5) == 0)
			decide(argv[6], &machine, n, fmin(crowding, 1));
	}
	for (i = 0; i < n; i++) {
		const struct program *p = &program[i];

		variance = p->squares - p->sum * p->sum / fmax(p->judged, 1);
		printf("%s,%s,%s,%d,%s,%.4g,%g,%u,%u,%.3f,%.2f,%.4g,%.4g,%.4g,%.4g,%.4g\n", argv[1], argv[2], argv[5], i,
		       argv[6], p->goal, p->weight, p->good, p->windows, p->cpu_s / now, p->settled_s,
		       variance > 0 ? 1 - p->error / variance : 0, variance > 0 ? 1 - p->error_last / variance : 0,
		       100 * p->error_mean / fmax(p->judged, 1), (double)p->ticks / now / p->goal,
		       100 * p->off);
	}
	return 0;
}
