/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * CPUs that processes may use: set for all their threads, and as they were before in the end,
 * whatever happens to this program. A process of its own, the guard, restores what is in a table
 * that both share, when this program is gone.
 */
#ifndef QPLACER_AFFINITY_H
#define QPLACER_AFFINITY_H

#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct affinity;

/*
 * The table, and the process that guards it. NULL: errno. Processes that are forked later keep the
 * guard waiting.
 */
struct affinity *affinity_new(void);
/* All is as it was before, and the guard is gone. */
void affinity_free(struct affinity *a);
/*
 * Let the process that began at @start use those of @cpus only that it could use before.
 * 0; -ESRCH: it is no more; -EPERM: not ours; -EXDEV: somebody else has changed it, or it gives
 * its threads different CPUs, so that it must be left alone; -EINVAL: it could use none of @cpus
 * before; -ENOSPC: too many processes.
 */
int affinity_set(struct affinity *a, pid_t pid, uint64_t start, const cpu_set_t *cpus);
/*
 * A process is there: if it was created by one whose CPUs were set, it could use what that one
 * could before.
 */
void affinity_meet(struct affinity *a, pid_t pid, uint64_t start);
/* As it was before, but for threads that somebody else has given CPUs. */
void affinity_restore(struct affinity *a, pid_t pid, uint64_t start);
/* Could it use any of @cpus before? @a may be NULL. */
bool affinity_may_use(const struct affinity *a, pid_t pid, uint64_t start, const cpu_set_t *cpus);

#endif /* QPLACER_AFFINITY_H */
