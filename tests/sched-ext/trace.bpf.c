// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A program that traces has simulated programs watched, and asks for the speedup factor of whoever
 * leaves a CPU. Another one says what it saw.
 */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>
#include <pmctrack/pmcs.bpf.h>

/* No model of a test says more. */
#define FACTOR_MOST	8000
/* A thread that runs has had a value lately. */
#define AGE_MOST_MS	5000

unsigned int seen, wrong, estimated;

SEC("tp_btf/sched_switch")
int BPF_PROG(switched, bool preempt, struct task_struct *prev, struct task_struct *next)
{
	struct pmcs_value sf = {};

	/* "simapp" */
	if (next->comm[0] == 's' && next->comm[1] == 'i' && next->comm[2] == 'm')
		pmcs_monitor(next, true);
	if (pmcs_metric(prev, PMCS_SPEEDUP_FACTOR, &sf))
		return 0;
	__sync_fetch_and_add(&seen, 1);
	if (sf.error || sf.value < 100 || sf.value > FACTOR_MOST || sf.age_ms > AGE_MOST_MS ||
	    sf.confidence > PMCS_MEASURED)
		__sync_fetch_and_add(&wrong, 1);
	if (sf.confidence == PMCS_ESTIMATED)
		__sync_fetch_and_add(&estimated, 1);
	return 0;
}

/* How many values were seen, or 0 if one was wrong, or none was an estimate. */
SEC("call")
int traced(void *ctx)
{
	return wrong || !estimated ? 0 : seen;
}

char _license[] SEC("license") = "GPL";
