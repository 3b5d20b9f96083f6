/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Processes, from /proc. A process is known by its PID and its start time, because a PID may be
 * used again.
 */
#ifndef COMMON_PROC_H
#define COMMON_PROC_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/**
 * struct proc - a process
 * @pid: PID (of its first thread)
 * @parent: PID of its parent
 * @group: process group
 * @state: letter of /proc/PID/stat; T: stopped
 * @start: when it began, in ticks since boot
 * @kernel: it is a thread of the kernel
 */
struct proc {
	pid_t pid;
	pid_t parent;
	pid_t group;
	char state;
	uint64_t start;
	bool kernel;
};

/* Returns 0, -ESRCH, or another negative errno if the process cannot be read. */
int proc_read(pid_t pid, struct proc *p);

/* Calls @found for every process. */
void proc_each(void (*found)(const struct proc *p, void *data), void *data);

/* True if the process that began at @start exists, as far as is known, and is not a zombie. */
bool proc_is(pid_t pid, uint64_t start);
/* The same, but also true for a zombie: its other threads may go on without the first one. */
bool proc_exists(pid_t pid, uint64_t start);

/*
 * Signal the process that began at @start, and no other process of this PID. Returns 0, -ESRCH,
 * -EPERM, or another negative errno.
 */
int proc_signal(pid_t pid, uint64_t start, int signal);

/* Signals that are pending because the process is stopped or blocks them: bit N - 1 is signal N. */
uint64_t proc_pending(pid_t pid);

/* For messages: in which way a process does not answer. */
const char *proc_trouble(pid_t pid);

#endif /* COMMON_PROC_H */
