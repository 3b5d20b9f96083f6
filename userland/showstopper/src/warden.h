/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The warden: a process apart from the others. It continues everything if none of them is left, or
 * if none of them does it.
 */
#ifndef SHOWSTOPPER_WARDEN_H
#define SHOWSTOPPER_WARDEN_H

#include "run.h"

/**
 * struct warden - what the guardian has of the warden
 * @pid: 0: none
 * @ends: of a pipe; guardian, master and executors all have the second one
 */
struct warden {
	pid_t pid;
	int ends[2];
};

/*
 * Start the warden; by the guardian, before it has other children. Returns 0 or a negative errno.
 */
int warden_open(struct warden *w, struct run *run);

/* Start another warden if it has died or hangs. */
void warden_keep(struct warden *w, struct run *run);

/* Call this when all others have ended: the warden ends, or is killed if it hangs. */
void warden_close(struct warden *w, const struct run *run);

#endif /* SHOWSTOPPER_WARDEN_H */
