// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * EQP: threads are slowed down equally. The slowdown is that of the whole past, as if the speedup
 * factor had always been what it is now. Processes and priorities do not count.
 */
#include "layer.bpf.h"

static const bool policy_asks = true;

static void policy_ran(struct amp_thread *t, unsigned int rank, u64 ns)
{
	/* nothing to do: time_ns is enough */
}

/* The slowdown so far, in millionths. */
static s64 policy_score(struct amp_thread *t, u32 rank)
{
	u64 total = 0, alone = 0, us;
	u32 r;

	for (r = 0; r < AMP_RANKS; r++) {
		us = t->time_ns[r] / 1000;
		total += us;
		alone += us * 1000 / (t->factor[r] ?: 1000);
	}
	return alone ? total * 1000000 / alone : 0;
}

POLICY("eqp");
