/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Module feedback: how high the load is now (paper, 3.2.2, equations 1 and 2).
 * All executors share one estimate, in memory that is shared without locks.
 */
#ifndef SHOWSTOPPER_FEEDBACK_H
#define SHOWSTOPPER_FEEDBACK_H

#include <stdatomic.h>
#include <stdint.h>

#define FEEDBACK_DELTA	333000000LL	/* ns: the weight of what was known before */
#define FEEDBACK_SHARE	160000000LL	/* ns * CPUs: an estimate is not older than this */

/**
 * struct load_time - what CPUs have done, since some moment in the past
 * @work: ns, of all CPUs together
 * @idle: ns
 */
struct load_time {
	int64_t work;
	int64_t idle;
};

/**
 * struct load_source - where the times come from
 * @read: the times now; 0 or a negative errno
 * @data: argument of @read
 * @nr_cpus: number of CPUs whose times these are
 */
struct load_source {
	int (*read)(void *data, struct load_time *now);
	void *data;
	unsigned int nr_cpus;
};

/**
 * struct feedback_estimate - the shared estimate; zero at first
 * @seq: odd while an executor changes it
 * @at: when it was made, ns of the monotonic clock
 * @times: of the sample that it ends with
 * @load: 0 to 1
 */
struct feedback_estimate {
	_Atomic uint32_t seq;
	_Atomic int64_t at;
	_Atomic int64_t work, idle;
	_Atomic double load;
};

/**
 * struct feedback - an executor's access to the estimate
 * @estimate: shared
 * @source: of times
 * @delta: ns
 */
struct feedback {
	struct feedback_estimate *estimate;
	const struct load_source *source;
	int64_t delta;
};

/**
 * struct feedback_load - an estimate
 * @load: 0 to 1
 * @work: ns that the CPUs have worked when it was made
 * @idle: ns that they have idled
 */
struct feedback_load {
	double load;
	int64_t work;
	int64_t idle;
};

/*
 * Get the load at @now: from the shared estimate if it is young enough, else from a new one. The
 * first is 0, because nothing is known. Returns 0 or a negative errno.
 */
int feedback_get(const struct feedback *f, int64_t now, struct feedback_load *load);

#endif /* SHOWSTOPPER_FEEDBACK_H */
