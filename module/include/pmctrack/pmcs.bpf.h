/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What BPF programs ask PMCTrack's kernel modules: metrics of threads. Include it after vmlinux.h
 * and <bpf/bpf_helpers.h>. The functions are those of pmctrack_bpf.ko. They are weak, so that a
 * program loads without it: look first.
 *
 *	struct pmcs_value sf;
 *
 *	if (bpf_ksym_exists(pmcs_metric) &&
 *	    !pmcs_metric(p, PMCS_SPEEDUP_FACTOR, &sf) && sf.confidence >= PMCS_ESTIMATED)
 *		...
 *
 * They can be called from sched_ext policies (struct_ops) in any operation, from tracing programs
 * and from system call programs, all of which need CAP_PERFMON. A task is one that the program may
 * use: an argument of the operation, or found under RCU.
 */
#ifndef _PMCTRACK_PMCS_BPF_H
#define _PMCTRACK_PMCS_BPF_H

#include "pmcs_types.h"

/*
 * A metric of @p. Returns 0; -EINVAL: there is no such metric; -ENODATA: it has no value yet, the
 * active monitoring module has none, or nobody monitors the thread; -EAGAIN, very rarely: ask
 * again.
 */
int pmcs_metric(struct task_struct *p, unsigned int key, struct pmcs_value *value) __weak __ksym;

/*
 * Several metrics of @p at once, PMCS_BATCH at most: @keys__sz is the size of an array of
 * unsigned int, @values__sz that of as many struct pmcs_value. Both must be writable, for example
 * on the stack: the verifier does not take constants. Returns how many have a value; -EINVAL: the
 * sizes do not fit together.
 */
int pmcs_metrics(struct task_struct *p, const unsigned int *keys, unsigned int keys__sz,
		 struct pmcs_value *values, unsigned int values__sz) __weak __ksym;

/*
 * Monitor @p from its next tick on, or no more. Its children are not. There is one wish for each
 * thread, whoever has it: the last call counts. Returns 0; -EINVAL: it is an idle thread; -ESRCH:
 * it ends, or is not complete yet (as in init_task: call it in enable); -ENOSPC: too many threads
 * are monitored (some 40,000, on a kernel without PMCTrack's patch).
 */
int pmcs_monitor(struct task_struct *p, bool on) __weak __ksym;

/*
 * The core type of a CPU, by its number in /proc/pmc/info; -EINVAL: nobody knows it. (A CPU's
 * capacity is known by the kernel: scx_bpf_cpuperf_cap().)
 */
int pmcs_core_type(int cpu) __weak __ksym;

/* How many core types there are. */
int pmcs_nr_core_types(void) __weak __ksym;

/* The name of a core type, cut off if it is too long. Returns its length, or -EINVAL. */
int pmcs_core_type_name(unsigned int type, char *name, unsigned int name__sz) __weak __ksym;

/* The active monitoring module, likewise; 0: none is active. */
int pmcs_module(char *name, unsigned int name__sz) __weak __ksym;

#endif /* _PMCTRACK_PMCS_BPF_H */
