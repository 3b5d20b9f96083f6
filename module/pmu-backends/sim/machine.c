// SPDX-License-Identifier: GPL-2.0-only
/*
 * The simulated machine on real CPUs. A thread that executes a simulated program is busy
 * for the scheduler and halts its CPU; what it has done meanwhile, the model says. A probe
 * of the scheduler's switches tells the model who is where, and a timer steps it and finds
 * the ends of programs.
 *
 * One lock protects the model. It is taken in switches, with the runqueue lock held, and
 * is shared by all CPUs: that is for a machine of at most 16, which nobody measures.
 */
#include <linux/hash.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/spinlock.h>
#include <linux/timekeeping.h>
#include <trace/events/sched.h>

#include "../../compat/halt.h"
#include "../../compat/hrtimer.h"
#include "../../compat/tracepoint.h"
#include "machine.h"

static DEFINE_RAW_SPINLOCK(pmct_sim_lock);
static struct pmct_sim *pmct_sim;
static DEFINE_HASHTABLE(pmct_sim_runners, 8);
static unsigned int pmct_sim_nr_runners;
static struct hrtimer pmct_sim_timer;
/* When @pmct_sim_timer expires; U64_MAX: it does not run. */
static u64 pmct_sim_timer_at = U64_MAX;

static u64 pmct_sim_now(void)
{
	return ktime_get_mono_fast_ns();
}

static struct pmct_sim_runner *pmct_sim_find(const struct task_struct *task)
{
	struct pmct_sim_runner *runner;

	lockdep_assert_held(&pmct_sim_lock);

	hash_for_each_possible(pmct_sim_runners, runner, node, (unsigned long)task) {
		if (runner->task == task)
			return runner;
	}
	return NULL;
}

static bool pmct_sim_reached_goal(const struct pmct_sim_thread *t)
{
	return READ_ONCE(t->count[PMCT_SIM_INSTR]) >= t->goal;
}

/* When the thread on @cpu will have reached its goal, as things are. */
static u64 pmct_sim_goal_at(unsigned int cpu)
{
	const struct pmct_sim_cpu *c = &pmct_sim->cpu[cpu];
	const struct pmct_sim_thread *t;

	if (c->thread < 0)
		return U64_MAX;
	t = &pmct_sim->thread[c->thread];
	if (pmct_sim_reached_goal(t))
		return U64_MAX;
	return c->since + pmct_sim_time_for(pmct_sim, cpu, t->goal - t->count[PMCT_SIM_INSTR]);
}

/* When the model has to be looked at next. */
static u64 pmct_sim_next(void)
{
	u64 at = pmct_sim->stepped + PMCT_SIM_STEP_NS;
	unsigned int cpu;

	for (cpu = 0; cpu < pmct_sim->machine.nr_cpus; cpu++)
		at = min(at, pmct_sim_goal_at(cpu));
	return at;
}

static void pmct_sim_start_timer(u64 at)
{
	if (at >= pmct_sim_timer_at)
		return;
	pmct_sim_timer_at = at;
	/* Hard: its start wakes nobody, so that the runqueue lock may be held. */
	hrtimer_start(&pmct_sim_timer, ns_to_ktime(at), HRTIMER_MODE_ABS_PINNED_HARD);
}

/* A thread that has done its work halts its CPU, and has to notice. */
static void pmct_sim_wake_done(void)
{
	struct pmct_sim_runner *runner;
	unsigned int bucket;

	hash_for_each(pmct_sim_runners, bucket, runner, node) {
		if (pmct_sim_reached_goal(&pmct_sim->thread[runner->slot]))
			kick_process(runner->task);
	}
}

static enum hrtimer_restart pmct_sim_timer_fn(struct hrtimer *timer)
{
	u64 now = pmct_sim_now();
	unsigned int cpu;
	bool busy;

