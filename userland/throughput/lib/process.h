/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Processes, known by PID and start time, because no other process has the same two. */
#ifndef PROCESS_H
#define PROCESS_H

#include <stddef.h>
#include <sys/types.h>

/* THR_HIDDEN: a reader has a lock, so that its writers may not have got theirs. */
enum thr_lock { THR_FREE, THR_LOCKED, THR_HIDDEN };

int thr_process_began(pid_t pid, unsigned long long *ticks);
void thr_segment_path(char *path, size_t size, pid_t pid, unsigned long long began, int name);
int thr_process_lives(pid_t pid, unsigned long long began);
enum thr_lock thr_is_locked(int fd);
void thr_remove_dead(const char *path);

#endif /* PROCESS_H */
