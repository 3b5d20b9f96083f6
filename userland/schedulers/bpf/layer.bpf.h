/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The common part of all policies for asymmetric machines. A policy is a file that includes this
 * one and defines two functions. policy_ran() says what a thread's time on a core was worth.
 * policy_score() says how much the thread deserves the fast cores now.
 *
 * Each thread has a rank: the core type that it should run on, 0 is the fastest. Each core type
 * has a queue. Its CPUs take threads from this queue in the order of weighted CPU time. A CPU whose
 * queue is empty takes from another one. A timer assigns the ranks (ranks.bpf.h).
 *
 * A thread that comes to a queue from elsewhere is placed by the queue's clock (clocks.bpf.h). No
 * thread starves: each queue is served by CPUs of its own, whatever the ranks are, and any CPU may
 * take a thread that has waited for long all the same.
 *
 * Kernel threads, and threads that may not run on all CPUs, do not take part. They are in the queue
 * of the core type where they ran, and sched_ext respects their affinity.
 */
#ifndef SCHEDULERS_LAYER_BPF_H
#define SCHEDULERS_LAYER_BPF_H

#include "state.bpf.h"

static void guard(u32 rank)
{
	guard_until[rank & (AMP_RANKS - 1)] = bpf_ktime_get_ns() + GUARD_NS;
}

/* Pick an idle CPU of @rank. Returns -1 if there is none. */
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

/* True if the thread may not run on all CPUs, or has no slot (NULL). */
static bool is_bound(const struct amp_thread *t)
{
	return !t || t->fixed;
}

/* True for a thread that sleeps most of the time, or has just begun: it runs on any idle CPU. */
static bool is_guest(const struct amp_thread *t)
{
	return !is_bound(t) && !t->takes_part;
}

/* Pick an idle CPU of @rank for @t, or the fastest one for a guest. Returns -1 if there is none. */
static s32 idle_cpu_for(const struct amp_thread *t, u32 rank)
{
	s32 cpu = -1;
	u32 r;

	if (is_bound(t))
		return -1;
	if (!is_guest(t))
		return idle_cpu_of(rank);
	for (r = 0; cpu < 0 && r < AMP_RANKS && r < amp.ranks; r++)
		cpu = idle_cpu_of(r);
	return cpu;
}

static void wake_where_allowed(struct task_struct *p)
{
	s32 cpu = scx_bpf_pick_idle_cpu(p->cpus_ptr, 0);

	if (cpu >= 0)
		scx_bpf_kick_cpu(cpu, SCX_KICK_IDLE);
}

/* Wake an idle CPU, if there is one, for @p, which waits in the queue of @rank. */
static void wake_for(struct task_struct *p, const struct amp_thread *t, u32 rank)
{
	s32 cpu = idle_cpu_for(t, rank);

	if (cpu < 0) {
		wake_where_allowed(p);
		return;
	}
	if (!is_guest(t))
		guard(rank);
	scx_bpf_kick_cpu(cpu, SCX_KICK_IDLE);
}

static bool is_kernel_thread_of_cpu(const struct task_struct *p)
{
	return p->nr_cpus_allowed == 1 && (p->flags & PF_KTHREAD);
}

#include "clocks.bpf.h"
static void charge(const struct task_data *d, u64 ns);
static void train(u64 now);
static u32 weight_of(const struct task_struct *p, const struct task_data *d);

/*
 * Account the time that @p ran since it began, or since the last call. @t may be NULL. The kernel
 * brings its count up to date before each operation that calls this. By the clock, @p would pay for
 * what the kernel does not count for it, such as this policy's choice of the next thread: up to 4 %
 * of short turns.
 */
