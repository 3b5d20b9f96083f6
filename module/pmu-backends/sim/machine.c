// SPDX-License-Identifier: GPL-2.0-only
/*
 * The simulated machine on real CPUs. For the scheduler, a thread that executes a simulated program
 * is busy. The thread halts its CPU, and the model computes what it has done meanwhile. It works
 * from its first halt after a switch until it leaves the CPU. It does not work from an access to
 * its counters until it halts again, because a program does not advance while the kernel handles an
 * interrupt. A timer steps the model, and finds ends of programs and overflows of counters.
 *
 * One lock protects the model. It is taken in switches, with the runqueue lock held, and all CPUs
 * share it. That is good enough for a machine of at most 16 CPUs whose speed is not measured.
 */
#include <linux/export.h>
#include <linux/hash.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/percpu.h>
#include <linux/smp.h>
#include <linux/spinlock.h>
#include <linux/timekeeping.h>
#include <trace/events/sched.h>

#include "../../compat/halt.h"
#include "../../compat/hrtimer.h"
#include "../../compat/tracepoint.h"
#include "machine.h"
#include "rates.h"

/* Called before other probes: when they read counters, a thread that leaves is already gone. */
#define PMCT_SIM_PROBE_PRIO	1000

static DEFINE_RAW_SPINLOCK(pmct_sim_lock);
static struct pmct_sim *pmct_sim;
static struct hrtimer pmct_sim_timer;
/* When @pmct_sim_timer expires; U64_MAX if it does not run. */
static u64 pmct_sim_timer_at = U64_MAX;
/* This function is told of overflows, see pmct_backend::claim. */
static bool (*pmct_sim_overflow)(void);

static DEFINE_PER_CPU(call_single_data_t, pmct_sim_csd);

/**
 * struct pmct_sim_left - the simulated thread that the last switch took away from a CPU
 * @task: the task that executed it; NULL: there was none
 * @ip: instruction at which the thread was
 *
 * Only the CPU itself uses it, with interrupts disabled.
 */
struct pmct_sim_left {
	const struct task_struct *task;
	u64 ip;
};

static DEFINE_PER_CPU(struct pmct_sim_left, pmct_sim_left);

static u64 pmct_sim_now(void)
{
	return ktime_get_mono_fast_ns();
}

static bool pmct_sim_reached_goal(const struct pmct_sim_thread *t)
{
	return READ_ONCE(t->count[PMCT_SIM_INSTR]) >= t->goal;
}

/* Returns when the next thing happens on @cpu, if nothing changes, in ns; U64_MAX: nothing. */
static u64 pmct_sim_cpu_due(unsigned int cpu)
{
	const struct pmct_sim_cpu *c = &pmct_sim->cpu[cpu];
	const struct pmct_sim_thread *t;
	u64 ns;

	if (c->thread < 0 || c->paused)
		return U64_MAX;
	t = &pmct_sim->thread[c->thread];
	if (pmct_sim_reached_goal(t))
		return U64_MAX;
	ns = pmct_sim_time_for(pmct_sim, cpu, t->goal - t->count[PMCT_SIM_INSTR]);
	ns = min(ns, pmct_sim_pmu_due(pmct_sim, cpu));
	return c->since + ns;
}

/*
 * Something has changed on @cpu. Restart the timer if that, or the next step, is due before it
 * expires. It already expires early enough for the other CPUs.
 */
static void pmct_sim_start_timer(unsigned int cpu, u64 now)
{
	u64 at = max(min(pmct_sim->pace.next, pmct_sim_cpu_due(cpu)), now + 1000);

	if (at >= pmct_sim_timer_at)
		return;
	pmct_sim_timer_at = at;
	/* A hard timer: starting it wakes no thread, so the runqueue lock may be held. */
	hrtimer_start(&pmct_sim_timer, ns_to_ktime(at), HRTIMER_MODE_ABS_PINNED_HARD);
}

/*
 * Must the CPU be interrupted, because its thread reached its goal, or a counter overflowed? If
 * @worked, the thread may have done something since the counters were looked at.
 */
