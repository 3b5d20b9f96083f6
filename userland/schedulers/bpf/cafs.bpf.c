// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * CAFS: applications progress equally, as under ACFS, but what others take from them in caches and
 * memory counts, too. Within a tolerance, applications progress faster if they gain more from fast
 * cores. The aggregate speedup (ASP) gains most if time on fast cores goes from applications that
 * gain less than the mean to those that gain more, until slowdowns are as far apart as they may be.
 */
#define POLICY_PREFERS
#include "progress.bpf.h"

#define LAG_MOST	(1000000 * NSEC_PER_MSEC)

static const bool policy_asks = true;
static const bool policy_asks_quality = true;
static const bool policy_by_process = true;

static void policy_ran(struct amp_thread *t, unsigned int rank, u64 ns)
{
	make_progress(t, rank, ns * 1000 / t->credit, quality_of(t));
}

/* The speed that cores of @rank have more than the next rank, in thousandths of the fastest. */
static u64 faster_by(const struct amp_thread *t, u32 rank)
{
	u64 fast = 1000000 / (t->factor[bounded(rank)] ?: 1000);
	u64 slow = 1000000 / (t->factor[bounded(rank + 1)] ?: 1000);

	return fast > slow ? (fast - slow) * quality_of(t) / 1000 : 0;
}

/* What a fast core adds to ASP while @t has it, in thousandths. */
static u64 policy_value(const struct amp_thread *t)
{
	return faster_by(t, 0) * (t->factor[bounded(amp.ranks - 1)] ?: 1000) / 1000 /
	       runnable_beside(t);
}

/*
 * In ns: how far @t is behind the mean, times how much a faster core reduces this lag. The sum of
 * the squares of all lags falls fastest if fast cores go to the threads with the greatest product.
 */
static s64 policy_score(struct amp_thread *t, u32 rank)
{
	u64 threads = runnable_beside(t);
	u64 of = (t->weight ?: 1) * threads * speed_alone(t, threads);
	s64 lag = survey.mean - t->progress_ns;
	u64 size = lag < 0 ? -lag : lag;

	/* With this limit, products fit. Small products do not vanish. */
	if (size > LAG_MOST)
		size = LAG_MOST;
	size = size * faster_by(t, rank) * 100 / of;
	return lag < 0 ? -(s64)size : (s64)size;
}

POLICY("cafs");
