// SPDX-License-Identifier: GPL-2.0-only
/*
 * Scheduler mode: threads that a scheduler wants monitored are counted with the event sets of the
 * active monitoring module, in a session of the kernel's own without a reader. Schedulers get the
 * metrics.
 *
 * The scheduler only sets its request (pmct_hooks::want). The thread enters and leaves the session
 * at its own tick, so no CPU interrupts another one, and no code waits. A tick cannot allocate
 * memory. So each CPU has a context ready for the next thread there (the spare), and work that
 * makes another one.
 */
#include <linux/cpu.h>
#include <linux/irq_work.h>
#include <linux/jiffies.h>
#include <linux/slab.h>
#include <linux/workqueue.h>

#include "ctx.h"
#include "mmon_call.h"
#include "refs.h"
#include "sched_mode.h"
#include "session.h"
#include "tie.h"
#include "wanted.h"

#define PMCT_SCHED_PERIOD_MS	100
#define PMCT_SCHED_RETRY_MS	1000

/**
 * struct pmct_sched_cpu - state of scheduler mode on a CPU
 * @spare: context for the next thread; taken with interrupts disabled, on the CPU
 * @work: makes a spare
 */
struct pmct_sched_cpu {
	struct pmct_ctx *spare;
	struct work_struct work;
};

static DEFINE_PER_CPU(struct pmct_sched_cpu, pmct_sched_cpu);
/* Protected by pmct_mmon_lock(). */
static struct pmct_session *pmct_sched_session;
/* After a failure, nothing is tried before this time, in jiffies. */
static unsigned long pmct_sched_retry;
/* The session could not be opened, and a message was printed. Protected by pmct_mmon_lock(). */
static bool pmct_sched_waits;

static void pmct_sched_try_later(void)
{
	WRITE_ONCE(pmct_sched_retry, jiffies + msecs_to_jiffies(PMCT_SCHED_RETRY_MS));
}

/* Open the session. The monitoring module is locked. */
static int pmct_sched_open(const struct monitoring_module *mm)
{
	struct pmct_session_params *params;
	struct pmct_msg msg = {};
	struct pmct_session *s;

	params = kzalloc(sizeof(*params), GFP_KERNEL);
	if (!params)
		return -ENOMEM;
	memcpy(params->raw, mm->raw, mm->nr_raw * sizeof(*mm->raw));
	params->nr_raw = mm->nr_raw;
	params->period_ns = (mm->period_ms ?: PMCT_SCHED_PERIOD_MS) * (u64)NSEC_PER_MSEC;
	params->no_ring = true;
	params->cgroup = -1;
	s = pmct_session_create(params, &msg);
	kfree(params);
	if (IS_ERR(s)) {
		/* Opening is tried again and again, but the message is printed once. */
		if (!pmct_sched_waits)
			pr_info("pmctrack: scheduler mode has to wait: %s\n", msg.text);
		pmct_sched_waits = true;
		pmct_sched_try_later();
		return PTR_ERR(s);
	}
	pmct_sched_waits = false;
	s->mm_sets = true;
	s->mm_gen = mm->gen;
	pmct_sched_session = s;
	return 0;
}

static int pmct_sched_make_spare(struct pmct_sched_cpu *sc, const struct monitoring_module *mm)
{
	struct pmct_ctx *ctx;
	int err;

	/* The module has no event sets. */
	if (!mm->nr_raw)
		return -ENODATA;
	/*
	 * Without the patch, only pmct_sched_look_work() opens the session, and then starts the
	 * ticks.
	 */
	if (!pmct_sched_session && !pmct_hooks->patched)
		return 0;
	if (!pmct_sched_session) {
		err = pmct_sched_open(mm);
		if (err)
			return err;
	}
	ctx = pmct_ctx_alloc(pmct_sched_session, NULL, PMCT_CTX_STOPPED, GFP_KERNEL);
	if (!ctx)
		return -ENOMEM;
	if (cmpxchg(&sc->spare, NULL, ctx))
		kfree(ctx);
	return 0;
}

