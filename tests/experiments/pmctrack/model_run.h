/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Simulated programs beside each other and their Quality Time, with the files of the simulated
 * machine and of the monitoring module, but without a kernel: counts are read at ticks, CPUs stand
 * still at once, a program has a CPU of its own.
 */
#ifndef MODEL_RUN_H
#define MODEL_RUN_H

#include <stdbool.h>

#include "program.h"
#include "../../../module/mmon/quality_rate.h"
#include "../../../module/pmu-backends/sim/model.h"

/**
 * struct model_thread - a program
 * @a: what the module keeps of it
 * @cpu: where it runs
 * @began_alone_ps: time alone of its work when caches were as they are beside others
 * @began_ns: its CPU time then
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
 * The programs of mix @number, of @profiles: drawn by random(); or @pairs, two programs or one with
 * itself, each on half of the CPUs, in the order of the first one. "pairs" are so many.
 */
void model_mix(unsigned int *mix, unsigned int number, unsigned int profiles, bool pairs);
unsigned int model_pairs(unsigned int profiles);
/* The programs of @pool with these numbers, on CPUs 0, 1, …, or on those of @cpus. */
void model_begin(const struct pmct_sim_machine *m, const struct program *pool,
		 const unsigned int *mix, const unsigned int *cpus, uint64_t seed);
/* Until @end, with samples of @hold_ns each @period_ns; 0: none. */
void model_run(uint64_t end, uint64_t hold_ns, uint64_t period_ns);
uint64_t model_now(void);
/* To move programs: all leave before anybody enters. */
void model_leave(unsigned int i);
void model_enter(unsigned int i, unsigned int cpu);
/* Since model_begin(): CPU time, and what the work of it takes alone, on the CPUs' type. */
uint64_t model_cpu_ns(unsigned int i);
double model_alone_ns(unsigned int i);

#endif /* MODEL_RUN_H */
