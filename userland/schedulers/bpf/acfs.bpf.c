// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * ACFS: applications progress equally, in proportion to their weights. Progress is counted when it
 * is made, with the speedup factor of that time. A thread's progress is compared with what it would
 * have made if its application had the machine alone: the threads of one with more threads than
 * there are fast cores would have had to share these.
 */
#include "layer.bpf.h"

static const bool policy_asks = true;

/* Speed alone on the machine, in thousandths of a fast core's. */
static u64 speed_alone(const struct amp_thread *t, u64 speed_slow)
{
	u64 threads = runnable_beside(t), fast = amp.cpus[0];

	if (threads <= fast)
		return 1000;
	return (1000 * fast + speed_slow * (threads - fast)) / threads;
}

static void policy_ran(struct amp_thread *t, unsigned int rank, u64 ns)
{
	u64 factor = t->factor[rank & (AMP_RANKS - 1)] ?: 1000, slow = t->factor[1] ?: 1000, alone;

	alone = speed_alone(t, 1000000 / slow) ?: 1;
	t->progress_ns += ns * 1000 / factor * 1000 / alone * 100 / (t->weight ?: 1);
}

static s64 policy_score(struct amp_thread *t)
{
	return -(s64)t->progress_ns;
}

POLICY("acfs");
