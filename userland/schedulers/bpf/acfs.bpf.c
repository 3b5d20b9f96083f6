// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * ACFS: applications progress equally, in proportion to their weights. Progress is counted when it
 * is made, with the speedup factor of that time, and compared with what would have been made if the
 * application had the machine alone: the threads of one with more threads than there are fast
 * cores would have had to share these. That of an application is the mean of its runnable threads,
 * so that a serial phase counts as a parallel one.
 */
#include "layer.bpf.h"

static const bool policy_asks = true;
static const bool policy_by_process = true;

/* Of each of so many threads alone on the machine, in thousandths of a fast core's. */
static u64 speed_alone(u64 threads, u64 speed_slow)
{
	u64 fast = amp.cpus[0];

	if (threads <= fast)
		return 1000;
	return (1000 * fast + speed_slow * (threads - fast)) / threads;
}

static void policy_ran(struct amp_thread *t, unsigned int rank, u64 ns)
{
	u64 factor = t->factor[rank & (AMP_RANKS - 1)] ?: 1000, slow = t->factor[1] ?: 1000, alone;
	struct process *process = process_of(t);
	u64 threads = process && process->runnable ? process->runnable : 1;

	alone = speed_alone(threads, 1000000 / slow) ?: 1;
	ns = ns * 1000 / factor * 1000 / alone * 100 / (t->weight ?: 1) / threads;
	if (process)
		__sync_fetch_and_add(&process->progress_ns, ns);
	else
		t->progress_ns += ns;
}

/* The timer has brought it from the process. */
static s64 policy_score(struct amp_thread *t, u32 rank)
{
	return -(s64)t->progress_ns;
}

POLICY("acfs");
