/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds out what is to be controlled, and whether that is permitted, before anything is stopped. */
#ifndef SHOWSTOPPER_ATTACH_H
#define SHOWSTOPPER_ATTACH_H

#include "options.h"
#include "run.h"

/* Set up the units of @run. Returns 0, or another value after a message. */
int attach(const struct options *o, struct run *run);

/*
 * Remove the control groups that attach() made for programs, and wait @patience ns for programs
 * that end. Returns false if programs run on in some groups, which stay.
 */
bool detach(const struct run *run, int64_t patience);

#endif /* SHOWSTOPPER_ATTACH_H */
