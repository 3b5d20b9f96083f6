/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The guardian: the first process, which does nothing but see to it that nothing
 * stays stopped, and that the run ends when it is to. It allocates nothing once it watches.
 */
#ifndef SHOWSTOPPER_GUARDIAN_H
#define SHOWSTOPPER_GUARDIAN_H

#include "load.h"
#include "options.h"
#include "run.h"

/* Start the master, and watch. Returns the exit status. */
int guardian_run(const struct options *o, struct run *run, struct load *load);

/* How often it looks, ns. */
#define GUARDIAN_PERIOD	RUN_BEAT

/* Units that may be stopped. */
void guardian_continue_all(struct run *run);

/*
 * Those whose executors are dead, stopped or starved, and let them wait; all units if nobody
 * attends to the run.
 */
void guardian_continue_overdue(struct run *run);

/* This process is as hard to kill as we may make it. */
void guardian_be_tough(void);

/* In its children that are not of the run: killed as others are. */
void guardian_be_ordinary(void);

#endif /* SHOWSTOPPER_GUARDIAN_H */
