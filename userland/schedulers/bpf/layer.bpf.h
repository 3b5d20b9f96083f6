/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What all policies for asymmetric machines share. A policy is a file that includes this one and
 * defines policy_ran() and policy_score(): what a thread's time on a core was worth, and how much
 * it deserves the fast cores now.
 *
 * Each thread has a rank: the core type that it should run on, 0 is the fastest. Each core type
 * has a queue, which its CPUs take from in the order of the threads' weighted CPU time. A CPU that
 * finds its queue empty takes from another one. A timer gives ranks away (ranks.bpf.h).
 *
 * Nobody starves: a queue is served by CPUs of its own, in the order of CPU time, whatever the
 * ranks are. Each queue has a clock of its own, the CPU time of who ran last; who comes from
 * another queue keeps how far he was before or behind it, within limits.
 *
 * Threads that may not run on all CPUs, and kernel threads, do not take part: they are in the queue
 * of the core type where they ran, and sched_ext respects where they may run.
 */
#ifndef SCHEDULERS_LAYER_BPF_H
#define SCHEDULERS_LAYER_BPF_H

#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>
#include <pmctrack/pmcs.bpf.h>

#include "shared.h"

#define NSEC_PER_MSEC	1000000ULL
#define CLOCK_MONOTONIC	1
#define PF_KTHREAD	0x00200000
#define ENOENT		2
#define ENOMEM		12
/* So long a thread waits for a CPU of its rank that was told of it, before others may take it. */
#define GUARD_NS	(1 * NSEC_PER_MSEC)
/* How often a running thread is looked at. */
#define LOOK_NS		(20 * NSEC_PER_MSEC)
/* So long a metric counts that has no value any more. */
#define FORGET_NS	(2000 * NSEC_PER_MSEC)
/* No thread waits because it had more CPU time than that before others, weighted. */
#define AHEAD_NS	(1000 * NSEC_PER_MSEC)

static void policy_ran(struct amp_thread *t, unsigned int rank, u64 ns);
static s64 policy_score(struct amp_thread *t, u32 rank);
/* Does the policy need metrics? */
static const bool policy_asks;
/* Is progress that of processes? Then policy_ran() adds to struct process, too. */
static const bool policy_by_process;

const volatile struct amp_config amp;
struct amp_stats stats;
struct amp_thread threads[AMP_THREADS];
u32 threads_end;	/* slots from here on were never used */
u64 guard_until[AMP_RANKS];	/* of each queue */
u64 vtime_now[AMP_RANKS];

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
 */