static bool pmct_sim_wants_interrupt(unsigned int cpu, bool worked)
{
	struct pmct_sim_cpu *c = &pmct_sim->cpu[cpu];

	return (c->thread >= 0 && pmct_sim_reached_goal(&pmct_sim->thread[c->thread])) ||
	       (worked ? pmct_sim_pmu_overflowed(c) : c->pmu.overflowed);
}

/* Runs on the CPU concerned. In any case, it ends a halt. */
static void pmct_sim_interrupt(void *unused)
{
	typeof(pmct_sim_overflow) overflow = READ_ONCE(pmct_sim_overflow);

	lockdep_assert_irqs_disabled();

	if (overflow)
		overflow();
}

static enum hrtimer_restart pmct_sim_timer_fn(struct hrtimer *timer)
{
	unsigned long interrupt = 0;
	bool stepped, busy, again;
	unsigned int cpu;
	u64 now, next;

	raw_spin_lock(&pmct_sim_lock);
	now = pmct_sim_now();
	stepped = now >= pmct_sim->pace.next;
	if (stepped)
		pmct_sim_step(pmct_sim, now);
	next = pmct_sim->pace.next;
	for (cpu = 0; cpu < pmct_sim->machine.nr_cpus; cpu++) {
		u64 at = pmct_sim_cpu_due(cpu);
		/* A thread that has left, or pauses, worked until then. */
		bool worked = stepped || at == U64_MAX;

		if (at <= now) {
			pmct_sim_sync(pmct_sim, cpu, now);
			worked = true;
		}
		if (pmct_sim_wants_interrupt(cpu, worked))
			__set_bit(cpu, &interrupt);
		next = min(next, worked ? pmct_sim_cpu_due(cpu) : at);
	}
	/* Another CPU may have started the timer again. Then it must not be touched. */
	busy = pmct_sim_busy(pmct_sim);
	again = busy && !hrtimer_is_queued(timer);
	if (again) {
		pmct_sim_timer_at = max(next, now + 1000);
		hrtimer_set_expires(timer, ns_to_ktime(pmct_sim_timer_at));
	} else if (!busy) {
		pmct_sim_timer_at = U64_MAX;
	}
	raw_spin_unlock(&pmct_sim_lock);
	/* If an interrupt is already on its way, it serves both purposes. */
	for_each_set_bit(cpu, &interrupt, PMCT_SIM_CPUS)
		smp_call_function_single_async(cpu, per_cpu_ptr(&pmct_sim_csd, cpu));
	return again ? HRTIMER_RESTART : HRTIMER_NORESTART;
}

static void pmct_sim_switch(const struct task_struct *next)
{
	struct pmct_sim_left *left = this_cpu_ptr(&pmct_sim_left);
	unsigned int cpu = smp_processor_id();
	/* Only this CPU puts a thread here, or takes it away. */
	int thread = READ_ONCE(pmct_sim->cpu[cpu].thread);
	u64 now;

	left->task = thread < 0 ? NULL : current;
	/* A thread that was reported as replaced may only have left the kernel. */
	if (thread < 0 && (pmct_sim->cpu[cpu].left || !is_idle_task(next)))
		return;
	raw_spin_lock(&pmct_sim_lock);
	now = pmct_sim_now();
	/* The idle thread is a kernel thread, too. */
	pmct_sim_leave(pmct_sim, cpu, !(next->flags & PF_KTHREAD), now);
	if (pmct_sim_busy(pmct_sim))
		pmct_sim_start_timer(cpu, now);
	if (thread >= 0)
		left->ip = pmct_sim_ip(&pmct_sim->thread[thread]);
	raw_spin_unlock(&pmct_sim_lock);
}

static void pmct_sim_probe(void *data, bool preempt, struct task_struct *prev,
			   struct task_struct *next, unsigned int prev_state)
{
	pmct_sim_switch(next);
}

/* Before Linux 5.18. */
static void pmct_sim_probe_old(void *data, bool preempt, struct task_struct *prev,
			       struct task_struct *next)
{
	pmct_sim_switch(next);
}

static struct pmct_tracepoint pmct_sim_tp =
	PMCT_TRACEPOINT(sched_switch, pmct_sim_probe, pmct_sim_probe_old);

