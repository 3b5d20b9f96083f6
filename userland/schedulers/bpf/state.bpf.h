/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is known of threads, processes and queues, and where. A part of layer.bpf.h. */
#ifndef SCHEDULERS_STATE_BPF_H
#define SCHEDULERS_STATE_BPF_H

#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_tracing.h>
#include <pmctrack/pmcs.bpf.h>

#include "compat.bpf.h"
#include "shared.h"

#define NSEC_PER_USEC	1000ULL
#define NSEC_PER_MSEC	1000000ULL
#define CLOCK_MONOTONIC	1
#define PF_EXITING	0x00000004
#define PF_KTHREAD	0x00200000
#define ENOENT		2
#define ENOMEM		12
/* So long a thread waits for a CPU of its rank that was told of it, before others may take it. */
#define GUARD_NS	(1 * NSEC_PER_MSEC)
/* So many at the head of a queue are looked at for one who may run somewhere. */
#define HEAD_LOOKS	8
/*
 * Who has waited so long comes before all others. Where progress is paid for, who is before others
 * may have to wait for them; but nobody for 30 s, because the kernel would end the policy.
 */
#ifdef POLICY_PAYS
#define WAIT_NS		(10000 * NSEC_PER_MSEC)
#else
#define WAIT_NS		(2000 * NSEC_PER_MSEC)
#endif
/* With many threads slices are shorter, so that each waits for half of that, but not than this. */
#define SLICE_LEAST_NS	(1 * NSEC_PER_MSEC)
/* Those who have waited so long are in this queue. */
#define FORGOTTEN	(1ULL << 15)
/* So many threads of a queue are looked at for them, each time. */
#define FORGOTTEN_LOOKS	256
/* How often a running thread is looked at. */
#define LOOK_NS		(20 * NSEC_PER_MSEC)
/* So long a metric counts that has no value any more. */
#define FORGET_NS	(2000 * NSEC_PER_MSEC)
/* No thread that comes from elsewhere waits because of more CPU time than that, weighted. */
#ifdef POLICY_PAYS
#define AHEAD_NS	(10000 * NSEC_PER_MSEC)
#else
#define AHEAD_NS	(1000 * NSEC_PER_MSEC)
#endif
/* And this is owed to it at most, if it did not sleep. */
#ifdef POLICY_PAYS
#define BEHIND_NS	(10000 * NSEC_PER_MSEC)
#else
#define BEHIND_NS	amp.slice_ns
#endif

static void policy_ran(struct amp_thread *t, unsigned int rank, u64 ns);
static s64 policy_score(struct amp_thread *t, u32 rank);
#ifdef POLICY_PREFERS
/* What the speed of all gains while @t has a fast core. */
static u64 policy_value(const struct amp_thread *t);
#endif
/* Does the policy need metrics? */
static const bool policy_asks;
/* And how much of their speed alone threads have beside others? */
static const bool policy_asks_quality;
/* Is progress that of processes? Then policy_ran() adds to struct process, too. */
static const bool policy_by_process;

const volatile struct amp_config amp;
struct amp_stats stats;
struct amp_thread threads[AMP_THREADS];
u32 threads_end;	/* slots from here on were never used */
u64 guard_until[AMP_RANKS];	/* of each queue */

/* Free slots of threads[]. pmctrack-sched fills it. */
struct {
	__uint(type, BPF_MAP_TYPE_STACK);
	__uint(max_entries, AMP_THREADS);
	__uint(value_size, sizeof(u32));
} free_slots SEC(".maps");

/**
 * struct process - the threads of a process, counted by the timer
 * @tick: stats.ticks when they were counted last
 * @counted: how many were found runnable then
 * @runnable: how many were the time before, when all had been counted
 * @progress_ns: of the policy
 * @ran_ns: when one of its threads ran last, or what it slept was forgiven
 */
struct process {
	u64 tick;
	u32 counted;
	u32 runnable;
	u64 progress_ns;
	u64 ran_ns;
};

/* Those that have ended are forgotten by themselves. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, AMP_THREADS);
	__type(key, u32);
	__type(value, struct process);
} processes SEC(".maps");

/**
 * struct task_data - of each task
 * @slot: in threads[], or AMP_THREADS without one
 * @vtime: weighted CPU time, by the clock of @queue
 * @queue: where it was last
 * @waited: it was put there, and its turn has not come since
 * @gave_way: to somebody else, who is not in the queue any more when this one is put there
 * @slice_began: @vtime at the beginning of its slice
 * @slept_ns: when it went to sleep
 * @slept_clock: that of @queue then
 * @group: slot of its control group, or AMP_GROUPS; see groups.bpf.h
 * @pardoned: it may run until the next tick although its group may not
 * @sent_back: it began to run, but its group had no time left
 * @began_ns: when it began to run
 * @held_ns: since when it is held, or 0
 * @queued_ns: when it was put into a queue
 */
struct task_data {
	u32 slot;
	u32 queue;
	u32 group;
	bool pardoned;
	bool sent_back;
	bool waited;
	bool gave_way;
	u64 vtime;
	u64 slice_began;
	u64 slept_ns;
	u64 slept_clock;
	u64 began_ns;
	u64 held_ns;
	u64 queued_ns;
};

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct task_data);
} task_datas SEC(".maps");

struct rank_mask {
	struct bpf_cpumask __kptr *cpus;
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, AMP_RANKS);
	__type(key, u32);
	__type(value, struct rank_mask);
} rank_masks SEC(".maps");

struct amp_timer {
	struct bpf_timer timer;
};

