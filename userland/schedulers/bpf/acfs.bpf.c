// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * ACFS: applications progress equally, in proportion to their weights. Progress is counted when it
 * is made, with the speedup factor of that time.
 */
#include "progress.bpf.h"

static const bool policy_asks = true;
static const bool policy_by_process = true;

static void policy_ran(struct amp_thread *t, unsigned int rank, u64 ns)
{
	make_progress(t, rank, ns, 1000);
}

/* The timer has copied the progress of the process to @t. */
static s64 policy_score(struct amp_thread *t, u32 rank)
{
	return -(s64)t->progress_ns;
}

POLICY("acfs");
