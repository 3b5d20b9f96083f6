/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The CPUs that processes may use. qplacer sets them for all threads of a process. At the end, each
 * process gets back the CPUs that it had before, whatever happens to qplacer. For that, qplacer
 * shares a table with a second process, the guard, which restores the CPUs when qplacer is gone.
 */
#ifndef QPLACER_AFFINITY_H
#define QPLACER_AFFINITY_H

#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct affinity;

/*
 * Create the table and fork the guard. Returns NULL and sets errno on failure. Processes that
 * qplacer forks later keep the guard waiting.
 */
struct affinity *affinity_new(void);
/* Restore all processes and wait for the end of the guard. */
void affinity_free(struct affinity *a);
/*
 * Restrict the process that began at @start to those of @cpus that it could use before. Returns 0;
 * -ESRCH: the process is gone; -EPERM: another user's; -EXDEV: another program has changed its
 * CPUs, or it gives its threads different CPUs, so it must be left alone; -EINVAL: it could use
 * none of @cpus before; -ENOSPC: too many processes.
 */
int affinity_set(struct affinity *a, pid_t pid, uint64_t start, const cpu_set_t *cpus);
/*
 * Note a new process. If affinity_set() has set the CPUs of its parent, the process is entered with
 * the CPUs that the parent could use before.
 */
void affinity_meet(struct affinity *a, pid_t pid, uint64_t start);
/* Restore a process, except threads to which another program has given other CPUs. */
void affinity_restore(struct affinity *a, pid_t pid, uint64_t start);
/* True if the process could use any of @cpus before. @a may be NULL. */
bool affinity_may_use(const struct affinity *a, pid_t pid, uint64_t start, const cpu_set_t *cpus);

#endif /* QPLACER_AFFINITY_H */
