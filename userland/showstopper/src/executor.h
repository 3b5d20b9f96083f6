/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An executor: a process that starts one benchmark, and stops and continues it. */
#ifndef SHOWSTOPPER_EXECUTOR_H
#define SHOWSTOPPER_EXECUTOR_H

#include "cycle.h"
#include "options.h"
#include "run.h"

/**
 * struct executor_job - the job of an executor
 * @options: of the run
 * @run: shared
 * @index: of its unit
 * @argv: the program, NULL: its processes exist already
 * @source: of the load
 * @alive: pipe whose other end the master has: when that is closed, the run is over
 */
struct executor_job {
	const struct options *options;
	struct run *run;
	uint32_t index;
	char *const *argv;
	const struct load_source *source;
	int alive;
};

/* Runs in a process of its own, whose exit status is 0, or 1 if something went wrong. */
_Noreturn void executor_main(const struct executor_job *job);

#endif /* SHOWSTOPPER_EXECUTOR_H */