	raw_spin_lock(&pmct_sim_lock);
	if (now >= pmct_sim->stepped + PMCT_SIM_STEP_NS)
		pmct_sim_step(pmct_sim, now);
	for (cpu = 0; cpu < pmct_sim->machine.nr_cpus; cpu++) {
		if (pmct_sim_goal_at(cpu) <= now)
			pmct_sim_sync(pmct_sim, cpu, now);
	}
	pmct_sim_wake_done();
	busy = pmct_sim_busy(pmct_sim);
	pmct_sim_timer_at = busy ? max(pmct_sim_next(), now + 1000) : U64_MAX;
	if (busy)
		hrtimer_set_expires(timer, ns_to_ktime(pmct_sim_timer_at));
	raw_spin_unlock(&pmct_sim_lock);
	return busy ? HRTIMER_RESTART : HRTIMER_NORESTART;
}

/* @runner is on this CPU from now on. */
static void pmct_sim_enter_here(const struct pmct_sim_runner *runner, u64 now)
{
	unsigned int cpu = smp_processor_id();

	/* Nobody ran, so nobody stepped. */
	if (!pmct_sim_busy(pmct_sim))
		pmct_sim_step(pmct_sim, now);
	pmct_sim_enter(pmct_sim, cpu, runner->slot, now);
	pmct_sim_start_timer(max(pmct_sim_next(), now + 1000));
}