struct process {
	u64 tick;
	u32 counted;
	u32 runnable;
	u64 progress_ns;
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
 * @began_ns: when it began to run
 */
struct task_data {
	u32 slot;
	u32 queue;
	u64 vtime;
	u64 began_ns;
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

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
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

static u32 rank_of_cpu(s32 cpu)
{
	u32 rank;

	if (cpu < 0 || cpu >= AMP_CPUS)
		return 0;
	rank = amp.rank_of[cpu];
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

/* How many threads of @t's process are runnable, as the timer found last. At least 1. */
static inline u32 runnable_beside(const struct amp_thread *t)
{
	const struct process *process = process_of(t);

	return process && process->runnable ? process->runnable : 1;
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

/* Nothing is known of @t: it counts as most threads do. */
static void forget(struct amp_thread *t)
{
	u32 i;

	t->confidence = -1;
	for (i = 0; i < AMP_RANKS; i++)
		t->factor[i] = amp.ratio[i];
}

/* What a running thread is called, as exec() may have changed that, and what its metrics are. */
static void look_at(struct task_struct *p, struct amp_thread *t, u64 now)
{
	struct pmcs_value value;
	u32 rank;

	if (now - t->looked_ns < LOOK_NS)
		return;
	t->looked_ns = now;
	bpf_probe_read_kernel_str(t->comm, sizeof(t->comm), p->comm);
	if (!policy_asks || !bpf_ksym_exists(pmcs_metric))
		return;
	for (rank = 1; rank < AMP_RANKS && rank < amp.ranks; rank++) {
		stats.asked++;
		if (pmcs_metric(p, amp.metric[rank], &value)) {
			stats.unknown++;
			if (now - t->known_ns > FORGET_NS)
				forget(t);
			continue;
		}
		t->known_ns = now;
		if (value.confidence < PMCS_ESTIMATED)
			stats.low++;
		t->confidence = value.confidence;
		t->factor[rank] = value.value > 100000 ? 100000 : value.value ?: 1;
	}
}

static void guard(u32 rank)
{
	guard_until[rank & (AMP_RANKS - 1)] = bpf_ktime_get_ns() + GUARD_NS;
}

/* An idle CPU of @rank, or -1. */
static s32 idle_cpu_of(u32 rank)
{
	struct rank_mask *mask = bpf_map_lookup_elem(&rank_masks, &rank);
	s32 cpu = -1;

	if (!mask)
		return -1;
	bpf_rcu_read_lock();
	if (mask->cpus)
		cpu = scx_bpf_pick_idle_cpu((const struct cpumask *)mask->cpus, 0);
	bpf_rcu_read_unlock();
	return cpu;
}

SEC("struct_ops/select_cpu")
s32 BPF_PROG(amp_select_cpu, struct task_struct *p, s32 prev_cpu, u64 wake_flags)
{
	struct amp_thread *t = thread_of(data_of(p));
	s32 cpu = t && !t->fixed ? idle_cpu_of(rank_for(p, t)) : -1;

	if (cpu < 0)
		cpu = scx_bpf_pick_idle_cpu(p->cpus_ptr, 0);
	if (cpu < 0)
		return prev_cpu;
	scx_bpf_dsq_insert(p, SCX_DSQ_LOCAL, amp.slice_ns, 0);
	return cpu;
}

/* The clock of a queue: the CPU time of who ran last of it. */
static void advance_clock(const struct task_data *d)
{
	u32 queue = d->queue & (AMP_RANKS - 1);

	if ((s64)(d->vtime - vtime_now[queue]) > 0)
		vtime_now[queue] = d->vtime;
}

/*
 * @d will wait in @queue. It keeps how far it is before or behind others, but who slept long gets
 * no more than a slice for it.
 */
static void move_to_clock(struct task_data *d, u32 queue)
{
	s64 ahead = d->vtime - vtime_now[d->queue & (AMP_RANKS - 1)];

	if (ahead < -(s64)amp.slice_ns)
		ahead = -(s64)amp.slice_ns;
	if (ahead > (s64)AHEAD_NS)
		ahead = AHEAD_NS;
	d->queue = queue & (AMP_RANKS - 1);
	d->vtime = vtime_now[d->queue] + ahead;
}

SEC("struct_ops/enqueue")
void BPF_PROG(amp_enqueue, struct task_struct *p, u64 flags)
{
	struct task_data *d = data_of(p);
	struct amp_thread *t = thread_of(d);
	s32 cpu = scx_bpf_task_cpu(p);
	u32 rank = rank_for(p, t);

	/* Threads of the kernel that belong to a CPU wait for nobody; there are few. */
	if (!d || (p->nr_cpus_allowed == 1 && (p->flags & PF_KTHREAD))) {
		scx_bpf_dsq_insert(p, SCX_DSQ_LOCAL, amp.slice_ns, flags);
		return;
	}
	move_to_clock(d, rank);
	scx_bpf_dsq_insert_vtime(p, rank, amp.slice_ns, d->vtime, flags);
	/* It was alone there: the CPU looks again for what to run. */
	if (flags & SCX_ENQ_LAST)
		scx_bpf_kick_cpu(cpu, 0);
	else if (p->nr_cpus_allowed == 1)
		scx_bpf_kick_cpu(cpu, SCX_KICK_IDLE);
	cpu = t && !t->fixed ? idle_cpu_of(rank) : -1;
	if (cpu >= 0)
		guard(rank);
	else
		cpu = scx_bpf_pick_idle_cpu(p->cpus_ptr, 0);
	if (cpu >= 0)
		scx_bpf_kick_cpu(cpu, SCX_KICK_IDLE);
}

/* The time that @p, whose @t may be NULL, has run since it began, or since this was called last. */
static void account(struct task_struct *p, struct task_data *d, struct amp_thread *t)
{
	u64 now = bpf_ktime_get_ns(), ns;
	u32 rank;

	if (!d->began_ns)
		return;
	ns = now - d->began_ns;
	d->began_ns = now;
	d->vtime += ns * 100 / (p->scx.weight ?: 1);
	if (!t)
		return;
	rank = rank_of_cpu(t->cpu);
	t->weight = p->scx.weight;
	t->time_ns[rank] += ns;
	look_at(p, t, now);
	policy_ran(t, rank, ns);
}

/*
 * It goes on where it belongs, if nobody else waits for that: a CPU that took from another queue
 * whenever a slice ends would only make two threads change places.
 */
static bool keep(struct task_struct *p, u32 rank)
{
	struct task_data *d = data_of(p);
	struct amp_thread *t = thread_of(d);

	if (!d || !(p->scx.flags & SCX_TASK_QUEUED) || rank_for(p, t) != rank)
		return false;
	account(p, d, t);
	advance_clock(d);
	if (bpf_ksym_exists(scx_bpf_task_set_slice))
		scx_bpf_task_set_slice(p, amp.slice_ns);
	else
		p->scx.slice = amp.slice_ns;
	return true;
}

/* Take from the queue of another core type. */
static bool take_other(u32 rank, u64 now)
{
	return rank < amp.ranks && rank < AMP_RANKS && now >= guard_until[rank] &&
	       scx_bpf_dsq_move_to_local(rank);
}

SEC("struct_ops/dispatch")
void BPF_PROG(amp_dispatch, s32 cpu, struct task_struct *prev)
{
	u32 rank = rank_of_cpu(cpu), other;
	u64 now;

	if (scx_bpf_dsq_move_to_local(rank) || (prev && keep(prev, rank)))
		return;
	now = bpf_ktime_get_ns();
	/* The nearest types first. */
	for (other = 1; other < AMP_RANKS; other++) {
		if (take_other(rank + other, now) || (other <= rank && take_other(rank - other, now)))
			return;
	}
}

#include "ranks.bpf.h"

/* Nobody owes it what it could have had while it slept. */
static void catch_up(struct amp_thread *t)
{
	struct process *process = policy_by_process ? process_of(t) : NULL;
	u64 least = survey.floor > amp.band ? survey.floor - amp.band : 0;

	if (t->progress_ns < least)
		t->progress_ns = least;
	if (process && process->progress_ns < least)
		process->progress_ns = least;
}

SEC("struct_ops/runnable")
void BPF_PROG(amp_runnable, struct task_struct *p, u64 flags)
{
	struct amp_thread *t = thread_of(data_of(p));

	if (!t)
		return;
	t->state = AMP_RUNNABLE;
	t->ticks = 0;
	catch_up(t);
}

SEC("struct_ops/quiescent")
void BPF_PROG(amp_quiescent, struct task_struct *p, u64 flags)
{
	struct amp_thread *t = thread_of(data_of(p));

	if (t)
		t->state = AMP_BLOCKED;
}

SEC("struct_ops/running")
void BPF_PROG(amp_running, struct task_struct *p)
{
	struct task_data *d = data_of(p);
	struct amp_thread *t = thread_of(d);

	if (!d)
		return;
	d->began_ns = bpf_ktime_get_ns();
	advance_clock(d);
	if (t)
		t->cpu = scx_bpf_task_cpu(p);
}

SEC("struct_ops/stopping")
void BPF_PROG(amp_stopping, struct task_struct *p, bool runnable)
{
	struct task_data *d = data_of(p);
	struct amp_thread *t = thread_of(d);

	if (!d)
		return;
	account(p, d, t);
	d->began_ns = 0;
	if (t)
		t->cpu = -1;
}

SEC("struct_ops/init_task")
s32 BPF_PROG(amp_init_task, struct task_struct *p, struct scx_init_task_args *args)
{
	struct task_data *d = bpf_task_storage_get(&task_datas, p, 0, BPF_LOCAL_STORAGE_GET_F_CREATE);

	if (!d)
		return -ENOMEM;
	d->slot = AMP_THREADS;
	d->vtime = vtime_now[0];
	return 0;
}

SEC("struct_ops/enable")
void BPF_PROG(amp_enable, struct task_struct *p)
{
	struct task_data *d = data_of(p);
	struct amp_thread *t;
	u32 slot;

	if (!d || (p->flags & PF_KTHREAD))
		return;
	if (bpf_map_pop_elem(&free_slots, &slot) || slot >= AMP_THREADS) {
		__sync_fetch_and_add(&stats.unmanaged, 1);
		return;
	}
	t = &threads[slot];
	t->pid = p->pid;
	t->tgid = p->tgid;
	t->weight = p->scx.weight;
	t->cpu = -1;
	t->rank = amp.ranks - 1;
	t->score = 0;
	t->looked_ns = 0;
	t->known_ns = 0;
	t->fixed = is_fixed(p, p->cpus_ptr);
	/* It owes nobody anything, and nobody owes it what it was not there for. */
	t->progress_ns = survey.floor;
	forget(t);
	__builtin_memset(t->time_ns, 0, sizeof(t->time_ns));
	bpf_probe_read_kernel_str(t->comm, sizeof(t->comm), p->comm);
	t->state = AMP_BLOCKED;
	if (slot >= threads_end)
		threads_end = slot + 1;
	d->slot = slot;
	if (policy_asks && bpf_ksym_exists(pmcs_monitor))
		pmcs_monitor(p, true);
}

SEC("struct_ops/disable")
void BPF_PROG(amp_disable, struct task_struct *p)
{
	struct task_data *d = data_of(p);
	struct amp_thread *t = thread_of(d);
	u32 slot, tgid;

	if (!d || !t)
		return;
	/* Another process may get its number, and is not to begin with its progress. */
	tgid = t->tgid;
	if (t->pid == tgid)
		bpf_map_delete_elem(&processes, &tgid);
	t->state = AMP_FREE;
	slot = d->slot;
	d->slot = AMP_THREADS;
	bpf_map_push_elem(&free_slots, &slot, 0);
	if (policy_asks && bpf_ksym_exists(pmcs_monitor))
		pmcs_monitor(p, false);
}

SEC("struct_ops/set_cpumask")
void BPF_PROG(amp_set_cpumask, struct task_struct *p, const struct cpumask *mask)
{
	struct amp_thread *t = thread_of(data_of(p));

	if (t)
		t->fixed = is_fixed(p, mask);
}

SEC("struct_ops.s/init")
s32 BPF_PROG(amp_init)
{
	struct amp_timer *timer;
	struct rank_mask *mask;
	struct bpf_cpumask *cpus;
	u32 rank, zero = 0, cpu;
	s32 err;

	for (rank = 0; rank < AMP_RANKS; rank++) {
		if (rank >= amp.ranks)
			break;
		err = scx_bpf_create_dsq(rank, -1);
		if (err)
			return err;
		mask = bpf_map_lookup_elem(&rank_masks, &rank);
		if (!mask)
			return -ENOENT;
		cpus = bpf_cpumask_create();
		if (!cpus)
			return -ENOMEM;
		bpf_for(cpu, 0, AMP_CPUS) {
			if (cpu < scx_bpf_nr_cpu_ids() && rank_of_cpu(cpu) == rank)
				bpf_cpumask_set_cpu(cpu, cpus);
		}
		cpus = bpf_kptr_xchg(&mask->cpus, cpus);
		if (cpus)
			bpf_cpumask_release(cpus);
	}
	timer = bpf_map_lookup_elem(&timers, &zero);
	if (!timer)
		return -ENOENT;
	bpf_timer_init(&timer->timer, &timers, CLOCK_MONOTONIC);
	bpf_timer_set_callback(&timer->timer, amp_tick);
	return bpf_timer_start(&timer->timer, amp.period_ns, 0);
}

SEC("struct_ops/exit")
void BPF_PROG(amp_exit, struct scx_exit_info *ei)
{
	bpf_probe_read_kernel_str(stats.reason, sizeof(stats.reason), ei->msg);
	if (!stats.reason[0])
		bpf_probe_read_kernel_str(stats.reason, sizeof(stats.reason), ei->reason);
	stats.exit_code = ei->exit_code;
	stats.exited = ei->kind;
}

#define POLICY(_name)							\
SEC(".struct_ops.link")							\
struct sched_ext_ops policy = {						\
	.select_cpu	= (void *)amp_select_cpu,			\
	.enqueue	= (void *)amp_enqueue,				\
	.dispatch	= (void *)amp_dispatch,				\
	.runnable	= (void *)amp_runnable,				\
	.quiescent	= (void *)amp_quiescent,			\
	.running	= (void *)amp_running,				\
	.stopping	= (void *)amp_stopping,				\
	.init_task	= (void *)amp_init_task,			\
	.enable		= (void *)amp_enable,				\
	.disable	= (void *)amp_disable,				\
	.set_cpumask	= (void *)amp_set_cpumask,			\
	.init		= (void *)amp_init,				\
	.exit		= (void *)amp_exit,				\
	.flags		= SCX_OPS_ENQ_LAST,				\
	.timeout_ms	= 30000,					\
	.name		= _name,					\
};									\
									\
char _license[] SEC("license") = "GPL"

#endif /* SCHEDULERS_LAYER_BPF_H */
