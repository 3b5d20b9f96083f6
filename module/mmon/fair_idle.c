// SPDX-License-Identifier: GPL-2.0-only
/*
 * How long CPUs were idle. The kernel's account is not enough: while threads of sched_ext wait for
 * a CPU that takes none of them, as in training, idle_cpu() is false, and on Linux 6.12 the account
 * of this CPU then stands still from its first interrupt on. But its idle thread runs all the time.
 *
 * The idle thread of a CPU becomes known when an interrupt finds it running, once for each CPU that
 * is not isolated.
 */
#include <linux/cpumask.h>
#include <linux/kernel_stat.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/smp.h>

#include "../compat/idle.h"
#include "../compat/isolation.h"
#include "../compat/task.h"
#include "fair.h"

/* One in so many calls looks for an idle thread; after so many calls in vain, one in so many. */
#define LOOK_EACH	8
#define LOOKS_MOST	1024
#define LOOK_RARELY	128

/**
 * struct idle - a CPU
 * @thread: its idle thread; NULL: not known yet. It is never freed
 * @switches: how often the idle thread had left the CPU, at the last call
 * @ran: it ran then
 * @us: the kernel's account of idle time, at the last call
 * @looks: calls that might have looked for @thread
 * @csd: to find @thread
 */
struct idle {
	const struct task_struct *thread;
	unsigned long switches;
	bool ran;
	u64 us;
	unsigned int looks;
	call_single_data_t csd;
};

static DEFINE_PER_CPU_SHARED_ALIGNED(struct idle, idle);

/* Context: the CPU, with interrupts disabled. Others that idle (PF_IDLE) have a number. */
static void find_thread(void *info)
{
	struct idle *i = info;

	if (!current->pid)
		WRITE_ONCE(i->thread, current);
}

/* True if the idle thread ran since the last call, without a break. */
static bool idled(struct idle *i)
{
	const struct task_struct *thread = READ_ONCE(i->thread);
	unsigned long switches = i->switches;
	bool ran = i->ran;

	if (!IS_ENABLED(CONFIG_SMP) || !thread)
		return false;
	i->switches = READ_ONCE(thread->nivcsw);
	i->ran = pmct_task_on_cpu(thread);
	return ran && i->ran && i->switches == switches;
}

/**
 * pmct_fair_idle_ns() - how long a CPU was idle since the last call
 * @cpu: an online CPU
 * @ns: the time since the last call
 *
 * Context: the timer of fair_traffic.c, which is the only caller.
 * Return: ns; if the kernel does not know, and nothing else tells, U64_MAX.
 */
u64 pmct_fair_idle_ns(unsigned int cpu, u64 ns)
{
	struct idle *i = per_cpu_ptr(&idle, cpu);
	u64 us = pmct_cpu_idle_us(cpu), was = i->us;
	bool all = idled(i);

	i->us = us;
	/* An account that moves leaves out interrupts, which the idle thread does not. */
	if (us == was)
		return all ? ns : us == U64_MAX ? U64_MAX : 0;
	return us > was ? min((us - was) * NSEC_PER_USEC, ns) : 0;
}

/* The CPU seems to be busy with something else than counted threads. Context: the same timer. */
void pmct_fair_idle_doubt(unsigned int cpu)
{
	struct idle *i = per_cpu_ptr(&idle, cpu);

	if (READ_ONCE(i->thread) || pmct_cpu_is_isolated(cpu))
		return;
	i->looks++;
	/* Not all CPUs at once. */
	if ((i->looks + cpu) % (i->looks < LOOKS_MOST ? LOOK_EACH : LOOK_RARELY))
		return;
	/* -EBUSY: the last one is under way. */
	smp_call_function_single_async(cpu, &i->csd);
}

/* Context: before the timer starts. */
void pmct_fair_idle_start(void)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu) {
		struct idle *i = per_cpu_ptr(&idle, cpu);

		i->us = pmct_cpu_idle_us(cpu);
		i->ran = false;
		i->looks = 0;
		INIT_CSD(&i->csd, find_thread, i);
	}
}

static void nothing(void *info)
{
}

/*
 * Wait for interrupts that are under way. A CPU executes calls that are waited for before others
 * that came earlier, so that only the second call comes after them.
 *
 * Context: process, after the timer's last call.
 */
void pmct_fair_idle_stop(void)
{
	on_each_cpu(nothing, NULL, true);
	on_each_cpu(nothing, NULL, true);
}
