/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Control groups (version 2), one for each program that is managed. It is the group of the
 * program's unit, or one that is made for the program (home.h). A process that is moved there is
 * moved back in the end, by this qosd or by the next one. A file says where the process was.
 */
#ifndef QOSD_GROUP_H
#define QOSD_GROUP_H

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "group_file.h"

/* Quota period. With the usual 100 ms, throttled programs would stand still for long. */
#define GROUP_PERIOD_US 20000
/*
 * Without a quota, with the kernel's own period, because the next one who sets a quota may name no
 * period.
 */
#define GROUP_NO_QUOTA "max 100000"

/**
 * struct origin - a process that was moved, or the program that stays in its unit
 * @path: group where it was, below GROUP_ROOT
 */
struct origin {
	pid_t pid;
	uint64_t start;
	char path[GROUP_PATH];
};

/**
 * struct group - the control group of a program
 * @path: its folder
 * @origin: where its processes were; @nr of them
 * @in_unit: it is the group of a unit of systemd, and nothing was moved
 * @unit: name of the unit; "": the group is below a unit
 * @asked: how often a file that systemd was asked for was still missing
 * @checks: how often it was checked that the group is as it was left
 * @max: text that was last written to its cpu.max; "": nothing
 * @cpus: likewise for its cpuset.cpus
 * @quota_us: quota in @max; 0: none
 * @max_fd: descriptor of its cpu.max; the next ones are of cpu.max.burst, cpu.stat and
 *	cgroup.threads
 * @of_fd: file that says in which group the program is
 * @note_fd: in a unit: file with the CPUs that it was given, for a qosd that starts after a crash;
 *	-1: none so far
 */
struct group {
	char path[GROUP_PATH];
	struct origin *origin;
	size_t nr;
	bool in_unit;
	char unit[GROUP_PATH];
	unsigned int asked;
	unsigned int checks;
	char max[64];
	char cpus[8192];
	long quota_us;
	int max_fd;
	int burst_fd;
	int stat_fd;
	int threads_fd;
	int of_fd;
	int note_fd;
};

/* All functions return 0 or a negative errno, unless they say otherwise. */
int group_machine_cpus(cpu_set_t *cpus);
/* Undo what a qosd that was killed has left. Returns how many processes were moved back. */
int group_recover(const char *state);

/*
 * Find the process that began at @start, and the processes in its group that it has started; store
 * them in @origin. -ESRCH: it is not there, or not @uid's. -EALREADY: it is in a group of qosd,
 * because another program has started it. -EPERM: its group, or one above, has limits that it would
 * escape. -E2BIG: it has too many processes. With systemd: -ENOTUNIQ: it is not alone in a unit.
 * -ENODEV: its group has no controller cpu.
 */
int group_find(struct group *g, pid_t pid, uint64_t start, uid_t uid);
/* Open the group for what was found, and make its folder if needed. */
int group_open(struct group *g, const char *name);
/* Move the processes that were found. -ESRCH: none of them is left. */
int group_take(struct group *g, pid_t pid, uid_t uid);
/*
 * Set a limit. -EBUSY: somebody else has changed it, see group_check(). -EAGAIN: try again later.
 */
int group_set_bandwidth(struct group *g, double cpus);
int group_set_cpus(struct group *g, const cpu_set_t *cpus);
/* Returns the CPUs of the quota that was set, 0 if none was set. */
double group_quota(const struct group *g);
/* Remove a limit that was set. */
int group_free_bandwidth(struct group *g);
int group_free_cpus(struct group *g);
/*
 * Check that the group is as qosd left it. -EBUSY: somebody else has changed it; @what says what.
 * -EPERM: processes were moved from a group that has limits now.
 */
int group_check(struct group *g, pid_t pid, const char **what);
/*
 * Returns 1 if the group @path, or one above it, limits its processes, or nobody may know; 0 if
 * not; or a negative errno, for example if there is no descriptor.
 */
int group_limits_exist(const char *path);
/* The same, but the answer may be a second old. It costs more than all else that is checked. */
int group_limits_exist_lately(const char *path);
/* Get the CPU time so far, in microseconds. */
int group_usage(const struct group *g, uint64_t *us);
int group_threads(const struct group *g, unsigned int *threads);
/*
 * Give all CPUs back to the group of a unit, if it has those that a killed qosd gave to @pid, its
 * program. Returns 1 if this was done; 0 if the group has what others gave it; or a negative errno.
 */
int group_recover_cpus(const char *folder, pid_t pid);
/* Fill @pids with the group's processes, @most at most. Returns how many. */
int group_processes(const struct group *g, pid_t *pids, int most);
/*
 * Move all processes away, and remove the folder. Returns how many there were, or a negative errno:
 * the folder is still there.
 */
int group_dissolve(const char *folder, const struct origin *origin, size_t nr);
/*
 * Move all processes back, and remove the group. On failure, no limit is left, and it can be tried
 * again.
 */
int group_close(struct group *g);

#endif /* QOSD_GROUP_H */
