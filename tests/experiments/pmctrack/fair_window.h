/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Watch a simulated program as the monitoring module fair_progress does, with its arithmetic
 * (module/mmon/progress.c) and without a kernel.
 */
#ifndef FAIR_WINDOW_H
#define FAIR_WINDOW_H

#include <stdbool.h>
#include <stdint.h>

#include "../../../module/mmon/progress.h"
#include "../../../module/pmu-backends/sim/model.h"

/* Instructions between two sampled addresses. */
#define FAIR_ADDRESS_INSTR	200000U

/* What a program did up to some moment. */
struct fair_point {
	uint64_t instr, cycles, lines, ns;
	double alone;	/* true cycles alone */
};

/**
 * struct fair_watch - what is known of a program
 * @progress: its progress
 * @program: its phases
 * @v: addresses of the open window
 * @w: the open window
 * @unsure: estimates that are to be corrected
 * @began: where the open window began
 * @looked: where the program was at the last look
 * @next_address: number of the next instruction whose address is sampled
 */
struct fair_watch {
	struct pmct_progress progress;
	struct pmct_program program;
	struct pmct_phase_vector v;
	struct pmct_window w;
	struct pmct_unsure unsure[PMCT_PHASES];
	struct fair_point began, looked;
	uint64_t next_address;
};

/* @watch is zero, or has only a @program that is known. */
void fair_watch_begin(struct fair_watch *watch);
struct fair_point fair_point(struct pmct_sim *sim, unsigned int thread);
/* Sample some addresses of the instructions that were executed until @to, since the last call. */
void fair_sample(struct fair_watch *watch, const struct pmct_sim_thread *t, uint64_t to);
/* End the window at @now, if it has enough addresses. Returns false if it has not. */
bool fair_end_window(struct fair_watch *watch, const struct fair_point *now, unsigned int core_type,
		     struct pmct_traffic *traffic, enum pmct_contention *kind);
/* A step of the machine after the other, until @end (ns). */
void fair_run_until(struct pmct_sim *sim, uint64_t end);

#endif /* FAIR_WINDOW_H */
