/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where the load comes from: all CPUs, some of them, or a control group. */
#ifndef SHOWSTOPPER_LOAD_H
#define SHOWSTOPPER_LOAD_H

#include <sched.h>
#include <stdbool.h>

#include "feedback.h"

/**
 * struct load - a source and its data; freed with load_close()
 * @source: for struct feedback
 * @fd: /proc/stat, or cpu.stat of the group
 * @cpus: only these, if not @all
 * @all: all CPUs
 * @begin: cgroup: when it was opened, ns of the monotonic clock
 */
struct load {
	struct load_source source;
	int fd;
	cpu_set_t cpus;
	int all;
	int64_t begin;
};

/*
 * Open the times of /proc/stat, which the kernel has in ticks of 10 ms. idle and iowait are idle;
 * what a hypervisor took away (steal) is neither work nor idle. @cpus NULL: all online CPUs.
 * Returns 0 or a negative errno.
 */
int load_open_cpus(struct load *l, const cpu_set_t *cpus);

/* Open cpu.stat of a cgroup (version 2), as a part of all online CPUs. */
int load_open_cgroup(struct load *l, const char *path);

void load_close(struct load *l);

/* True if all of @cpus are online. */
bool load_are_online(const cpu_set_t *cpus);

/*
 * Find those of @cpus on which this process may not run, because its cpuset lacks them (@outside),
 * and all CPUs that it may use (@allowed). Affinities of this process do not count, because it may
 * change them. Returns true if none is outside.
 */
bool load_may_use(const cpu_set_t *cpus, cpu_set_t *outside, cpu_set_t *allowed);

#endif /* SHOWSTOPPER_LOAD_H */