static void pmct_sim_tp_match(struct tracepoint *tp, void *unused)
{
	if (!strcmp(tp->name, pmct_sim_tp.name))
		pmct_sim_tp.tp = tp;
}

/**
 * pmct_sim_machine_lock() - lock the model, on the CPU that looks at it
 *
 * Context: interrupts disabled, until pmct_sim_machine_unlock(); not in an NMI.
 * Return: the model. The work of this CPU is up to date, and its thread pauses.
 */
struct pmct_sim *pmct_sim_machine_lock(void)
{
	lockdep_assert_irqs_disabled();

	raw_spin_lock(&pmct_sim_lock);
	pmct_sim_pause(pmct_sim, smp_processor_id(), pmct_sim_now());
	return pmct_sim;
}

/**
 * pmct_sim_machine_lock_meters() - lock the model, to look at its meters
 *
 * Context: as pmct_sim_machine_lock().
 * Return: the model. All of it is up to date to PMCT_SIM_STEP_NS.
 */
struct pmct_sim *pmct_sim_machine_lock_meters(void)
{
	struct pmct_sim *sim = pmct_sim_machine_lock();
	u64 now = pmct_sim_now();

	/* While no thread runs, no timer does this. */
	if (now >= sim->pace.next)
		pmct_sim_step(sim, now);
	return sim;
}

/**
 * pmct_sim_machine_unlock() - unlock the model
 */
void pmct_sim_machine_unlock(void)
{
	raw_spin_unlock(&pmct_sim_lock);
}

/**
 * pmct_sim_machine_ip() - the instruction at which current was interrupted, or switched away
 *
 * Context: as pmct_sim_machine_lock(), but without holding it.
 * Return: an address; 0 if current executes no simulated thread.
 */
u64 pmct_sim_machine_ip(void)
{
	const struct pmct_sim_left *left = this_cpu_ptr(&pmct_sim_left);
	unsigned int cpu = smp_processor_id();
	struct pmct_sim *sim;
	u64 ip;

	if (READ_ONCE(pmct_sim->cpu[cpu].thread) < 0)
		return left->task == current ? left->ip : 0;
	sim = pmct_sim_machine_lock();
	ip = pmct_sim_ip(&sim->thread[sim->cpu[cpu].thread]);
	pmct_sim_machine_unlock();
	return ip;
}

/**
 * pmct_sim_machine_program() - which simulated program does current execute?
 * @id: where the answer is stored
 *
 * Context: as pmct_sim_machine_lock(), but without holding it.
 * Return: false if it executes none.
 */
bool pmct_sim_machine_program(struct pmct_program_id *id)
{
	struct pmct_sim *sim = pmct_sim_machine_lock();
	int thread = sim->cpu[smp_processor_id()].thread;
	const u32 *word = thread < 0 ? NULL : (const u32 *)sim->thread[thread].profile;
	unsigned int i;

	*id = (struct pmct_program_id) { .text = PMCT_SIM_TEXT, .text_size = PMCT_SIM_TEXT_SIZE };
	for (i = 0; word && i < sizeof(struct pmct_sim_profile) / sizeof(*word); i++)
		id->content = (id->content ^ word[i]) * GOLDEN_RATIO_64 ^ id->content >> 29;
	pmct_sim_machine_unlock();
	return word;
}

/**
 * pmct_sim_machine_listen() - set the function that is told of overflows; at first there are none
 * @overflow: see pmct_backend::claim; NULL: no function. Afterwards, no call of an earlier function
 *	is running
 *
 * Context: process context, may sleep.
 */
void pmct_sim_machine_listen(bool (*overflow)(void))
{
	unsigned int cpu;

	raw_spin_lock_irq(&pmct_sim_lock);
	for (cpu = 0; cpu < pmct_sim->machine.nr_cpus; cpu++)
		pmct_sim_pmu_init(&pmct_sim->cpu[cpu].pmu);
	raw_spin_unlock_irq(&pmct_sim_lock);
	WRITE_ONCE(pmct_sim_overflow, overflow);
	synchronize_rcu();
}

