/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads and writes files of control groups (version 2). All functions return a negative errno on
 * failure.
 */
#ifndef QOSD_GROUP_FILE_H
#define QOSD_GROUP_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#define GROUP_ROOT "/sys/fs/cgroup"
#define GROUP_PATH 256

int group_file_write(const char *folder, const char *name, const char *text);
/* Returns the length without newlines at the end, which are cut off. */
ssize_t group_file_read(const char *folder, const char *name, char *text, size_t size);
/* Open a file (returns a descriptor), and read it through the descriptor in the same way. */
int group_file_open(const char *folder, const char *name, int mode);
ssize_t group_file_read_open(int fd, char *text, size_t size);
/* True if @text, a list of words, has this word. */
bool group_file_has(const char *text, const char *word);
/*
 * Let a group use all CPUs. The kernel refuses an empty cpuset.cpus if the group has processes; all
 * possible CPUs have the same effect.
 */
int group_file_free_cpus(const char *folder);
/* True if a cpuset.cpus with this text allows all CPUs. */
bool group_file_is_free(const char *cpus);
int group_file_move(pid_t pid, const char *folder);
/* Get the group of a process: its path below GROUP_ROOT, "/…". */
int group_file_of(pid_t pid, char *path, size_t size);
/* The same in two steps; the second one can be repeated. */
int group_file_open_of(pid_t pid);
int group_file_of_open(int fd, char *path, size_t size);

#endif /* QOSD_GROUP_FILE_H */
