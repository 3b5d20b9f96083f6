/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Control groups (version 2), one for each program that is managed: that of its unit, or one that
 * is made for it (home.h). A process that is moved there is moved back in the end, by this qosd or
 * by the next one: where it was is in a file.
 */
#ifndef QOSD_GROUP_H
#define QOSD_GROUP_H

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "group_file.h"

/* Shorter periods: with the usual 100 ms, programs stand still for long when they are throttled. */
#define GROUP_PERIOD_US 20000

/**
 * struct origin - a process that was moved, or the program that stays in its unit
 * @path: where it was, below GROUP_ROOT
 */
struct origin {
	pid_t pid;
	uint64_t start;
	char path[GROUP_PATH];
};

/**
 * struct group - of a program
 * @path: its folder
 * @origin: of its processes; @nr of them
 * @in_unit: it is the group of a unit of systemd, and nothing was moved
 * @unit: its name; "": it is below a unit
 * @asked: how often somebody has looked, in vain, for what systemd was asked for
 * @max: what was written to its cpu.max last; "": nothing
 * @cpus: and to its cpuset.cpus
 * @quota_us: of @max; 0: none
 * @max_fd: its cpu.max; the next are its cpu.max.burst, cpu.stat and cgroup.threads
 * @of_fd: where its program says in which group it is
 * @note_fd: in a unit: what CPUs it was given, for whoever comes after a crash; -1: none so far
 */
struct group {
	char path[GROUP_PATH];
	struct origin *origin;
	size_t nr;
	bool in_unit;
	char unit[GROUP_PATH];
	unsigned int asked;
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

/* All return 0 or a negative errno. */
int group_machine_cpus(cpu_set_t *cpus);
/* What a qosd that was killed has left. Returns how many processes were moved back. */
int group_recover(const char *state);

/*
 * Find the process that began at @start, with those beside it that it has started: they are in
 * @origin. -ESRCH: it is not there, or not @uid's; -EALREADY: it is in a group of ours, because
 * another program has started it; -EPERM: its group, or one above, has limits that it would escape.
 * With systemd: -ENOTUNIQ: it is not alone in a unit; -ENODEV: its group has no controller cpu.
 */
int group_find(struct group *g, pid_t pid, uint64_t start, uid_t uid);
/* Make the folder for what was found. */
int group_open(struct group *g, const char *name);
/* Move them. -ESRCH: there is none any more. */
int group_take(struct group *g, pid_t pid, uid_t uid);
/* -EBUSY: somebody else has changed it, see group_check(). -EAGAIN: later. */
int group_set_bandwidth(struct group *g, double cpus);
int group_set_cpus(struct group *g, const cpu_set_t *cpus);
/* As if we had never set it. */
int group_free_bandwidth(struct group *g);
int group_free_cpus(struct group *g);
/* Is all as it was left? -EBUSY: somebody else has changed it, @what says what. */
int group_check(struct group *g, pid_t pid, const char **what);
/* CPU time so far. */
int group_usage(const struct group *g, uint64_t *us);
int group_threads(const struct group *g, unsigned int *threads);
/*
 * The group of a unit has all CPUs again, if it has what a qosd that was killed has given to @pid,
 * its program: 1; 0: it has what others have given it; or a negative errno.
 */
int group_recover_cpus(const char *folder, pid_t pid);
/* Then what is noted of others is of units that have ended: their PIDs will be other programs'. */
void group_forget_notes(void);
/* How many of its processes are now in @pids, @most at most. */
int group_processes(const struct group *g, pid_t *pids, int most);
/* Move all away, and remove it. How many there were, or a negative errno: it is still there. */
int group_dissolve(const char *folder, const struct origin *origin, size_t nr);
/* All are back, and it is gone; otherwise nothing holds them back, and it can be tried again. */
int group_close(struct group *g);

#endif /* QOSD_GROUP_H */
