// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A-DWRR: threads share scaled CPU time in proportion to their weights. Time on a core is worth
 * the core's speed, which is the same for all threads. The policy asks for no metric.
 */
#include "layer.bpf.h"

static const bool policy_asks;

static void policy_ran(struct amp_thread *t, unsigned int rank, u64 ns)
{
	u64 ratio = amp.ratio[rank & (AMP_RANKS - 1)] ?: 1000;

	t->progress_ns += ns * 1000 / ratio * 100 / (t->weight ?: 1);
}

static s64 policy_score(struct amp_thread *t, u32 rank)
{
	return -(s64)t->progress_ns;
}

/* sched_ext does not allow "-" in names. */
POLICY("a_dwrr");