static void account(struct task_struct *p, struct task_data *d, struct amp_thread *t)
{
	u64 now = bpf_ktime_get_ns(), ran = p->se.sum_exec_runtime, ns;
	u32 rank, weight;
#ifdef POLICY_PAYS
	s64 pays;
#endif

	if (!d->began_ns)
		return;
	ns = ran - d->ran_ns;
	d->ran_ns = ran;
	d->began_ns = now;
	weight = weight_of(p, d);
#ifdef POLICY_PAYS
	pays = policy_pays(p, t, ns, now);
	/* BPF divides unsigned numbers only. */
	if (pays < 0)
		d->vtime -= (u64)-pays * 100 / weight;
	else
		d->vtime += (u64)pays * 100 / weight;
#else
	d->vtime += ns * 100 / weight;
#endif
	charge(d, ns);
	if (!t)
		return;
	rank = rank_of_cpu(t->cpu);
	t->weight = weight;
	t->time_ns[rank] += ns;
	look_at(p, t, now);
	policy_ran(t, rank, ns);
}

#include "ranks.bpf.h"

/* The time slice of a thread that begins to run on a CPU of @rank. */
static u64 slice_of(u32 rank)
{
	return survey.slice_ns[bounded(rank)] ?: amp.slice_ns;
}

#include "pinned.bpf.h"
#include "groups.bpf.h"
#ifdef POLICY_TRAINS
#include "training.bpf.h"
#else
static inline bool keep_out(struct task_struct *p, struct task_data *d, const struct amp_thread *t, u64 flags)
{
	return false;
}

static inline bool is_out(const struct amp_thread *t)
{
	return false;
}

static inline bool is_trained(const struct amp_thread *t)
{
	return false;
}

static inline void forget_training(u32 slot)
{
}

static void train(u64 now)
{
}

static inline s32 prepare_training(void)
{
	return 0;
}
#endif

/*
 * A thread stops on @cpu: do not charge a slice that no other thread wanted. (keep() does not do
 * this for a thread that sleeps, nor if a kernel thread of that CPU runs next.)
 */
static void pardon_alone(struct task_data *d, s32 cpu)
{
	if (!by_progress && !d->gave_way && ahead_of_clock(d) > (s64)amp.slice_ns &&
	    d->queue == rank_of_cpu(cpu) && who_waits(d->queue, cpu, d->vtime) == NOBODY)
		pardon(d);
}

SEC("struct_ops/select_cpu")
s32 BPF_PROG(amp_select_cpu, struct task_struct *p, s32 prev_cpu, u64 wake_flags)
{
	struct task_data *d = data_of(p);
	struct amp_thread *t = thread_of(d);
	s32 cpu;

	/* Pick no CPU: it would not be idle any more for others, and enqueue will throttle @p. */
	if (d && limits && must_wait_for(p, d, bpf_ktime_get_ns()) < AMP_GROUPS)
		return prev_cpu;
	if (is_out(t))
		return prev_cpu;
	cpu = idle_cpu_for(t, rank_for(p, t));
	if (cpu < 0)
		cpu = scx_bpf_pick_idle_cpu(p->cpus_ptr, 0);
	if (cpu < 0)
		return prev_cpu;
	if (d)
		place_awake(p, d, rank_for(p, t));
	insert(p, SCX_DSQ_LOCAL, amp.slice_ns, 0);
	return cpu;
}

/*
 * True if @p, a kernel thread of a CPU that wakes up, does not wait in a queue. While there are
 * such threads, the kernel asks for no others, so those that had more than their part wait as all
 * do.
 */
static bool goes_first(const struct task_struct *p, struct task_data *d, u64 flags)
{
	if (!is_kernel_thread_of_cpu(p) || !(flags & SCX_ENQ_WAKEUP))
		return false;
	place_awake(p, d, rank_of_cpu(scx_bpf_task_cpu(p)));
	return ahead_of_clock(d) <= (s64)amp.slice_ns;
}