static void pmct_sched_work(struct work_struct *work)
{
	struct pmct_sched_cpu *sc = container_of(work, struct pmct_sched_cpu, work);
	const struct monitoring_module *mm;

	pmct_mmon_lock();
	mm = pmct_mmon_active();
	if (mm && !READ_ONCE(sc->spare) && pmct_sched_make_spare(sc, mm))
		pmct_sched_try_later();
	pmct_mmon_unlock();
}

/*
 * Without the patch, a CPU has our tick only while its thread is counted, or waits for that. A
 * switch starts the tick for a wanted thread, but only while a session is open, so that switches
 * cost nothing otherwise. The rest is done by work. A scheduler may request this work under the
 * runqueue lock, where no task can be woken.
 */

/* CPUs that may be running a thread that became wanted after it was switched to. */
static struct cpumask pmct_sched_cpus;

/* Runs on the CPU concerned. */
static void pmct_sched_start_tick(void *unused)
{
	lockdep_assert_irqs_disabled();

	if (pmct_wanted(current))
		pmct_tie_entered();
}

static void pmct_sched_start_ticks(bool everywhere)
{
	cpumask_var_t cpus;
	int cpu;

	if (everywhere || !zalloc_cpumask_var(&cpus, GFP_KERNEL)) {
		cpumask_clear(&pmct_sched_cpus);
		on_each_cpu(pmct_sched_start_tick, NULL, true);
		return;
	}
	for_each_cpu(cpu, &pmct_sched_cpus) {
		if (cpumask_test_and_clear_cpu(cpu, &pmct_sched_cpus))
			cpumask_set_cpu(cpu, cpus);
	}
	on_each_cpu_mask(cpus, pmct_sched_start_tick, NULL, true);
	free_cpumask_var(cpus);
}

static void pmct_sched_look_work(struct work_struct *work);
static DECLARE_WORK(pmct_sched_look, pmct_sched_look_work);
/* The same work after a delay. */
static DECLARE_DELAYED_WORK(pmct_sched_look_again, pmct_sched_look_work);

static void pmct_sched_look_work(struct work_struct *work)
{
	const struct monitoring_module *mm;
	bool opened = false, open, wait;

	pmct_mmon_lock();
	mm = pmct_mmon_active();
	/* The last client may have unregistered meanwhile. */
	if (!rcu_access_pointer(pmct_wanted_table))
		mm = NULL;
	if (mm && mm->nr_raw && !pmct_sched_session &&
	    time_after_eq(jiffies, READ_ONCE(pmct_sched_retry)))
		opened = !pmct_sched_open(mm);
	open = pmct_sched_session;
	wait = mm && mm->nr_raw && !open;
	pmct_mmon_unlock();
	if (open)
		pmct_sched_start_ticks(opened);
	else if (wait)
		schedule_delayed_work(&pmct_sched_look_again,
				      msecs_to_jiffies(PMCT_SCHED_RETRY_MS));
}

static void pmct_sched_look_later(struct irq_work *work)
{
	schedule_work(&pmct_sched_look);
}

static struct irq_work pmct_sched_look_irq = IRQ_WORK_INIT(pmct_sched_look_later);

/**
 * pmct_sched_mode_look() - check if a scheduler's requests need a session
 *
 * Context: any but NMI; the runqueue lock may be held.
 */
void pmct_sched_mode_look(void)
{
	/*
	 * With the patch, wanted threads do this at their ticks. Without a module, this is called
	 * again when a module becomes active.
	 */
	if (rcu_access_pointer(pmct_wanted_table) && rcu_access_pointer(pmct_mmon))
		irq_work_queue(&pmct_sched_look_irq);
}

/* @task is wanted from now on. Context: as pmct_sched_mode_look(). */
void pmct_sched_mode_wants(const struct task_struct *task)
{
	/* If the thread runs already, or is being switched to, no switch starts its tick. */
	if (READ_ONCE(task->on_rq))
		cpumask_set_cpu(task_cpu(task), &pmct_sched_cpus);
	else if (READ_ONCE(pmct_sched_session))
		return;
	pmct_sched_mode_look();
}

