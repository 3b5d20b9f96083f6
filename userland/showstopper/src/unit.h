/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Stopping and continuing units, by what struct run_unit says and nothing else. */
#ifndef SHOWSTOPPER_UNIT_H
#define SHOWSTOPPER_UNIT_H

#include "run.h"

/*
 * Stop or continue all of it. 0; -ESRCH: nothing is left of it; -EPERM: (some of) it
 * is not ours to signal; or another negative errno. Only the executor stops.
 * unit_continue() may be called by anybody at any time: what runs does not notice.
 */
int unit_stop(struct run_unit *u);
int unit_continue(struct run_unit *u);

/* The same, by its executor or by who has buried that: nobody will stop it again. */
int unit_release(struct run_unit *u);

/*
 * As unit_continue(), when nobody has looked after it for a time: a group's number
 * may be another one's by now. Returns how many processes or groups were continued, or a
 * negative errno if one could not be.
 */
int unit_rescue(struct run_unit *u);

/* Is one of its processes left, not counting those of its group? */
bool unit_is_alive(const struct run_unit *u);

/*
 * UNIT_TREE: @root and its descendants, also those that have been, and still are there
 * though their parents are not. -ESRCH: nothing is left; -E2BIG: more than RUN_MAX_PROCS;
 * -EDEADLK: @guardian is below it, and would be stopped with it.
 */
int unit_find_tree(struct run_unit *u, pid_t root, uint64_t start, pid_t guardian);

/*
 * UNIT_GROUP: descendants of the executor that have left the group; it adopts those
 * whose parents die. For all units of a run, by the master: 0, or -E2BIG.
 */
int unit_find_strays(struct run *run);

/* For all of a program that we started. */
void unit_signal(struct run_unit *u, int signal);

#endif /* SHOWSTOPPER_UNIT_H */