SEC("struct_ops/enqueue")
void BPF_PROG(amp_enqueue, struct task_struct *p, u64 flags)
{
	struct task_data *d = data_of(p);
	struct amp_thread *t = thread_of(d);
	s32 cpu = scx_bpf_task_cpu(p), only = only_cpu(p);
	u32 rank = only >= 0 ? rank_of_cpu(only) : rank_for(p, t);

	if (!d || goes_first(p, d, flags)) {
		insert(p, SCX_DSQ_LOCAL, amp.slice_ns, flags);
		return;
	}
	d->sent_back = false;
	if (hold(p, d, t, flags) || keep_out(p, d, t, flags))
		return;
	if (flags & SCX_ENQ_WAKEUP) {
		/* goes_first() has placed the others; a sleep must not be forgiven twice. */
		if (!is_kernel_thread_of_cpu(p))
			place_awake(p, d, rank);
	} else {
		pardon_alone(d, cpu);
		move_to_clock(d, rank, false);
	}
	d->waited = d->gave_way = true;
	note_queued(d);
	if (only >= 0) {
		survey.pinned[only & (AMP_CPUS - 1)] = PINNED_TICKS;
		insert_vtime(p, PINNED + only, pinned_slice(only), d->vtime, flags);
	} else {
		insert_vtime(p, rank, slice_of(rank), d->vtime, flags);
	}
	/* @p was alone on its CPU: the CPU looks again for a thread to run. */
	if (flags & SCX_ENQ_LAST)
		scx_bpf_kick_cpu(cpu, 0);
	if (only >= 0)
		scx_bpf_kick_cpu(only, SCX_KICK_IDLE);
	else
		wake_for(p, t, rank);
}

/*
 * Let @p continue where it belongs (a guest: anywhere) if no thread that waits for this CPU comes
 * before it. A CPU that took from another queue whenever a slice ends would only make two threads
 * change places. Returns false if @p may not continue.
 */
static bool keep(struct task_struct *p, u32 rank, s32 cpu)
{
	struct task_data *d = data_of(p);
	struct amp_thread *t = thread_of(d);
	enum waiting who;

	if (!d || !(p->scx.flags & SCX_TASK_QUEUED))
		return false;
	d->gave_way = true;
	if (rank_for(p, t) != rank && !is_guest(t))
		return false;
	/* @p may have come from the queue of another core type, which has another clock. */
	if (d->queue != rank)
		move_to_clock(d, rank, false);
	account(p, d, t);
	who = who_waits(rank, cpu, d->vtime);
	if (who == NOBODY && !by_progress)
		pardon(d);
	if ((who == BEHIND || by_progress) && !is_trained(t))
		advance_clock(d);
	if (is_out(t) || who == BEFORE || must_wait_for(p, d, d->began_ns) < AMP_GROUPS)
		return false;
	d->gave_way = false;
	d->slice_began = d->vtime;
	set_slice(p, pinned_slice(cpu));
	return true;
}

/* Take a thread from the queue of another core type, @rank, unless the queue is guarded. */
static bool take_other(u32 rank, u64 now)
{
	return rank < amp.ranks && rank < AMP_RANKS && now >= guard_until[rank] &&
	       move_to_local(rank);
}

/* Take a forgotten thread, every other time only: many of them must not block the others. */
static bool take_forgotten(s32 cpu)
{
	u8 *took = &survey.took[cpu & (AMP_CPUS - 1)];

	*took = !*took && take_long_waiting(cpu);
	return *took;
}

SEC("struct_ops/dispatch")
void BPF_PROG(amp_dispatch, s32 cpu, struct task_struct *prev)
{
	u32 rank = rank_of_cpu(cpu), other;
	u64 now;

	if (take_forgotten(cpu))
		return;
	if ((prev && keep(prev, rank, cpu)) || take_next(rank, cpu) || take_long_waiting(cpu))
		return;
	now = bpf_ktime_get_ns();
	/* The nearest types first. */
	for (other = 1; other < AMP_RANKS; other++) {
		if (take_other(rank + other, now) || (other <= rank && take_other(rank - other, now)))
			return;
	}
}

/*
 * A real-time thread takes the CPU: threads that were to run there go back to queues where other
 * CPUs find them. Newer kernels drop this operation, and reserve a part of each CPU for sched_ext.
 */
SEC("struct_ops/cpu_release")
void BPF_PROG(amp_cpu_release, s32 cpu, struct scx_cpu_release_args *args)
{
	if (bpf_ksym_exists(scx_bpf_reenqueue_local___ours))
		scx_bpf_reenqueue_local___ours();
}

