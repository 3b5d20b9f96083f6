// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * CAMPS's kind: applications progress equally, as under ACFS, and what others take from them in
 * caches and memory counts. A thread's best speed lately stands for its speed alone, so no models
 * are needed (module speed_history). Written from the abstract of the paper: Garcia-Garcia, Saez,
 * Prieto-Matias, "Contention-aware fair scheduling for asymmetric single-ISA multicore systems",
 * IEEE Transactions on Computers, 2018.
 */
#include "progress.bpf.h"

static const bool policy_asks = true;
static const bool policy_asks_quality = true;
static const bool policy_by_process = true;

static void policy_ran(struct amp_thread *t, unsigned int rank, u64 ns)
{
	make_progress(t, rank, ns, quality_of(t));
}

static s64 policy_score(struct amp_thread *t, u32 rank)
{
	return -(s64)t->progress_ns;
}

POLICY("camps");
