/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files of control groups (version 2). All return a negative errno if that cannot be done. */
#ifndef QOSD_GROUP_FILE_H
#define QOSD_GROUP_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#define GROUP_ROOT "/sys/fs/cgroup"
#define GROUP_PATH 256

int group_file_write(const char *folder, const char *name, const char *text);
/* The length without newlines at the end, which are cut off. */
ssize_t group_file_read(const char *folder, const char *name, char *text, size_t size);
/* A descriptor, and the same through it. */
int group_file_open(const char *folder, const char *name, int mode);
ssize_t group_file_read_open(int fd, char *text, size_t size);
/* Of a list of words. */
bool group_file_has(const char *text, const char *word);
/*
 * That a group may use all CPUs. The kernel takes no empty cpuset.cpus from a group with processes:
 * all that there can ever be are as good.
 */
int group_file_free_cpus(const char *folder);
/* Does a cpuset.cpus with this text say so? */
bool group_file_is_free(const char *cpus);
int group_file_move(pid_t pid, const char *folder);
/* In which group it is: its path below GROUP_ROOT, "/…". */
int group_file_of(pid_t pid, char *path, size_t size);
/* The same in two steps, the second as often as one likes. */
int group_file_open_of(pid_t pid);
int group_file_of_open(int fd, char *path, size_t size);

#endif /* QOSD_GROUP_FILE_H */