SEC("struct_ops/runnable")
void BPF_PROG(amp_runnable, struct task_struct *p, u64 flags)
{
	struct amp_thread *t = thread_of(data_of(p));

	if (!t)
		return;
	t->state = AMP_RUNNABLE;
	catch_up(t);
}

SEC("struct_ops/quiescent")
void BPF_PROG(amp_quiescent, struct task_struct *p, u64 flags)
{
	struct task_data *d = data_of(p);
	struct amp_thread *t = thread_of(d);

	if (d) {
		d->sent_back = false;
		d->slept_ns = bpf_ktime_get_ns();
		d->slept_clock = clock_of(d);
		/* A new affinity or nice value is no sleep: the thread goes on waiting. */
		if (flags & SCX_DEQ_SLEEP) {
			d->held_ns = 0;
			d->queued_ns = 0;
		}
	}
	if (t) {
		t->state = AMP_BLOCKED;
		t->slept_ns = bpf_ktime_get_ns();
	}
}

SEC("struct_ops/running")
void BPF_PROG(amp_running, struct task_struct *p)
{
	struct task_data *d = data_of(p);
	struct amp_thread *t = thread_of(d);

	if (!d)
		return;
	d->began_ns = bpf_ktime_get_ns();
	d->ran_ns = p->se.sum_exec_runtime;
	if ((d->waited || by_progress) && !is_trained(t))
		advance_clock(d);
	d->waited = d->gave_way = false;
	d->queued_ns = 0;
	d->slice_began = d->vtime;
	/* Its turn came before its time: by one short slice it is not forgotten again. */
	if (d->rescued)
		set_slice(p, SLICE_LEAST_NS);
	d->rescued = false;
	if (t)
		t->cpu = scx_bpf_task_cpu(p);
	begin_within_limit(p, d);
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
	if (!runnable)
		pardon_alone(d, scx_bpf_task_cpu(p));
	if (t)
		t->cpu = -1;
}

#include "threads.bpf.h"

static s32 start_timers(void)
{
	struct amp_timer *timer;
	u32 number = 0;
	s32 err;

	timer = bpf_map_lookup_elem(&timers, &number);
	if (!timer)
		return -ENOENT;
	bpf_timer_init(&timer->timer, &timers, CLOCK_MONOTONIC);
	bpf_timer_set_callback(&timer->timer, amp_tick);
	err = bpf_timer_start(&timer->timer, amp.period_ns, 0);
	if (err)
		return err;
	number = 1;
	timer = bpf_map_lookup_elem(&timers, &number);
	if (!timer)
		return -ENOENT;
	bpf_timer_init(&timer->timer, &timers, CLOCK_MONOTONIC);
	bpf_timer_set_callback(&timer->timer, amp_let_go);
	return bpf_timer_start(&timer->timer, IDLE_LOOK_NS, 0);
}

SEC("struct_ops.s/init")
s32 BPF_PROG(amp_init)
{
	struct rank_mask *mask;
	struct bpf_cpumask *cpus;
	u32 rank, cpu;
	s32 err;

	err = scx_bpf_create_dsq(FORGOTTEN, -1);
	if (!err)
		err = prepare_pinned();
	if (!err)
		err = prepare_training();
	if (err)
		return err;
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
	return start_timers();
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
	.tick		= (void *)amp_running_tick,			\
	.cpu_release	= (void *)amp_cpu_release,			\
	.cgroup_init	= (void *)amp_cgroup_init,			\
	.cgroup_exit	= (void *)amp_cgroup_exit,			\
	.cgroup_move	= (void *)amp_cgroup_move,			\
	.cgroup_set_weight = (void *)amp_cgroup_set_weight,		\
	.cgroup_set_bandwidth = (void *)amp_cgroup_set_bandwidth,	\
	.init		= (void *)amp_init,				\
	.exit		= (void *)amp_exit,				\
	/* Without the second one, threads that end would keep others from running. */ \
	.flags		= SCX_OPS_ENQ_LAST | SCX_OPS_ENQ_EXITING,	\
	.timeout_ms	= 30000,					\
	.name		= _name,					\
};									\
									\
char _license[] SEC("license") = "GPL"

#endif /* SCHEDULERS_LAYER_BPF_H */