/* That of ranks, and that of control groups. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 2);
	__type(key, u32);
	__type(value, struct amp_timer);
} timers SEC(".maps");

static struct task_data *data_of(struct task_struct *p)
{
	return bpf_task_storage_get(&task_datas, p, 0, 0);
}

static struct amp_thread *thread_of(const struct task_data *d)
{
	if (!d || d->slot >= AMP_THREADS)
		return NULL;
	return &threads[d->slot];
}

/* Two may be taken at once: the greater one is to stay. */
static void note_slot(u32 slot)
{
	u32 end, i;

	bpf_for(i, 0, AMP_CPUS) {
		end = threads_end;
		if (slot < end || __sync_bool_compare_and_swap(&threads_end, end, slot + 1))
			break;
	}
}

static u32 rank_of_cpu(s32 cpu)
{
	u32 rank;

	if (cpu < 0 || cpu >= AMP_CPUS)
		return 0;
	/* For the verifier: the compiler may compare one copy of the number and use another. */
	rank = amp.rank_of[cpu & (AMP_CPUS - 1)];
	return rank < AMP_RANKS ? rank : AMP_RANKS - 1;
}

/* It may not run on all CPUs, so that its rank is that of where it is. */
static bool is_fixed(const struct task_struct *p, const struct cpumask *mask)
{
	const struct cpumask *online = scx_bpf_get_online_cpumask();
	bool everywhere = bpf_cpumask_subset(online, mask);

	scx_bpf_put_cpumask(online);
	return (p->flags & PF_KTHREAD) || !everywhere;
}

static u32 rank_for(const struct task_struct *p, const struct amp_thread *t)
{
	u32 rank;

	if (!t || t->fixed)
		return rank_of_cpu(scx_bpf_task_cpu(p));
	rank = t->rank;
	return rank < AMP_RANKS ? rank : AMP_RANKS - 1;
}

static inline struct process *process_of(const struct amp_thread *t)
{
	u32 tgid = t->tgid;

	return bpf_map_lookup_elem(&processes, &tgid);
}

/* How many threads of @process, which may be NULL, run, as the timer found last. At least 1. */
static inline u32 runnable_of(const struct process *process)
{
	return process && process->runnable ? process->runnable : 1;
}

/* The same of @t's process. */
static inline u32 runnable_beside(const struct amp_thread *t)
{
	return runnable_of(process_of(t));
}

/* As an index. The compiler may know that it is one, and then the verifier does not. */
static inline u32 bounded(u32 rank)
{
	barrier_var(rank);
	return rank & (AMP_RANKS - 1);
}

/* The factor between cores of @rank and those of the next one, in thousandths. */
static inline u64 gain_of(const struct amp_thread *t, u32 rank)
{
	/* None is 0. */
	return (u64)t->factor[bounded(rank + 1)] * 1000 / t->factor[bounded(rank)];
}

/* How much of its speed alone @t has beside others, in thousandths. */
static inline u64 quality_of(const struct amp_thread *t)
{
	return t->quality ?: 1000;
}

/* Nothing is known of @t: it counts as most threads do. */
static void forget(struct amp_thread *t)
{
	u32 i;

	t->confidence = -1;
	t->quality = 0;
	t->credit = 1000;
	for (i = 0; i < AMP_RANKS; i++)
		t->factor[i] = amp.ratio[i];
}

/* What nobody knows well is not counted: the thread then makes progress as under ACFS. */
static void look_at_quality(struct task_struct *p, struct amp_thread *t)
{
	struct pmcs_value value;

	stats.asked++;
	if (pmcs_metric(p, PMCS_QUALITY, &value)) {
		stats.unknown++;
		t->quality = 0;
		return;
	}
	if (value.confidence < PMCS_ESTIMATED)
		stats.low++;
	/* The last value is the best guess for a while. */
	if (value.confidence == PMCS_EXTRAPOLATED || value.age_ms > FORGET_NS / NSEC_PER_MSEC) {
		t->quality = 0;
		return;
	}
	t->quality = value.value > 1000 ? 1000 : value.value ?: 1;
}

/* What a running thread is called, as exec() may have changed that, and what its metrics are. */
static void look_at(struct task_struct *p, struct amp_thread *t, u64 now)
{
	struct pmcs_value value;
	bool known = false, unknown = false;
	u32 rank;

	if (now - t->looked_ns < LOOK_NS)
		return;
	t->looked_ns = now;
	bpf_probe_read_kernel_str(t->comm, sizeof(t->comm), p->comm);
	if (!policy_asks || !bpf_ksym_exists(pmcs_metric))
		return;
	for (rank = 1; rank < AMP_RANKS && rank < amp.ranks; rank++) {
		/* No policy asks for the metric of that number. */
		if (!amp.metric[rank])
			continue;
		stats.asked++;
		if (pmcs_metric(p, amp.metric[rank], &value)) {
			stats.unknown++;
			unknown = true;
			continue;
		}
		if (value.confidence < PMCS_ESTIMATED)
			stats.low++;
		/* The last value is the best guess, but not for ever. */
		if (value.age_ms > FORGET_NS / NSEC_PER_MSEC) {
			unknown = true;
			continue;
		}
		known = true;
		t->confidence = value.confidence;
		t->factor[rank] = value.value > 100000 ? 100000 : value.value ?: 1;
	}
	if (known)
		t->known_ns = now;
	else if (unknown && now - t->known_ns > FORGET_NS)
		forget(t);
	if (policy_asks_quality)
		look_at_quality(p, t);
}

#endif /* SCHEDULERS_STATE_BPF_H */
