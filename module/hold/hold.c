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
#include <linux/interrupt.h>
#include <linux/kernel_stat.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/sched/isolation.h>
#include <linux/smp.h>
#include <linux/smpboot.h>
#include <linux/tick.h>
#include <linux/timekeeping.h>
#include <pmctrack/hold.h>

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

/**
 * struct hold - the present hold, or the last one
 * @id: its number, 0: there was none
 * @end: ns
 * @pending: CPUs that have not left yet, and two more until all were told; the last one to
 *	leave takes it from 1 to 0
 * @cpus: who takes part
 * @others: who must not, and would be a disturbance
 * @err: of pmct_hold_result(), once @pending is 0
 * @window: likewise
 */
struct hold {
	u64 id;
	u64 end;
	atomic_t pending;
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

/* All have left: what became of it. Their writes are before their part of @pending. */
static void hold_conclude(void)
{
	struct pmct_hold_window window = { .to = hold.end };
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
	for_each_cpu(cpu, &hold.others) {
		if (!err && !was_idle(cpu, window.to - window.from))
			err = -EAGAIN;
	}
	hold.window = window;
	hold.err = err;
}

static void hold_leave(void)
{
	/* Fully ordered. The last one writes the result, and then there is nobody left. */
	if (atomic_dec_return(&hold.pending) != 1)
		return;
	hold_conclude();
	/* Pairs with pmct_hold_result() and pmct_hold_begin(). */
	atomic_set_release(&hold.pending, 0);
}

/* Idle until the end. Others have run if the thread was switched away meanwhile. */
static void hold_idle(struct held *h, u64 now, u64 end)
{
	unsigned long switches = current->nivcsw + current->nvcsw;

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
	u64 id = smp_load_acquire(&h->wanted), now = ktime_get_ns(), end;

	h->done = id;
	if (id != READ_ONCE(hold.id))
		return;
	end = READ_ONCE(hold.end);
	h->from = 0;
	h->to = 0;
	/* The kernel complains about a CPU that idles while these wait. */
	if (now + LEAST_NS < end && end - now <= PMCT_HOLD_MOST_NS && !local_softirq_pending())
		hold_idle(h, now, end);
	hold_leave();
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

static bool may_hold(unsigned int cpu)
{
	return housekeeping_test_cpu(cpu, HK_TYPE_DOMAIN) && !tick_nohz_full_cpu(cpu);
}

static bool hold_is_over(u64 now)
{
	return !atomic_read_acquire(&hold.pending) || now > hold.end + LOST_NS;
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
	unsigned int cpu;

	lockdep_assert_irqs_disabled();

	if (!hold_is_over(ktime_get_ns()))
		return 0;
	cpumask_clear(&hold.cpus);
	atomic_set(&hold.pending, 2);
	cpumask_clear(&hold.others);
	WRITE_ONCE(hold.end, end_ns);
	WRITE_ONCE(hold.id, hold.id + 1);
	for_each_online_cpu(cpu) {
		struct held *h = per_cpu_ptr(&held, cpu);

		if (cpumask_test_cpu(cpu, spared))
			continue;
		if (!may_hold(cpu)) {
			h->idle_us = get_cpu_idle_time_us(cpu, NULL);
			__cpumask_set_cpu(cpu, &hold.others);
			continue;
		}
		__cpumask_set_cpu(cpu, &hold.cpus);
		atomic_inc(&hold.pending);
		/* Pairs with hold_thread(). */
		smp_store_release(&h->wanted, hold.id);
		smp_call_function_single_async(cpu, per_cpu_ptr(&held_csd, cpu));
	}
	hold_leave();
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
	if (atomic_read_acquire(&hold.pending))
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
