/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is controlled, before anything is: who it is, and whether we may. */
#ifndef SHOWSTOPPER_ATTACH_H
#define SHOWSTOPPER_ATTACH_H

#include "options.h"
#include "run.h"

/* Set up the units of @run. 0, or not, after a complaint. */
int attach(const struct options *o, struct run *run);

/*
 * Afterwards: remove control groups that were made for programs, and wait so many ns for
 * those that end. False: programs run on in some, which stay.
 */
bool detach(const struct run *run, int64_t patience);

#endif /* SHOWSTOPPER_ATTACH_H */
