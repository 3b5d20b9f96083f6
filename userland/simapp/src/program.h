/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a simulated program does, from a file of JSON (simapp(1), "Profiles"). */
#ifndef SIMAPP_PROGRAM_H
#define SIMAPP_PROGRAM_H

#include <stdbool.h>
#include <stdint.h>

#include <linux/pmctrack_sim.h>

#define PROGRAM_THREADS	64	/* at most */
#define PROGRAM_TEXT	128	/* bytes of a description */

/**
 * struct program - a simulated program
 * @description: one line for people
 * @threads: number of its threads
 * @rounds: number of rounds
 * @serial: instructions that its first thread does alone, in each round
 * @parallel: instructions that each thread does after that, in each round
 * @imbalance: percentage by which the last thread does more than the mean, and the first one less
 * @spins: threads spin when they wait for each other; otherwise they sleep
 * @profile: what these instructions do
 */
struct program {
	char description[PROGRAM_TEXT];
	unsigned int threads;
	uint64_t rounds;
	uint64_t serial;
	uint64_t parallel;
	unsigned int imbalance;
	bool spins;
	struct pmct_sim_profile profile;
};

/* Returns 0, or a negative errno after telling the user what is wrong. */
int program_read(struct program *p, const char *path);

/* Instructions of a thread in the parallel part of a round. */
uint64_t program_parallel(const struct program *p, unsigned int thread);

#endif /* SIMAPP_PROGRAM_H */
