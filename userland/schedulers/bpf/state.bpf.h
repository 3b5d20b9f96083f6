/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The state of threads, processes and queues, and the maps that hold it. A part of layer.bpf.h. */
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
/* CPUs of other types may not take from a queue for this time after a CPU was woken for it. */
#define GUARD_NS	(1 * NSEC_PER_MSEC)
/* Threads at the head of a queue that are checked for one that may run on a CPU. */
#define HEAD_LOOKS	8
/*
 * After this waiting time, a thread comes before all others. If threads are charged for progress,
 * a thread that is ahead of others may have to wait for them. But no thread may wait for 30 s,
 * because the kernel would end the policy.
 */
#ifdef POLICY_PAYS
#define WAIT_NS		(10000 * NSEC_PER_MSEC)
#else
#define WAIT_NS		(2000 * NSEC_PER_MSEC)
#endif
/* Shortest slice. With many threads, slices are shorter, so that each waits for half of WAIT_NS. */
#define SLICE_LEAST_NS	(1 * NSEC_PER_MSEC)
/* The queue of threads that have waited for WAIT_NS. */
#define FORGOTTEN	(1ULL << 15)
/*
 * Queues of threads that may run on one CPU only: numbers of the first CPU's. In the second one,
 * threads have waited for WAIT_NS.
 */
#define PINNED		(1ULL << 20)
#define URGENT		(1ULL << 21)
/* A thread may be on its way into PINNED for less than so many ticks of the timer. */
#define PINNED_TICKS	3
/* Threads of a queue that are checked for WAIT_NS each time. */
#define FORGOTTEN_LOOKS	256
/* How often the metrics of a running thread are read. */
#define LOOK_NS		(20 * NSEC_PER_MSEC)
/* Time for which the last value of a metric counts if it has no value any more. */
#define FORGET_NS	(2000 * NSEC_PER_MSEC)
/* Most weighted CPU time that a thread from elsewhere may be ahead of a queue's clock, */
#ifdef POLICY_PAYS
#define AHEAD_NS	(10000 * NSEC_PER_MSEC)
#else
#define AHEAD_NS	(1000 * NSEC_PER_MSEC)
#endif
/* and most that it may be behind the clock, if it did not sleep. */
#ifdef POLICY_PAYS
#define BEHIND_NS	(10000 * NSEC_PER_MSEC)
#else
#define BEHIND_NS	amp.slice_ns
#endif

static void policy_ran(struct amp_thread *t, unsigned int rank, u64 ns);
static s64 policy_score(struct amp_thread *t, u32 rank);
#ifdef POLICY_PREFERS
/* What the aggregate speedup gains while @t has a fast core. */
static u64 policy_value(const struct amp_thread *t);
#endif
/* Does the policy need metrics? */
static const bool policy_asks;
/* Does it also need the quality: threads' speed beside others over their speed alone? */
static const bool policy_asks_quality;
/* Is progress counted by process? Then policy_ran() adds to struct process, too, if it is known. */
static const bool policy_by_process;

const volatile struct amp_config amp;
struct amp_stats stats;
struct amp_thread threads[AMP_THREADS];
u32 threads_end;	/* slots from here on were never used */
u64 guard_until[AMP_RANKS];	/* end of each queue's guard, see GUARD_NS */

/* Free slots of threads[]. pmctrack-sched fills this map. */
struct {
	__uint(type, BPF_MAP_TYPE_STACK);
	__uint(max_entries, AMP_THREADS);
	__uint(value_size, sizeof(u32));
} free_slots SEC(".maps");

/**
 * struct process - the threads of a process, counted by the timer
 * @tick: stats.ticks when the threads were last counted
 * @counted: threads found runnable at that tick so far
 * @runnable: runnable threads at the tick before, when all had been counted
 * @progress_ns: progress, as the policy counts it
 * @ran_ns: when one of its threads last ran, or when its sleep was last forgiven
 */
struct process {
	u64 tick;
	u32 counted;
	u32 runnable;
	u64 progress_ns;
	u64 ran_ns;
};

/* Entries of processes that have ended are evicted, because the map is LRU. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, AMP_THREADS);
	__type(key, u32);
	__type(value, struct process);
} processes SEC(".maps");

/**
 * struct task_data - what the policy keeps of a task
 * @slot: slot in threads[], or AMP_THREADS without one
 * @vtime: weighted CPU time, by the clock of @queue
 * @queue: the queue that it was last in
 * @waited: it was put into @queue, and its turn has not come since
 * @gave_way: it gave way to another thread, which has left the queue when this one is put there
 * @slice_began: @vtime at the beginning of its slice
 * @slept_ns: when it went to sleep
 * @slept_clock: clock of @queue when it went to sleep
 * @group: slot of its control group, or AMP_GROUPS; see groups.bpf.h
 * @pardoned: it may run until the next tick although its group is throttled
 * @sent_back: it began to run and was sent back, because its group had no time left
 * @began_ns: when it began to run, or when that was last accounted; 0: it does not run
 * @ran_ns: its CPU time until then
 * @held_ns: since when it is throttled, or 0
 * @queued_ns: since when it waits in queues, or 0
 * @rescued: it was put into FORGOTTEN
 */
