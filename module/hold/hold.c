// SPDX-License-Identifier: GPL-2.0-only
/*
 * Holding CPUs: see pmctrack/hold.h.
 *
 * Each CPU has a thread of the lowest real-time priority. The CPU that begins a hold interrupts all
 * CPUs concerned, and each of them wakes its own thread. This takes one interrupt, however many
 * CPUs there are. The threads idle until the same time, each by its own timer, so that no thread
 * waits for another one. The last one to leave determines the result of the hold.
 *
 * There is one hold at a time, and no lock. A hold is identified by its number. A thread that comes
 * too late finds another number.
 */
#include <linux/atomic.h>
#include <linux/cpu.h>
#include <linux/hrtimer.h>
#include <linux/kernel_stat.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/smpboot.h>
#include <linux/timekeeping.h>
#include <pmctrack/hold.h>

#include "../compat/hrtimer.h"
#include "../compat/idle.h"
#include "../compat/isolation.h"

/* Idle states with a longer latency may lose private caches, and the CPU would be late. */
#define LATENCY_NS	5000
/* A shorter hold is not worth the effort. */
#define LEAST_NS	20000
/* Time for interrupts that a CPU may handle and still counts as idle. */
#define IDLE_US		20
/* The first yield() after the end of a hold. */
#define YIELD_NS	20000
/* If a hold is not over so long after its end, one of its CPUs went offline. */
#define LOST_NS		100000000ULL

/**
 * struct held - state of a CPU
 * @task: thread of the CPU
 * @wanted: number of the hold that the CPU takes part in
 * @done: number of the last hold that the CPU took part in, or missed
 * @from: time at which the CPU became idle; 0: it did not, or other threads ran meanwhile
 * @to: time at which the CPU continued
 * @idle_us: for a CPU that must not be held: its idle time when the hold began
 * @yield: timer of hold_yield()
 * @yield_ns: time until it expires again
 *
 * The CPU that begins a hold writes @wanted and @idle_us, the timer also @yield_ns, and the thread
 * all others. hold_conclude() reads them after all have left.
 */
struct held {
	struct task_struct *task;
	u64 wanted;
	u64 done;
	u64 from;
	u64 to;
	u64 idle_us;
	struct hrtimer yield;
	u64 yield_ns;
};

static DEFINE_PER_CPU_SHARED_ALIGNED(struct held, held);
static DEFINE_PER_CPU(call_single_data_t, held_csd);

/*
 * The state of a hold: the low bits of its number, and the number of CPUs that have not left yet.
 */
#define STATE(id, pending)	((id) << 32 | (pending))
#define PENDING(state)		((u32)(state))

/**
 * struct hold - the present hold, or the last one
 * @id: number of the hold, 0: there was none
 * @began: ns
 * @end: ns
 * @state: STATE() of its number and the number of CPUs that have not left yet, plus two until all
 *	CPUs were interrupted; the last one to leave changes this number from 1 to 0
 * @cpus: CPUs that take part
 * @others: CPUs that must not take part, and would be a disturbance
 * @err: return value of pmct_hold_result(), once no CPU is pending
 * @window: result of pmct_hold_result(), once no CPU is pending
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

/* True if a CPU that must not be held was idle all the time, except for an interrupt or two. */
static bool was_idle(unsigned int cpu, u64 ns)
{
	u64 began = per_cpu_ptr(&held, cpu)->idle_us, now = pmct_cpu_idle_us(cpu);

	/* If no clock counts idle time, the kernel does not know it. */
	return now != U64_MAX &&
	       pmct_idle_between_us(began, now) + IDLE_US >= div_u64(ns, NSEC_PER_USEC);
}

/*
 * Determine the result after all have left. They wrote their results before they changed
 * hold::state.
 */
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
	/*
	 * If no CPU was held, the hold is not over yet, so the idle time of the others is not
	 * known.
	 */
	if (cpumask_empty(&hold.cpus) && !cpumask_empty(&hold.others))
		err = -EAGAIN;
	for_each_cpu(cpu, &hold.others) {
		if (!err && !was_idle(cpu, hold.end - hold.began))
			err = -EAGAIN;
	}
	hold.window = window;
	hold.err = err;
}

/* Leave hold @id. A thread that was delayed until the next hold has nothing to leave. */
static void hold_leave(u64 id)
{
	s64 state = atomic64_read(&hold.state);

	do {
		if ((u64)state >> 32 != (u32)id)
			return;
	} while (!atomic64_try_cmpxchg(&hold.state, &state, state - 1));
	/* Fully ordered. The last thread writes the result, and only then is no CPU pending. */
	if (PENDING(state - 1) != 1)
		return;
	hold_conclude();
	/* Pairs with pmct_hold_result() and pmct_hold_begin(). */
	atomic64_set_release(&hold.state, STATE(id, 0));
}

/*
 * The timer of play_idle_precise() asks the current thread to yield, but does not say so in the
 * count that cond_resched() reads. If that thread is not ours but one of a higher priority, it
 * would not yield in the kernel, and nobody could ask it again: munmap(), which waits for
 * cond_resched(), would never end. So this is done here, after that timer. A CPU may have started
 * it late. So it is done until our thread has left, but less and less often.
 */
