/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Programs and CPUs in simulated time, which executors stop and continue. */
#ifndef SHOWSTOPPER_PLANT_H
#define SHOWSTOPPER_PLANT_H

#include "../src/cycle.h"

/* What a program's threads do. */
enum plant_class {
	PLANT_LIGHT,	/* one thread, almost always busy, now and then two (fop) */
	PLANT_MILD,	/* some threads that wait for each other all the time (avrora) */
	PLANT_HEAVY,	/* a thread for each CPU, always busy (sunflow) */
	PLANT_PHASED,	/* a thread for each CPU, then one, for half a second each */
	PLANT_BURSTY,	/* one thread, idle between bursts */
	PLANT_BLOCKING,	/* one thread that waits for a disk most of the time */
};

/**
 * struct plant_config - an experiment
 * @class: class of the programs
 * @cpus: CPUs of the machine
 * @nr: number of programs
 * @method: control method
 * @space: space method
 * @tick: granularity of the load's times, ns; 0: exact
 * @background: fraction of the CPUs' time that other programs use
 * @seconds: how long the experiment takes
 * @settle: seconds at the beginning that do not count
 * @seed: of the random numbers
 */
struct plant_config {
	enum plant_class class;
	unsigned int cpus;
	unsigned int nr;
	enum control_method method;
	enum space_method space;
	int64_t tick;
	double background;
	double seconds;
	double settle;
	uint64_t seed;
};

/**
 * struct plant_result - how well the load was held, from loads over 500 ms each
 * @error: mean of load minus target, in % of load
 * @square: mean of its square, times 10,000
 * @worst: largest mean error of 5 s in a row, % of load
 * @low: lowest load, 0 to 1
 * @high: highest load
 * @swing: standard deviation of the load's means of 2 s, % of load
 */
struct plant_result {
	double error;
	double square;
	double worst;
	double low, high;
	double swing;
};

struct plant_result plant_run(const struct plant_config *config, const struct trace *trace);

#endif /* SHOWSTOPPER_PLANT_H */
