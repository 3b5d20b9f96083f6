// SPDX-License-Identifier: GPL-2.0-only
/*
 * Holding CPUs: see pmctrack/hold.h.
 *
 * Each CPU has a thread of the lowest real-time priority. Whoever begins a hold
 * interrupts all CPUs concerned, and each wakes its own thread: this takes one
 * interrupt, however many CPUs there are. The threads idle until the same
 * time, each by its own timer, so that none waits for another one. The one that
 * is the last to leave sees what became of the hold.
 *
 * One hold at a time, and no lock: a hold is known by its number, and a thread
 * that comes too late finds another number.
 */
#include <linux/atomic.h>
#include <linux/cpu.h>
#include <linux/kernel_stat.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/smpboot.h>
#include <linux/timekeeping.h>
#include <pmctrack/hold.h>

#include "../compat/isolation.h"

/* Idle states that take longer to leave may lose private caches, and the CPU would be late. */
#define LATENCY_NS	5000
/* It is not worth the while for less. */
#define LEAST_NS	20000
/* Interrupts that a CPU may handle while it counts as idle. */
#define IDLE_US		20
/* A hold that is not over so long after its end has lost a CPU that went offline. */
#define LOST_NS		100000000ULL

/**
 * struct held - of a CPU
 * @task: its thread
 * @wanted: number of the hold that it takes part in
 * @done: the last one that it took part in, or missed
 * @from: when it stood still; 0: it did not, or others ran meanwhile
 * @to: when it went on
 * @idle_us: of a CPU that must not be held: how long it has been idle, when the hold began
 *
 * Whoever begins a hold writes @wanted and @idle_us, the thread the rest. Who saw that all have
 * left reads them.
 */
struct held {
	struct task_struct *task;
	u64 wanted;
	u64 done;
	u64 from;
	u64 to;
	u64 idle_us;
};

static DEFINE_PER_CPU_SHARED_ALIGNED(struct held, held);
static DEFINE_PER_CPU(call_single_data_t, held_csd);

/* The state of a hold: the low bits of its number, and how many have not left yet. */
#define STATE(id, pending)	((id) << 32 | (pending))
#define PENDING(state)		((u32)(state))

/**
 * struct hold - the present hold, or the last one
 * @id: its number, 0: there was none
 * @began: ns
 * @end: ns
 * @state: STATE() of its number and the CPUs that have not left yet, with two more until all were
 *	told; the last one to leave takes it from 1 to 0
 * @cpus: who takes part
 * @others: who must not, and would be a disturbance
 * @err: of pmct_hold_result(), once nobody is pending
 * @window: likewise
 */
struct hold {
	u64 id;
	u64 began;
	u64 end;
	atomic64_t state;
	struct cpumask cpus;
	struct cpumask others;
	int err;
	struct pmct_hold_window window;
};

static struct hold hold;

/* A CPU that must not be held was idle all the time, but for an interrupt or two. */
static bool was_idle(unsigned int cpu, u64 ns)
{
	u64 began = per_cpu_ptr(&held, cpu)->idle_us, now = get_cpu_idle_time_us(cpu, NULL);

	/* Without a clock that stops while it is idle, the kernel does not know. */
	return now != U64_MAX && now - began + IDLE_US >= div_u64(ns, NSEC_PER_USEC);
}

/* All have left: what became of it. Their writes are before their part of hold::state. */
static void hold_conclude(void)
{
	struct pmct_hold_window window = { .from = hold.began, .to = hold.end };
	unsigned int cpu;
	int err = 0;

	for_each_cpu(cpu, &hold.cpus) {
		const struct held *h = per_cpu_ptr(&held, cpu);

		if (!h->from || h->from >= h->to)
			err = -EAGAIN;
		window.from = max(window.from, h->from);
		window.to = min(window.to, h->to);
	}
	if (window.from >= window.to)
		err = -EAGAIN;
	/* If nobody was held, it is not over yet: what they did is not known. */
	if (cpumask_empty(&hold.cpus) && !cpumask_empty(&hold.others))
		err = -EAGAIN;
	for_each_cpu(cpu, &hold.others) {
		if (!err && !was_idle(cpu, hold.end - hold.began))
			err = -EAGAIN;
	}
	hold.window = window;
	hold.err = err;
}

/* Whoever was delayed until the next hold has nothing to leave. */
static void hold_leave(u64 id)
{
	s64 state = atomic64_read(&hold.state);

	do {
		if ((u64)state >> 32 != (u32)id)
			return;
	} while (!atomic64_try_cmpxchg(&hold.state, &state, state - 1));
	/* Fully ordered. The last one writes the result, and then there is nobody left. */
	if (PENDING(state - 1) != 1)
		return;
	hold_conclude();
	/* Pairs with pmct_hold_result() and pmct_hold_begin(). */
	atomic64_set_release(&hold.state, STATE(id, 0));
}

/* Idle until the end. Others have run if the thread was switched away meanwhile. */
static void hold_idle(struct held *h, u64 end)
{
	unsigned long switches = current->nivcsw + current->nvcsw;
	u64 now = ktime_get_ns();

	/* The kernel complains about a CPU that idles while these wait. */
	if (now + LEAST_NS >= end || end - now > PMCT_HOLD_MOST_NS || local_softirq_pending())
		return;
	h->from = now;
	play_idle_precise(end - now, LATENCY_NS);
	h->to = ktime_get_ns();
	if (current->nivcsw + current->nvcsw != switches)
		h->from = 0;
}