/* The topology, which never changes. */
const struct pmct_sim_machine *pmct_sim_machine_topology(void)
{
	return &pmct_sim->machine;
}
EXPORT_SYMBOL_GPL(pmct_sim_machine_topology);

/**
 * pmct_sim_machine_add() - add a simulated thread
 * @profile: what it does; pmct_sim_profile_check() has accepted it. It must stay
 * @seed: seed of its variation
 *
 * Return: its number, or -ENOSPC.
 */
int pmct_sim_machine_add(const struct pmct_sim_profile *profile, u64 seed)
{
	int slot = 0;

	raw_spin_lock_irq(&pmct_sim_lock);
	while (slot < PMCT_SIM_THREADS && pmct_sim->thread[slot].profile)
		slot++;
	if (slot < PMCT_SIM_THREADS)
		pmct_sim_begin(pmct_sim, slot, profile, seed);
	raw_spin_unlock_irq(&pmct_sim_lock);
	return slot < PMCT_SIM_THREADS ? slot : -ENOSPC;
}

/* Remove a thread that no task executes. */
void pmct_sim_machine_remove(unsigned int slot)
{
	raw_spin_lock_irq(&pmct_sim_lock);
	pmct_sim_end(pmct_sim, slot);
	raw_spin_unlock_irq(&pmct_sim_lock);
}

/* The thread begins to work on this CPU, or goes on. */
static void pmct_sim_get_on(unsigned int cpu, unsigned int slot)
{
	u64 now;

	raw_spin_lock(&pmct_sim_lock);
	now = pmct_sim_now();
	/* While no thread ran, the model was not stepped. */
	if (!pmct_sim_busy(pmct_sim))
		pmct_sim_step(pmct_sim, now);
	if (pmct_sim->cpu[cpu].thread < 0)
		pmct_sim_enter(pmct_sim, cpu, slot, now);
	else
		pmct_sim_resume(pmct_sim, cpu, now);
	pmct_sim_start_timer(cpu, now);
	raw_spin_unlock(&pmct_sim_lock);
}

/*
 * Let the thread work on this CPU, unless it does already, and halt the CPU until an interrupt.
 * Returns false if current has something else to do.
 */
static bool pmct_sim_work_here(unsigned int slot)
{
	const struct pmct_sim_thread *t = &pmct_sim->thread[slot];
	unsigned int cpu;

	local_irq_disable();
	if (pmct_sim_reached_goal(t) || pmct_halt_must_leave()) {
		local_irq_enable();
		return false;
	}
	cpu = smp_processor_id();
	if (pmct_sim->cpu[cpu].thread < 0 || pmct_sim->cpu[cpu].paused)
		pmct_sim_get_on(cpu, slot);
	pmct_halt();
	return true;
}

/**
 * pmct_sim_machine_run() - execute a simulated thread
 * @slot: a thread that no task executes
 * @instr: number of instructions; afterwards, the number that is left
 *
 * Context: process context. It halts the CPU, but can be preempted.
 * Return: 0, -EINTR for a signal, -EAGAIN if current has to leave the kernel for a moment.
 */
int pmct_sim_machine_run(unsigned int slot, u64 *instr)
{
	struct pmct_sim_thread *t = &pmct_sim->thread[slot];

	raw_spin_lock_irq(&pmct_sim_lock);
	t->goal = t->count[PMCT_SIM_INSTR] + *instr;
	raw_spin_unlock_irq(&pmct_sim_lock);
	while (pmct_sim_work_here(slot))
		pmct_halt_yield();
	raw_spin_lock_irq(&pmct_sim_lock);
	pmct_sim_leave(pmct_sim, smp_processor_id(), true, pmct_sim_now());
	*instr = t->goal - t->count[PMCT_SIM_INSTR];
	raw_spin_unlock_irq(&pmct_sim_lock);
	if (!*instr)
		return 0;
	return signal_pending(current) ? -EINTR : -EAGAIN;
}

