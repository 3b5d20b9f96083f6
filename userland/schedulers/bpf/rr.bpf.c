// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * RR: threads share the time on fast cores equally, whatever they make of it (SYSTEMS 1a; the paper
 * describes it in section 4.1.1). The policy asks for no metric.
 */
#include "layer.bpf.h"

static const bool policy_asks;

static void policy_ran(struct amp_thread *t, unsigned int rank, u64 ns)
{
	if (!rank)
		t->progress_ns += ns;
}

static s64 policy_score(struct amp_thread *t, u32 rank)
{
	return -(s64)t->progress_ns;
}

POLICY("rr");