/**
 * pmct_sched_mode_waits() - does current wait for a context?
 *
 * Context: the tick of an unmodified kernel, interrupts disabled.
 */
bool pmct_sched_mode_waits(void)
{
	/* A thread that has a context, but is not counted now, belongs to a user's session. */
	return rcu_access_pointer(pmct_mmon) && READ_ONCE(pmct_sched_session) &&
	       pmct_wanted(current) && !pmct_tie_ctx(current) && !(current->flags & PF_EXITING);
}

static void pmct_sched_look_no_more(void)
{
	irq_work_sync(&pmct_sched_look_irq);
	/* This work may queue the delayed work, so it is cancelled first. */
	cancel_work_sync(&pmct_sched_look);
	cancel_delayed_work_sync(&pmct_sched_look_again);
}

/* Called when the first client registers. Process context, sleeps. */
int pmct_sched_mode_arm(void)
{
	return pmct_hooks->patched ? 0 : pmct_wanted_init();
}

/* Called when the last client unregisters: end monitoring for clients. Process context, sleeps. */
void pmct_sched_mode_disarm(void)
{
	if (pmct_hooks->patched)
		return;
	pmct_wanted_exit();
	pmct_sched_look_no_more();
	/* Otherwise sleeping threads would keep their contexts. */
	pmct_mmon_lock();
	pmct_sched_mode_end();
	pmct_mmon_unlock();
}

/* Give a context to current, which is wanted and has none. */
static void pmct_sched_enter(void)
{
	struct pmct_sched_cpu *sc = this_cpu_ptr(&pmct_sched_cpu);
	struct pmct_ctx *spare = xchg(&sc->spare, NULL);

	if (spare && !pmct_ctx_adopt(spare))
		kfree_rcu(spare, rcu);
	if (time_after_eq(jiffies, READ_ONCE(pmct_sched_retry)))
		schedule_work(&sc->work);
}

/**
 * pmct_sched_mode_tick() - start or end scheduler mode for current
 * @ctx: current's context, or NULL
 *
 * Context: the tick, interrupts disabled, no lock held.
 */
void pmct_sched_mode_tick(struct pmct_ctx *ctx)
{
	lockdep_assert_irqs_disabled();

	if (!rcu_access_pointer(pmct_mmon))
		return;
	/* A session without a reader is the session of scheduler mode. */
	if (ctx && !ctx->session->rings.ring && !pmct_hooks->sched_mode(current))
		pmct_ctx_end(ctx, 0);
	else if (!ctx && pmct_hooks->sched_mode(current) && !(current->flags & PF_EXITING))
		pmct_sched_enter();
}

/* End the session, before the event sets of the monitoring module go away. The module is locked. */
void pmct_sched_mode_end(void)
{
	struct pmct_session *s = pmct_sched_session;
	int cpu;

	if (!s)
		return;
	pmct_sched_session = NULL;
	refcount_inc(&s->refs);
	pmct_session_destroy(s);
	for_each_possible_cpu(cpu)
		kfree(xchg(&per_cpu_ptr(&pmct_sched_cpu, cpu)->spare, NULL));
	/* A tick may have taken a spare before, and finds only now that the session has ended. */
	pmct_hooks->synchronize();
	pmct_session_put(s);
}

void pmct_sched_mode_init(void)
{
	int cpu;

	pmct_sched_retry = jiffies;
	for_each_possible_cpu(cpu)
		INIT_WORK(&per_cpu_ptr(&pmct_sched_cpu, cpu)->work, pmct_sched_work);
}

/* Called when no hook runs any more. */
void pmct_sched_mode_exit(void)
{
	int cpu;

	pmct_sched_look_no_more();
	for_each_possible_cpu(cpu)
		flush_work(&per_cpu_ptr(&pmct_sched_cpu, cpu)->work);
}
