/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Control groups (version 2) of processes, and what the kernel counts of them. */
#ifndef WATCH_GROUPS_H
#define WATCH_GROUPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define GROUPS_ROOT	"/sys/fs/cgroup"

/* Path of the process's group below GROUPS_ROOT, as "/user.slice"; "" if unknown or too long. */
void groups_of(pid_t pid, char *path, size_t size);
/*
 * The directory of a group as an absolute path, without links. Returns 0; -ENOTDIR: not a directory
 * of cgroup2 below GROUPS_ROOT; or another negative errno.
 */
int groups_resolve(const char *folder, char *path, size_t size);
/*
 * The time for which a group was throttled by its own cpu.max or that of a group above it. @folder
 * is a directory of cgroup2, as an absolute path. Returns false if the kernel does not say, or if
 * the group is gone.
 */
bool groups_throttled(const char *folder, uint64_t *us);
/* Calls @fn for each process of a group and of groups below it. Returns 0 or a negative errno. */
int groups_each_process(const char *folder, void (*fn)(pid_t pid, void *arg), void *arg);
/*
 * A title for users: if @path looks like that of a container, the container's name or the first
 * characters of its ID; otherwise the last part of @path.
 */
void groups_title(const char *path, char *title, size_t size);

#endif /* WATCH_GROUPS_H */
