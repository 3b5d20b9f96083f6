/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The guardian: the first process. It only ensures that nothing stays stopped, and that the run
 * ends when it is to. It allocates nothing once it watches.
 */
#ifndef SHOWSTOPPER_GUARDIAN_H
#define SHOWSTOPPER_GUARDIAN_H

#include "load.h"
#include "options.h"
#include "run.h"

/* Start the master, and watch. Returns the exit status. */
int guardian_run(const struct options *o, struct run *run, struct load *load);

/* How often the guardian looks, ns. */
#define GUARDIAN_PERIOD	RUN_BEAT

/* Continue all units that may be stopped. */
void guardian_continue_all(struct run *run);

/*
 * Continue units whose executors are dead, stopped or starved, and let them wait; all units if the
 * run is not attended.
 */
void guardian_continue_overdue(struct run *run);

/* Make this process as hard to kill as permitted. */
void guardian_be_tough(void);

/* For children that are not part of the run: they are killed like others. */
void guardian_be_ordinary(void);

#endif /* SHOWSTOPPER_GUARDIAN_H */
