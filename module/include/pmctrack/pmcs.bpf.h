/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Functions with which BPF programs ask PMCTrack's kernel modules for metrics of threads. Include
 * this file after vmlinux.h and <bpf/bpf_helpers.h>. pmctrack_bpf.ko has the functions. They are
 * weak, so a program loads without this module. Therefore check that a function exists:
 *
 *	struct pmcs_value sf;
 *
 *	if (bpf_ksym_exists(pmcs_metric) &&
 *	    !pmcs_metric(p, PMCS_SPEEDUP_FACTOR, &sf) && sf.confidence >= PMCS_ESTIMATED)
 *		...
 *
 * The functions can be called from sched_ext policies (struct_ops) in any operation, from tracing
 * programs and from system call programs. All of these need CAP_PERFMON. A task must be one that
 * the program may use: an argument of the operation, or found under RCU.
 */
#ifndef _PMCTRACK_PMCS_BPF_H
#define _PMCTRACK_PMCS_BPF_H

#include "pmcs_types.h"

/*
 * Get a metric of @p. Returns 0; -EINVAL: there is no such metric; -ENODATA: the metric has no
 * value yet, the active monitoring module does not have it, or the thread is not monitored;
 * -EAGAIN, very rarely: ask again.
 */
int pmcs_metric(struct task_struct *p, unsigned int key, struct pmcs_value *value) __weak __ksym;

/*
 * Get several metrics of @p at once, PMCS_BATCH at most. @keys__sz is the size of an array of
 * unsigned int, @values__sz that of as many struct pmcs_value. Both arrays must be writable, for
 * example on the stack, because the verifier does not accept constants. Returns the number of
 * metrics that have a value; -EINVAL: the sizes do not fit together.
 */
int pmcs_metrics(struct task_struct *p, const unsigned int *keys, unsigned int keys__sz,
		 struct pmcs_value *values, unsigned int values__sz) __weak __ksym;

/*
 * Monitor @p from its next tick on, or end this if @on is false. Children of @p are not monitored.
 * A thread has one request only: the last call counts, also if it comes from another program.
 * Returns 0; -EINVAL: @p is an idle thread; -ESRCH: @p ends, or is not complete yet (as in
 * init_task: call it in enable); -ENOSPC: too many threads are monitored (some 40,000, on a kernel
 * without PMCTrack's patch).
 */
int pmcs_monitor(struct task_struct *p, bool on) __weak __ksym;

/*
 * The core type of a CPU, by its number in /proc/pmc/info; -EINVAL: it is not known. (The kernel
 * knows a CPU's capacity: scx_bpf_cpuperf_cap().)
 */
int pmcs_core_type(int cpu) __weak __ksym;

/* The number of core types. */
int pmcs_nr_core_types(void) __weak __ksym;

/* The name of a core type, cut off if it is too long. Returns its length, or -EINVAL. */
int pmcs_core_type_name(unsigned int type, char *name, unsigned int name__sz) __weak __ksym;

/* The name of the active monitoring module, likewise; 0: none is active. */
int pmcs_module(char *name, unsigned int name__sz) __weak __ksym;

#endif /* _PMCTRACK_PMCS_BPF_H */
