/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The end of executors that do not end themselves, or whose master is gone or hangs. */
#ifndef SHOWSTOPPER_ENDING_H
#define SHOWSTOPPER_ENDING_H

#include "options.h"
#include "run.h"

/* How long to wait for executors, which give their programs 2 s to end. */
#define ENDING_PATIENCE	(4 * NS_PER_S)

/* The name of unit @i in messages. */
const char *ending_name(const struct options *o, uint32_t i);

/* Continue all executors, because stopped ones have to end their programs. */
void ending_wake(const struct run *run);

/* Kill an executor that hangs, and its program if showstopper has started that. */
void ending_kill(const struct options *o, struct run *run, uint32_t i);

/*
 * Called by the guardian: end the run without the master, which is killed. Executors are waited
 * for, as far as they do not hang.
 */
void ending_without_master(const struct options *o, struct run *run, pid_t master);

#endif /* SHOWSTOPPER_ENDING_H */
