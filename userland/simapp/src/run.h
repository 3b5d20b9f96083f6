/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Running a simulated program: its threads, and how they wait for each other. */
#ifndef SIMAPP_RUN_H
#define SIMAPP_RUN_H

#include <stdbool.h>
#include <stdint.h>

#include "program.h"

/**
 * struct run_result - the result of a run
 * @ns: time from the first instruction to the last one
 * @early: it was interrupted (interrupt.h), and has not done all that it would have done
 * @machine_pj: energy of the whole machine in that time
 * @truth: true values of each thread
 */
struct run_result {
	uint64_t ns;
	bool early;
	uint64_t machine_pj;
	struct pmct_sim_truth truth[PROGRAM_THREADS];
};

/*
 * Returns 0, or a negative errno after a message. The same seed makes the same program. With
 * @report, prints a line when a round is over.
 */
int run_program(const struct program *p, uint64_t seed, bool report, struct run_result *result);

#endif /* SIMAPP_RUN_H */