struct task_data {
	u32 slot;
	u32 queue;
	u32 group;
	bool pardoned;
	bool sent_back;
	bool waited;
	bool gave_way;
	bool rescued;
	u64 vtime;
	u64 slice_began;
	u64 slept_ns;
	u64 slept_clock;
	u64 began_ns;
	u64 ran_ns;
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

/* The timer of ranks (0), and the timer of control groups (1). */
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

/* @d is put into a queue. If it comes from another one, it has waited since then. */
static void note_queued(struct task_data *d)
{
	if (!d->queued_ns)
		d->queued_ns = bpf_ktime_get_ns();
}

/* Two slots may be taken at once: the greater value must stay in threads_end. */
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

/* True if @p may not run on all CPUs. Its rank is then that of the CPU where it is. */
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

/* Runnable threads of @process, which may be NULL, as the timer last found; at least 1. */
static inline u32 runnable_of(const struct process *process)
{
	return process && process->runnable ? process->runnable : 1;
}

/* Runnable threads of @t's process; see runnable_of(). */
static inline u32 runnable_beside(const struct amp_thread *t)
{
	return runnable_of(process_of(t));
}

/*
 * Returns @rank as an index. barrier_var() keeps the mask: if the compiler knew that @rank is in
 * bounds, it would drop the mask, and the verifier would not know.
 */
static inline u32 bounded(u32 rank)
{
	barrier_var(rank);
	return rank & (AMP_RANKS - 1);
}

/* The factor between cores of @rank and those of the next rank, in thousandths. */
static inline u64 gain_of(const struct amp_thread *t, u32 rank)
{
	/* No factor is 0. */
	return (u64)t->factor[bounded(rank + 1)] * 1000 / t->factor[bounded(rank)];
}

/* @t's speed beside others over its speed alone, in thousandths; 1000 if it is not known. */
static inline u64 quality_of(const struct amp_thread *t)
{
	return t->quality ?: 1000;
}

/* Nothing is known of @t: use the default values for it. */
static void forget(struct amp_thread *t)
{
	u32 i;

	t->confidence = -1;
	t->quality = 0;
	t->credit = 1000;
	for (i = 0; i < AMP_RANKS; i++)
		t->factor[i] = amp.ratio[i];
}

/* Read the quality of @t. One that is extrapolated or too old does not count, as under ACFS. */
static void look_at_quality(struct task_struct *p, struct amp_thread *t)
{
	struct pmcs_value value;

	__sync_fetch_and_add(&stats.asked, 1);
	if (pmcs_metric(p, PMCS_QUALITY, &value)) {
		__sync_fetch_and_add(&stats.unknown, 1);
		t->quality = 0;
		return;
	}
	if (value.confidence < PMCS_ESTIMATED)
		__sync_fetch_and_add(&stats.low, 1);
	/* A stale value is the best guess for a while. */
	if (value.confidence == PMCS_EXTRAPOLATED || value.age_ms > FORGET_NS / NSEC_PER_MSEC) {
		t->quality = 0;
		return;
	}
	t->quality = value.value > 1000 ? 1000 : value.value ?: 1;
}

/* Nothing is known of @t on cores of @rank: use the default value. */
static void forget_factor(struct amp_thread *t, u32 rank)
{
	t->factor[bounded(rank)] = amp.ratio[bounded(rank)];
	if (rank == 1)
		t->confidence = -1;
}

/* Read the factor of @t on cores of @rank. The last value is the best guess, but not for ever. */
static void look_at_factor(struct task_struct *p, struct amp_thread *t, u32 rank, u64 now)
{
	struct pmcs_value value;
	bool known;

	__sync_fetch_and_add(&stats.asked, 1);
	known = !pmcs_metric(p, amp.metric[bounded(rank)], &value);
	if (!known)
		__sync_fetch_and_add(&stats.unknown, 1);
	else if (value.confidence < PMCS_ESTIMATED)
		__sync_fetch_and_add(&stats.low, 1);
	if (!known || value.age_ms > FORGET_NS / NSEC_PER_MSEC) {
		if (now - t->known_ns[bounded(rank)] > FORGET_NS)
			forget_factor(t, rank);
		return;
	}
	t->known_ns[bounded(rank)] = now;
	t->factor[bounded(rank)] = value.value > 100000 ? 100000 : value.value ?: 1;
	/* Reports have this factor alone. */
	if (rank == 1)
		t->confidence = value.confidence;
}

/*
 * Read the name and the number of a running thread, which exec() may have changed, and its metrics.
 */
static void look_at(struct task_struct *p, struct amp_thread *t, u64 now)
{
	u32 rank;

	if (now - t->looked_ns < LOOK_NS)
		return;
	t->looked_ns = now;
	t->pid = p->pid;
	bpf_probe_read_kernel_str(t->comm, sizeof(t->comm), p->comm);
	if (!policy_asks || !bpf_ksym_exists(pmcs_metric))
		return;
	for (rank = 1; rank < AMP_RANKS && rank < amp.ranks; rank++) {
		/* 0 is "no metric": no policy asks for the metric of that number. */
		if (amp.metric[rank])
			look_at_factor(p, t, rank, now);
	}
	if (policy_asks_quality)
		look_at_quality(p, t);
}

#endif /* SCHEDULERS_STATE_BPF_H */