/* Get what no counter knows of a thread. */
void pmct_sim_machine_truth(unsigned int slot, struct pmct_sim_truth *truth)
{
	const struct pmct_sim_thread *t = &pmct_sim->thread[slot];
	unsigned int i;
	u64 now;

	memset(truth, 0, sizeof(*truth));
	raw_spin_lock_irq(&pmct_sim_lock);
	now = pmct_sim_now();
	pmct_sim_step(pmct_sim, now);
	/* Everybody's rates have changed. */
	for (i = 0; i < pmct_sim->machine.nr_cpus; i++)
		pmct_sim_start_timer(i, now);
	pmct_sim_settle_alone(pmct_sim, slot);
	memcpy(truth->count, t->count, sizeof(truth->count));
	truth->ran_ps = t->ran_ps;
	truth->pj = t->pj;
	truth->machine_pj = pmct_sim_machine_pj(pmct_sim);
	truth->nr_types = pmct_sim->machine.nr_types;
	/* Others take its lines from then on. A slow kernel would see how many they have taken. */
	truth->llc_bytes = t->llc_left / 4;
	for (i = 0; i < truth->nr_types; i++)
		truth->alone_ps[i] = t->alone[i].ps;
	raw_spin_unlock_irq(&pmct_sim_lock);
}

/**
 * pmct_sim_machine_alone() - get the time that current's work so far takes alone
 * @alone_ps: ps on each core type
 * @ran_ps: ps that the work really took
 *
 * Context: as pmct_sim_machine_lock(), but without holding it. It may take some ten thousand
 * instructions.
 * Return: false if current executes no simulated thread here.
 */
bool pmct_sim_machine_alone(u64 *alone_ps, u64 *ran_ps)
{
	struct pmct_sim *sim = pmct_sim_machine_lock();
	int thread = sim->cpu[smp_processor_id()].thread;
	unsigned int i;

	if (thread >= 0) {
		pmct_sim_settle_alone(sim, thread);
		for (i = 0; i < sim->machine.nr_types; i++)
			alone_ps[i] = sim->thread[thread].alone[i].ps;
		*ran_ps = sim->thread[thread].ran_ps;
	}
	pmct_sim_machine_unlock();
	return thread >= 0;
}
EXPORT_SYMBOL_GPL(pmct_sim_machine_alone);

/**
 * pmct_sim_machine_start() - put a simulated machine on the CPUs
 * @machine: a machine that pmct_sim_machine_check() has accepted
 *
 * Return: 0 or a negative errno.
 */
int pmct_sim_machine_start(const struct pmct_sim_machine *machine)
{
	int cpu, err;

	for_each_possible_cpu(cpu)
		INIT_CSD(per_cpu_ptr(&pmct_sim_csd, cpu), pmct_sim_interrupt, NULL);
	for_each_kernel_tracepoint(pmct_sim_tp_match, NULL);
	if (!pmct_sim_tp.tp)
		return -EOPNOTSUPP;
	pmct_sim = kvzalloc(sizeof(*pmct_sim), GFP_KERNEL);
	if (!pmct_sim)
		return -ENOMEM;
	pmct_sim_init(pmct_sim, machine, pmct_sim_now());
	pmct_hrtimer_setup(&pmct_sim_timer, pmct_sim_timer_fn, CLOCK_MONOTONIC,
			   HRTIMER_MODE_ABS_PINNED_HARD);
	err = tracepoint_probe_register_prio(pmct_sim_tp.tp, pmct_sim_tp.probe, NULL,
					     PMCT_SIM_PROBE_PRIO);
	if (err)
		kvfree(pmct_sim);
	return err;
}

static void pmct_sim_nothing(void *unused)
{
}

/* Stop the machine. No task executes a simulated thread any more. */
void pmct_sim_machine_stop(void)
{
	tracepoint_probe_unregister(pmct_sim_tp.tp, pmct_sim_tp.probe, NULL);
	tracepoint_synchronize_unregister();
	hrtimer_cancel(&pmct_sim_timer);
	/*
	 * A CPU runs calls with a waiter before others, so only the second one comes after all
	 * others.
	 */
	on_each_cpu(pmct_sim_nothing, NULL, true);
	on_each_cpu(pmct_sim_nothing, NULL, true);
	kvfree(pmct_sim);
}
