/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Control groups of version 2, by the files in their folders. */
#ifndef SHOWSTOPPER_CGROUP_H
#define SHOWSTOPPER_CGROUP_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Stop or continue the processes of a group, and those of groups below it. Returns 0, -ESRCH if the
 * group does not exist any more, or another negative errno.
 */
int cgroup_freeze(const char *folder, bool on);

/* Move this process into the group. Returns 0 or a negative errno. */
int cgroup_enter(const char *folder);

/* Returns what to do about this error of a group that was to be made or entered, or "". */
const char *cgroup_remedy(int err);

/* True if the group was stopped, and not continued. */
bool cgroup_is_frozen(const char *folder);

/*
 * Send a signal to the processes of a group; SIGKILL also to those of groups below it, and to
 * frozen ones. The group's name must be unique in the machine, because its processes are told from
 * others by that name.
 */
void cgroup_signal(const char *folder, int signal);

/* True if a process is in the group, or below it. */
bool cgroup_is_populated(const char *folder);

/* True if this process is in the group, or below it. @folder is a real path. */
bool cgroup_has_us(const char *folder);

/* Remove the group and groups below it. Returns 0, or -EBUSY if a process is in one of them. */
int cgroup_remove(const char *folder);

/*
 * Write the folder of this process's group to @path. Returns 0, -ENOENT if none is mounted, or
 * another negative errno.
 */
int cgroup_own(char *path, size_t size);

#endif /* SHOWSTOPPER_CGROUP_H */
