// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * PRIM (Zhang et al., as section 4.2.2 of the paper describes it): a thread of a fast core and one
 * of a slow core, drawn by lot, swap ranks if that saves energy. How much it saves does not count,
 * so the thread that would save most may wait long. The energy-efficiency factor says whether
 * a swap saves energy. It takes the place of rules for one platform.
 */
#define POLICY_DRAWS
#include "layer.bpf.h"

static const bool policy_asks = true;

static void policy_ran(struct amp_thread *t, unsigned int rank, u64 ns)
{
	t->progress_ns += ns;
}

/* The energy-efficiency factor, in thousandths. */
static s64 policy_score(struct amp_thread *t, u32 rank)
{
	return gain_of(t, rank);
}

POLICY("prim");