static enum hrtimer_restart hold_yield(struct hrtimer *timer)
{
	struct held *h = container_of(timer, struct held, yield);

	preempt_fold_need_resched();
	h->yield_ns *= 2;
	hrtimer_forward_now(timer, ns_to_ktime(h->yield_ns));
	return HRTIMER_RESTART;
}

/* Idle until the end. If the thread was switched away meanwhile, other threads have run. */
static void hold_idle(struct held *h, u64 end)
{
	unsigned long switches = current->nivcsw + current->nvcsw;
	u64 now;

	h->yield_ns = YIELD_NS;
	hrtimer_start(&h->yield, ns_to_ktime(end + YIELD_NS), HRTIMER_MODE_ABS_PINNED_HARD);
	/* Read after that, because another thread may have run before it returned. */
	now = ktime_get_ns();
	/* The kernel complains about a CPU that idles with pending soft interrupts. */
	if (now + LEAST_NS < end && end - now <= PMCT_HOLD_MOST_NS && !local_softirq_pending()) {
		h->from = now;
		play_idle_precise(end - now, LATENCY_NS);
		h->to = ktime_get_ns();
	}
	hrtimer_cancel(&h->yield);
	if (current->nivcsw + current->nvcsw != switches)
		h->from = 0;
}

static void hold_thread(unsigned int cpu)
{
	struct held *h = per_cpu_ptr(&held, cpu);
	/* The end of the hold is known: pairs with pmct_hold_begin(). */
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

/* While one CPU is pending, a thread determines the result. */
static bool hold_is_over(u64 now, s64 state)
{
	return now >= hold.end && (!PENDING(state) ||
				   (PENDING(state) > 1 && now > hold.end + LOST_NS));
}

/**
 * pmct_hold_begin() - let CPUs idle together
 * @spared: CPUs that continue
 * @end_ns: end of the hold, CLOCK_MONOTONIC; at most PMCT_HOLD_MOST_NS from now
 *
 * All other online CPUs are held. This includes idle ones, because threads would be moved there. A
 * CPU that cannot be held continues; the result says so if it was not idle.
 *
 * Context: interrupts disabled, not in an NMI; one caller at a time.
 * Return: number of the hold, 0 if the last hold is not over yet.
 */
u64 pmct_hold_begin(const struct cpumask *spared, u64 end_ns)
{
	s64 state = atomic64_read_acquire(&hold.state);
	u64 now = ktime_get_ns();
	unsigned int cpu;

	lockdep_assert_irqs_disabled();

	/* From here on, threads that are late have nothing to leave. */
	if (!hold_is_over(now, state) ||
	    !atomic64_try_cmpxchg(&hold.state, &state, STATE(hold.id + 1, 2)))
		return 0;
	cpumask_clear(&hold.cpus);
	cpumask_clear(&hold.others);
	hold.began = now;
	WRITE_ONCE(hold.end, end_ns);
	WRITE_ONCE(hold.id, hold.id + 1);
	for_each_online_cpu(cpu) {
		struct held *h = per_cpu_ptr(&held, cpu);

		if (cpumask_test_cpu(cpu, spared))
			continue;
		if (pmct_cpu_is_isolated(cpu)) {
			h->idle_us = pmct_cpu_idle_us(cpu);
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
 * pmct_hold_result() - get the result of a hold
 * @id: number of the hold
 * @window: the time in which all held CPUs were idle; undefined if this does not return 0
 *
 * Context: any.
 * Return: 0. -EINPROGRESS: the hold is not over. -EAGAIN: a CPU came too late, or other threads ran
 * there. -ESTALE: another hold has begun since.
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
	/* Pairs with the next pmct_hold_begin(), which writes its number before its result. */
	smp_rmb();
	return READ_ONCE(hold.id) == id ? err : -ESTALE;
}
EXPORT_SYMBOL_GPL(pmct_hold_result);

static int __init hold_init(void)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu) {
		INIT_CSD(per_cpu_ptr(&held_csd, cpu), hold_wake, NULL);
		pmct_hrtimer_setup(&per_cpu_ptr(&held, cpu)->yield, hold_yield, CLOCK_MONOTONIC,
				   HRTIMER_MODE_ABS_PINNED_HARD);
	}
	return smpboot_register_percpu_thread(&hold_threads);
}

static void hold_exited(void *unused)
{
}

static void __exit hold_exit(void)
{
	/*
	 * Interrupts that a CPU waits for are handled before pending others, so two rounds are
	 * needed.
	 */
	on_each_cpu(hold_exited, NULL, true);
	on_each_cpu(hold_exited, NULL, true);
	smpboot_unregister_percpu_thread(&hold_threads);
}

module_init(hold_init);
module_exit(hold_exit);

MODULE_DESCRIPTION("PMCTrack: CPUs that stand still for a moment");
MODULE_AUTHOR("PMCTrack developers");
MODULE_LICENSE("GPL");
