/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The end of executors that do not end themselves, or whose master is gone or hangs. */
#ifndef SHOWSTOPPER_ENDING_H
#define SHOWSTOPPER_ENDING_H

#include "options.h"
#include "run.h"

/* Programs have 2 s to end, in their executors' care. */
#define ENDING_PATIENCE	(4 * NS_PER_S)

/* The name of unit @i in messages. */
const char *ending_name(const struct options *o, uint32_t i);

/* Executors that are stopped have to end their programs: all are continued. */
void ending_wake(const struct run *run);

/* An executor hangs: it is killed, and so is its program if we have started that. */
void ending_kill(const struct options *o, struct run *run, uint32_t i);

/*
 * The guardian ends the run without the master, which is killed. Executors are waited for,
 * as far as they do not hang.
 */
void ending_without_master(const struct options *o, struct run *run, pid_t master);

#endif /* SHOWSTOPPER_ENDING_H */
