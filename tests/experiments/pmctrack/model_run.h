/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Run simulated programs beside each other, and compute their Quality Time, with the files of the
 * simulated machine and of the monitoring module, but without a kernel. Counts are read at ticks,
 * CPUs stop at once, and each program has a CPU of its own.
 */
#ifndef MODEL_RUN_H
#define MODEL_RUN_H

#include <stdbool.h>

#include "program.h"
#include "../../../module/mmon/quality_rate.h"
#include "../../../module/pmu-backends/sim/model.h"

/**
 * struct model_thread - a program
 * @a: what the module stores about the program
 * @cpu: the CPU on which it runs
 * @began_alone_ps: time alone of its work until caches were as they are beside others
 * @began_ns: its CPU time until then
 */
struct model_thread {
	struct pmct_quality_account a;
	unsigned int cpu;
	uint64_t began_alone_ps;
	uint64_t began_ns;
};

extern struct model_thread model_threads[PMCT_SIM_CPUS];
extern unsigned int model_nr;

/*
 * model_mix() chooses the programs of mix @number from @profiles profiles: by random(), or, with
 * @pairs, two programs or one with itself, each on half of the CPUs, in the order of the first one.
 * model_pairs() returns the number of such pairs.
 */
void model_mix(unsigned int *mix, unsigned int number, unsigned int profiles, bool pairs);
unsigned int model_pairs(unsigned int profiles);
/* Start the programs of @pool with the numbers in @mix, on CPUs 0, 1, …, or on those of @cpus. */
void model_begin(const struct pmct_sim_machine *m, const struct program *pool,
		 const unsigned int *mix, const unsigned int *cpus, uint64_t seed);
/* Run until @end, with samples of @hold_ns each @period_ns; if @hold_ns is 0, without samples. */
void model_run(uint64_t end, uint64_t hold_ns, uint64_t period_ns);
uint64_t model_now(void);
/* To move programs: all programs leave before one enters. */
void model_leave(unsigned int i);
void model_enter(unsigned int i, unsigned int cpu);
/* Since model_begin(): CPU time, and the time that its work takes alone, on the CPU's type. */
uint64_t model_cpu_ns(unsigned int i);
double model_alone_ns(unsigned int i);

#endif /* MODEL_RUN_H */
