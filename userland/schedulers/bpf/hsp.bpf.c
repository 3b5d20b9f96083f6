// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * HSP: fast cores go to the threads whose applications gain most from them, for throughput.
 * Fairness is not looked at.
 */
#include "layer.bpf.h"

static const bool policy_asks = true;

static void policy_ran(struct amp_thread *t, unsigned int rank, u64 ns)
{
	t->progress_ns += ns;
}

/*
 * What @t's application would gain from cores of @rank over the next rank, in thousandths. Its
 * threads share them: if there are more threads than such cores, only as many run there as fit.
 */
static u64 application_factor(const struct amp_thread *t, u32 rank)
{
	u64 factor = gain_of(t, rank), threads = runnable_beside(t), fast = amp.cpus[bounded(rank)];

	if (threads <= fast || factor <= 1000)
		return factor;
	return 1000 + (factor - 1000) * fast / threads;
}

/* The application's factor, in thousandths. */
static s64 policy_score(struct amp_thread *t, u32 rank)
{
	return application_factor(t, rank);
}

POLICY("hsp");