static void pmct_sim_switch(const struct task_struct *next)
{
	struct pmct_sim_runner *runner;
	u64 now;

	if (!READ_ONCE(pmct_sim_nr_runners))
		return;
	now = pmct_sim_now();
	raw_spin_lock(&pmct_sim_lock);
	pmct_sim_leave(pmct_sim, smp_processor_id(), now);
	runner = pmct_sim_find(next);
	if (runner)
		pmct_sim_enter_here(runner, now);
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
 * pmct_sim_machine_add() - a simulated thread comes into being
 * @runner: the thread
 * @profile: what it does; pmct_sim_profile_check() has accepted it. It stays
 * @seed: of its variation
 *
 * Return: 0 or -ENOSPC.
 */
int pmct_sim_machine_add(struct pmct_sim_runner *runner, const struct pmct_sim_profile *profile,
			 u64 seed)
{
	unsigned int slot = 0;

	raw_spin_lock_irq(&pmct_sim_lock);
	while (slot < PMCT_SIM_THREADS && pmct_sim->thread[slot].profile)
		slot++;
	if (slot < PMCT_SIM_THREADS)
		pmct_sim_begin(pmct_sim, slot, profile, seed);
	raw_spin_unlock_irq(&pmct_sim_lock);
	if (slot == PMCT_SIM_THREADS)
		return -ENOSPC;
	runner->slot = slot;
	return 0;
}

/* The thread, which nobody executes, is no more. */
void pmct_sim_machine_remove(struct pmct_sim_runner *runner)
{
	raw_spin_lock_irq(&pmct_sim_lock);
	pmct_sim_end(pmct_sim, runner->slot);
	raw_spin_unlock_irq(&pmct_sim_lock);
}

/* Current executes @runner from now on, until it has done @instr more. */
static void pmct_sim_machine_begin(struct pmct_sim_runner *runner, u64 instr)
{
	struct pmct_sim_thread *t = &pmct_sim->thread[runner->slot];
	u64 now = pmct_sim_now();

	raw_spin_lock_irq(&pmct_sim_lock);
	t->goal = t->count[PMCT_SIM_INSTR] + instr;
	runner->task = current;
	hash_add(pmct_sim_runners, &runner->node, (unsigned long)current);
	WRITE_ONCE(pmct_sim_nr_runners, pmct_sim_nr_runners + 1);
	pmct_sim_enter_here(runner, now);
	raw_spin_unlock_irq(&pmct_sim_lock);
}

/* It does no more. Returns what is left. */
static u64 pmct_sim_machine_finish(struct pmct_sim_runner *runner)
{
	struct pmct_sim_thread *t = &pmct_sim->thread[runner->slot];
	u64 left;

	raw_spin_lock_irq(&pmct_sim_lock);
	pmct_sim_leave(pmct_sim, smp_processor_id(), pmct_sim_now());
	hash_del(&runner->node);
	runner->task = NULL;
	WRITE_ONCE(pmct_sim_nr_runners, pmct_sim_nr_runners - 1);
	left = t->goal - t->count[PMCT_SIM_INSTR];
	raw_spin_unlock_irq(&pmct_sim_lock);
	return left;
}

/**
 * pmct_sim_machine_run() - execute a simulated thread
 * @runner: a thread that nobody executes
 * @instr: for so many instructions; afterwards, what is left
 *
 * Context: process context. It halts the CPU, but can be preempted.
 * Return: 0, -EINTR for a signal, -EAGAIN if current has to leave the kernel for a moment.
 */
int pmct_sim_machine_run(struct pmct_sim_runner *runner, u64 *instr)
{
	const struct pmct_sim_thread *t = &pmct_sim->thread[runner->slot];

	pmct_sim_machine_begin(runner, *instr);
	while (!pmct_sim_reached_goal(t) && !pmct_halt_must_leave()) {
		cond_resched();
		pmct_halt();
	}
	*instr = pmct_sim_machine_finish(runner);
	if (!*instr)
		return 0;
	return signal_pending(current) ? -EINTR : -EAGAIN;
}

/* What no counter knows of a thread. */
void pmct_sim_machine_truth(const struct pmct_sim_runner *runner, struct pmct_sim_truth *truth)
{
	const struct pmct_sim_thread *t = &pmct_sim->thread[runner->slot];
	unsigned int i;

	memset(truth, 0, sizeof(*truth));
	raw_spin_lock_irq(&pmct_sim_lock);
	pmct_sim_step(pmct_sim, pmct_sim_now());
	pmct_sim_settle_alone(pmct_sim, runner->slot);
	truth->instr = t->count[PMCT_SIM_INSTR];
	truth->ran_ps = t->ran_ps;
	truth->pj = t->pj;
	truth->nr_types = pmct_sim->machine.nr_types;
	for (i = 0; i < pmct_sim->machine.nr_clusters; i++)
		truth->llc_bytes += pmct_sim->llc[i].has[runner->slot] / 4;
	for (i = 0; i < truth->nr_types; i++)
		truth->alone_ps[i] = t->alone[i].ps;
	raw_spin_unlock_irq(&pmct_sim_lock);
}

/**
 * pmct_sim_machine_start() - put a simulated machine on the CPUs
 * @machine: pmct_sim_machine_check() has accepted it
 *
 * Return: 0 or a negative errno.
 */
int pmct_sim_machine_start(const struct pmct_sim_machine *machine)
{
	int err;

	for_each_kernel_tracepoint(pmct_sim_tp_match, NULL);
	if (!pmct_sim_tp.tp)
		return -EOPNOTSUPP;
	pmct_sim = kvzalloc(sizeof(*pmct_sim), GFP_KERNEL);
	if (!pmct_sim)
		return -ENOMEM;
	pmct_sim_init(pmct_sim, machine, pmct_sim_now());
	pmct_hrtimer_setup(&pmct_sim_timer, pmct_sim_timer_fn, CLOCK_MONOTONIC,
			   HRTIMER_MODE_ABS_PINNED_HARD);
	err = tracepoint_probe_register(pmct_sim_tp.tp, pmct_sim_tp.probe, NULL);
	if (err)
		kvfree(pmct_sim);
	return err;
}

/* Nobody executes anything any more. */
void pmct_sim_machine_stop(void)
{
	tracepoint_probe_unregister(pmct_sim_tp.tp, pmct_sim_tp.probe, NULL);
	tracepoint_synchronize_unregister();
	hrtimer_cancel(&pmct_sim_timer);
	kvfree(pmct_sim);
}
