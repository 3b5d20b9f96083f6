/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sums of what threads did, and their quality. */
#ifndef WATCH_SUM_H
#define WATCH_SUM_H

#include <stdbool.h>
#include <stdint.h>

/**
 * struct sum - a sum of intervals
 * @cpu_ns: CPU time
 * @explained_ns: the part of @cpu_ns of which Quality Time is known, by samples alone
 * @quality_ns: Quality Time of that part
 * @waited_ns: time in run queues, not running
 */
struct sum {
	uint64_t cpu_ns;
	uint64_t explained_ns;
	uint64_t quality_ns;
	uint64_t waited_ns;
};

static inline void sum_add(struct sum *to, const struct sum *more)
{
	to->cpu_ns += more->cpu_ns;
	to->explained_ns += more->explained_ns;
	to->quality_ns += more->quality_ns;
	to->waited_ns += more->waited_ns;
}

static inline struct sum sum_less(const struct sum *s, const struct sum *less)
{
	return (struct sum){
		s->cpu_ns - less->cpu_ns, s->explained_ns - less->explained_ns,
		s->quality_ns - less->quality_ns, s->waited_ns - less->waited_ns,
	};
}

/* The quality, 0 to 1. Returns false if no sample tells it. */
static inline bool sum_quality(const struct sum *s, double *quality)
{
	if (!s->explained_ns)
		return false;
	*quality = (double)s->quality_ns / (double)s->explained_ns;
	return true;
}

/*
 * The time in run queues, in seconds. Returns false if this kernel has no account of that
 * (CONFIG_SCHED_INFO), so that @waited_ns is 0. For one thread only.
 */
bool sum_waited(const struct sum *s, double *seconds);

#endif /* WATCH_SUM_H */