static void hold_thread(unsigned int cpu)
{
	struct held *h = per_cpu_ptr(&held, cpu);
	/* Pairs with pmct_hold_begin(): its end is known. */
	u64 id = smp_load_acquire(&h->wanted);

	h->done = id;
	if (id != READ_ONCE(hold.id))
		return;
	h->from = 0;
	h->to = 0;
	hold_idle(h, READ_ONCE(hold.end));
	hold_leave(id);
}

static int hold_should_run(unsigned int cpu)
{
	const struct held *h = per_cpu_ptr(&held, cpu);

	return READ_ONCE(h->wanted) != h->done;
}

static void hold_setup(unsigned int cpu)
{
	sched_set_fifo_low(current);
}

static struct smp_hotplug_thread hold_threads = {
	.store			= &held.task,
	.thread_should_run	= hold_should_run,
	.thread_fn		= hold_thread,
	.setup			= hold_setup,
	.thread_comm		= "pmct_hold/%u",
};

static void hold_wake(void *unused)
{
	wake_up_process(__this_cpu_read(held.task));
}

static bool hold_is_over(u64 now)
{
	return now >= hold.end && (!PENDING(atomic64_read_acquire(&hold.state)) ||
				   now > hold.end + LOST_NS);
}

/**
 * pmct_hold_begin() - let CPUs stand still
 * @spared: CPUs that go on
 * @end_ns: until when, CLOCK_MONOTONIC; at most PMCT_HOLD_MOST_NS from now
 *
 * All other CPUs that are online are held, also those that are idle: threads would be moved
 * there. A CPU that cannot be held goes on; the result says so if it was not idle.
 *
 * Context: interrupts disabled, not in an NMI; one caller at a time.
 * Return: its number, 0 if the last one is not over yet.
 */
u64 pmct_hold_begin(const struct cpumask *spared, u64 end_ns)
{
	u64 now = ktime_get_ns();
	unsigned int cpu;

	lockdep_assert_irqs_disabled();

	if (!hold_is_over(now))
		return 0;
	cpumask_clear(&hold.cpus);
	cpumask_clear(&hold.others);
	hold.began = now;
	WRITE_ONCE(hold.end, end_ns);
	WRITE_ONCE(hold.id, hold.id + 1);
	atomic64_set(&hold.state, STATE(hold.id, 2));
	for_each_online_cpu(cpu) {
		struct held *h = per_cpu_ptr(&held, cpu);

		if (cpumask_test_cpu(cpu, spared))
			continue;
		if (pmct_cpu_is_isolated(cpu)) {
			h->idle_us = get_cpu_idle_time_us(cpu, NULL);
			__cpumask_set_cpu(cpu, &hold.others);
			continue;
		}
		__cpumask_set_cpu(cpu, &hold.cpus);
		atomic64_inc(&hold.state);
		/* Pairs with hold_thread(). */
		smp_store_release(&h->wanted, hold.id);
		smp_call_function_single_async(cpu, per_cpu_ptr(&held_csd, cpu));
	}
	hold_leave(hold.id);
	return hold.id;
}
EXPORT_SYMBOL_GPL(pmct_hold_begin);

/**
 * pmct_hold_result() - what became of a hold
 * @id: its number
 * @window: while all stood still; undefined if this is not 0
 *
 * Context: any.
 * Return: 0. -EINPROGRESS: it is not over. -EAGAIN: a CPU came too late, or others ran there.
 * -ESTALE: there was another one since.
 */
int pmct_hold_result(u64 id, struct pmct_hold_window *window)
{
	int err;

	if (READ_ONCE(hold.id) != id)
		return -ESTALE;
	/* Pairs with hold_leave(). */
	if (PENDING(atomic64_read_acquire(&hold.state)) || ktime_get_mono_fast_ns() < hold.end)
		return -EINPROGRESS;
	err = hold.err;
	*window = hold.window;
	/* Pairs with the next pmct_hold_begin(), whose number is there before its result. */
	smp_rmb();
	return READ_ONCE(hold.id) == id ? err : -ESTALE;
}
EXPORT_SYMBOL_GPL(pmct_hold_result);

static int __init hold_init(void)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu)
		INIT_CSD(per_cpu_ptr(&held_csd, cpu), hold_wake, NULL);
	return smpboot_register_percpu_thread(&hold_threads);
}

static void hold_exited(void *unused)
{
}

static void __exit hold_exit(void)
{
	/* Interrupts that somebody waits for come before others: hence twice. */
	on_each_cpu(hold_exited, NULL, true);
	on_each_cpu(hold_exited, NULL, true);
	smpboot_unregister_percpu_thread(&hold_threads);
}

module_init(hold_init);
module_exit(hold_exit);

MODULE_DESCRIPTION("PMCTrack: CPUs that stand still for a moment");
MODULE_AUTHOR("PMCTrack developers");
MODULE_LICENSE("GPL");
