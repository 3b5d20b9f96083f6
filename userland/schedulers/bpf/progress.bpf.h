/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Progress of applications: what their threads made, in time on a fast core, over what they would
 * have made if the application had the machine alone. If an application has more threads than there
 * are fast cores, its threads would have had to share the fast cores. The progress of an
 * application is the mean of its runnable threads, so that a serial phase counts as a parallel one.
 */
#ifndef SCHEDULERS_PROGRESS_BPF_H
#define SCHEDULERS_PROGRESS_BPF_H

#include "layer.bpf.h"

/* Speed of each of @threads threads alone on the machine, in thousandths of a fast core's speed. */
static u64 speed_alone(const struct amp_thread *t, u64 threads)
{
	u64 fast = amp.cpus[0], slow = 1000000 / (t->factor[1] ?: 1000);

	if (threads <= fast)
		return 1000;
	return (1000 * fast + slow * (threads - fast)) / threads ?: 1;
}

/* @t has run for @ns on a core of @rank, at @quality thousandths of its speed without others. */
static void make_progress(struct amp_thread *t, u32 rank, u64 ns, u64 quality)
{
	struct process *process = process_of(t);
	u64 threads = runnable_of(process);

	ns = ns * quality / (t->factor[bounded(rank)] ?: 1000) * 1000 / speed_alone(t, threads) * 100 /
	     (t->weight ?: 1) / threads;
	if (!process) {
		t->progress_ns += ns;
		return;
	}
	process->ran_ns = bpf_ktime_get_ns();
	__sync_fetch_and_add(&process->progress_ns, ns);
}

#endif /* SCHEDULERS_PROGRESS_BPF_H */
