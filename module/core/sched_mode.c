// SPDX-License-Identifier: GPL-2.0-only
/*
 * Scheduler mode: threads that a scheduler wants monitored are counted
 * with the event sets of the active monitoring module, in a session of the
 * kernel's own that nobody reads; and the metrics that schedulers get.
 *
 * The scheduler says so (pmct_hooks::want), nothing else. The thread enters and
 * leaves the session at its own tick: no CPU interrupts another one, and nobody waits.
 * A tick cannot allocate memory, so each CPU has a context ready for the next thread
 * there (the spare), and work that makes another one.
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
 * struct pmct_sched_cpu - what scheduler mode has on a CPU
 * @spare: for the next thread; taken with interrupts disabled, on the CPU
 * @work: makes one
 */
struct pmct_sched_cpu {
	struct pmct_ctx *spare;
	struct work_struct work;
};

static DEFINE_PER_CPU(struct pmct_sched_cpu, pmct_sched_cpu);
/* Protected by pmct_mmon_lock(). */
static struct pmct_session *pmct_sched_session;
/* After a failure: nothing is tried before this, in jiffies. */
static unsigned long pmct_sched_retry;
/* The session could not be opened, and that was said. Protected by the monitoring module's lock. */
static bool pmct_sched_waits;

static void pmct_sched_try_later(void)
{
	WRITE_ONCE(pmct_sched_retry, jiffies + msecs_to_jiffies(PMCT_SCHED_RETRY_MS));
}

/* The monitoring module is locked. */
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
		/* It is tried again and again, and said once. */
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

	/* Nothing to count? */
	if (!mm->nr_raw)
		return -ENODATA;
	/* Without the patch, only pmct_sched_look_work() opens it, which then starts the ticks. */
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
 * Without the patch there is a tick only where a thread is counted, or waits for that. A
 * switch starts it for a thread that is wanted, but only while a session is open: otherwise
 * switches cost nothing. What is left is done by work that a scheduler asks for, possibly under
 * the runqueue lock, where nobody can be woken up.
 */

/* CPUs where a thread may be running that is wanted since it was switched to. */
static struct cpumask pmct_sched_cpus;

/* On the CPU concerned. */
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
		on_each_cpu(pmct_sched_start_tick, NULL, false);
		return;
	}
	for_each_cpu(cpu, &pmct_sched_cpus) {
		if (cpumask_test_and_clear_cpu(cpu, &pmct_sched_cpus))
			cpumask_set_cpu(cpu, cpus);
	}
	on_each_cpu_mask(cpus, pmct_sched_start_tick, NULL, false);
	free_cpumask_var(cpus);
}

static void pmct_sched_look_work(struct work_struct *work);
static DECLARE_WORK(pmct_sched_look, pmct_sched_look_work);
/* The same after a while. */
static DECLARE_DELAYED_WORK(pmct_sched_look_again, pmct_sched_look_work);

static void pmct_sched_look_work(struct work_struct *work)
{
	const struct monitoring_module *mm;
	bool opened = false, open, wait;

	pmct_mmon_lock();
	mm = pmct_mmon_active();
	/* The last client may have gone meanwhile. */
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
 * pmct_sched_mode_look() - a scheduler may want something that needs a session
 *
 * Context: any but NMI; the runqueue lock may be held.
 */
void pmct_sched_mode_look(void)
{
	/*
	 * With the patch, threads that are wanted see to it at their ticks. Without a module this
	 * is called again when there is one.
	 */
	if (rcu_access_pointer(pmct_wanted_table) && rcu_access_pointer(pmct_mmon))
		irq_work_queue(&pmct_sched_look_irq);
}

/* @task is wanted from now on. Context: as pmct_sched_mode_look(). */
void pmct_sched_mode_wants(const struct task_struct *task)
{
	/* If it runs already, or is being switched to, no switch starts its tick. */
	if (READ_ONCE(task->on_rq))
		cpumask_set_cpu(task_cpu(task), &pmct_sched_cpus);
	else if (READ_ONCE(pmct_sched_session))
		return;
	pmct_sched_mode_look();
}

/**
 * pmct_sched_mode_waits() - does current, which has no context, wait for one?
 *
 * Context: the tick of an unmodified kernel, interrupts disabled.
 */
bool pmct_sched_mode_waits(void)
{
	/* One that has a context, and is not counted now, is its user's. */
	return rcu_access_pointer(pmct_mmon) && READ_ONCE(pmct_sched_session) &&
	       pmct_wanted(current) && !pmct_tie_ctx(current) && !(current->flags & PF_EXITING);
}

static void pmct_sched_look_no_more(void)
{
	irq_work_sync(&pmct_sched_look_irq);
	/* It may ask for the second one. */
	cancel_work_sync(&pmct_sched_look);
	cancel_delayed_work_sync(&pmct_sched_look_again);
}

/* A client of a scheduler comes. Process context, sleeps. */
int pmct_sched_mode_arm(void)
{
	return pmct_hooks->patched ? 0 : pmct_wanted_init();
}

/* The last one goes: threads are not monitored for it any more. Process context, sleeps. */
void pmct_sched_mode_disarm(void)
{
	if (pmct_hooks->patched)
		return;
	pmct_wanted_exit();
	pmct_sched_look_no_more();
	/* Threads that sleep would keep their contexts. */
	pmct_mmon_lock();
	pmct_sched_mode_end();
	pmct_mmon_unlock();
}

/* Current is wanted, and has no context. */
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
 * pmct_sched_mode_tick() - has its scheduling class changed its mind about current?
 * @ctx: its context, or NULL
 *
 * Context: the tick, interrupts disabled, no lock held.
 */
void pmct_sched_mode_tick(struct pmct_ctx *ctx)
{
	lockdep_assert_irqs_disabled();

	if (!rcu_access_pointer(pmct_mmon))
		return;
	/* A session that nobody reads is that of the scheduler. */
	if (ctx && !ctx->session->rings.ring && !pmct_hooks->sched_mode(current))
		pmct_ctx_end(ctx, 0);
	else if (!ctx && pmct_hooks->sched_mode(current) && !(current->flags & PF_EXITING))
		pmct_sched_enter();
}

/* The monitoring module goes away, and with it its event sets. It is locked. */
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
	/* A tick may have taken one before, and find now that its session has ended. */
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

/* No hook runs any more. */
void pmct_sched_mode_exit(void)
{
	int cpu;

	pmct_sched_look_no_more();
	for_each_possible_cpu(cpu)
		flush_work(&per_cpu_ptr(&pmct_sched_cpu, cpu)->work);
}
