/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The warden: a process apart from the others, which continues everything when none
 * of them is left, or when none of them does it.
 */
#ifndef SHOWSTOPPER_WARDEN_H
#define SHOWSTOPPER_WARDEN_H

#include "run.h"

/*
 * Start it, by the guardian, before it has other children: what is forked from then on
 * is what the warden outlives. 0 or a negative errno.
 */
int warden_start(struct run *run);

#endif /* SHOWSTOPPER_WARDEN_H */
