// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * EF-Driven: fast cores go to the threads whose energy-delay product gains most from them (section
 * 4.2.2 of the paper). The paper evaluated fixed mappings; here they change while threads run.
 */
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

POLICY("ef_driven");
