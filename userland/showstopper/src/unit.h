/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Stopping and continuing units, by what struct run_unit says and nothing else. */
#ifndef SHOWSTOPPER_UNIT_H
#define SHOWSTOPPER_UNIT_H

#include "run.h"

/*
 * Stop or continue all of a unit. Returns 0, -ESRCH if nothing is left of it, -EPERM if (some of)
 * it may not be signalled, or another negative errno. Only the executor stops. unit_continue() may
 * be called by any process at any time: what runs does not notice.
 */
int unit_stop(struct run_unit *u);
int unit_continue(struct run_unit *u);

/* The same, by the executor or the process that reaped it: no other process stops the unit. */
int unit_release(struct run_unit *u);

/*
 * Like unit_continue(), if the unit was not looked after for a time: a group's number may be
 * another group's by now. Returns how many processes or groups were continued, or a negative errno
 * if one could not be.
 */
int unit_rescue(struct run_unit *u);

/* True if one of its processes is left, not counting those of its group. */
bool unit_is_alive(const struct run_unit *u);

/*
 * UNIT_TREE: find @root and its descendants, also earlier ones that are still there although their
 * parents are not. Returns 0, -ESRCH: nothing is left; -E2BIG: more than RUN_MAX_PROCS; -EDEADLK:
 * @guardian is below @root, and would be stopped with it.
 */
int unit_find_tree(struct run_unit *u, pid_t root, uint64_t start, pid_t guardian);

/*
 * UNIT_GROUP: find descendants of the executor that have left the group; the executor adopts those
 * whose parents die. Called by the master for all units of a run. Returns 0 or -E2BIG.
 */
int unit_find_strays(struct run *run);

/* Send a signal to all of a program that showstopper started. */
void unit_signal(struct run_unit *u, int signal);

#endif /* SHOWSTOPPER_UNIT_H */
