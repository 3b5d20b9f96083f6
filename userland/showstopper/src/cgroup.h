/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Control groups of version 2, by the files in their folders. */
#ifndef SHOWSTOPPER_CGROUP_H
#define SHOWSTOPPER_CGROUP_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Stop or continue its processes, and those of groups below. -ESRCH: there is no such
 * group any more; or another negative errno.
 */
int cgroup_freeze(const char *folder, bool on);

/* Move this process into it: 0 or a negative errno. */
int cgroup_enter(const char *folder);

/* What to do about such an error of a group that was to be made or entered; or "". */
const char *cgroup_remedy(int err);

/* It was stopped, and not continued. */
bool cgroup_is_frozen(const char *folder);

/*
 * A signal for its processes; SIGKILL also for those of groups below, and frozen ones. Its
 * name must be its own in the machine, as processes are told from others by that.
 */
void cgroup_signal(const char *folder, int signal);

/* Is a process in it, or below? */
bool cgroup_is_populated(const char *folder);

/* Is this process? @folder is a real path. */
bool cgroup_has_us(const char *folder);

/* And groups below, if nothing is in them: 0, or -EBUSY if something is. */
int cgroup_remove(const char *folder);

/* The folder of this process's group: 0, -ENOENT: none is mounted; or another. */
int cgroup_own(char *path, size_t size);

#endif /* SHOWSTOPPER_CGROUP_H */
