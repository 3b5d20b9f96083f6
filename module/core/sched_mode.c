// SPDX-License-Identifier: GPL-2.0-only
/*
 * Scheduler mode: threads that a scheduling class wants monitored are counted
 * with the event sets of the active monitoring module, in a session of the
 * kernel's own that nobody reads; and the metrics that schedulers get.
 *
 * The class sets a flag in the thread's descriptor, nothing else. The thread enters and
 * leaves the session at its own tick: no CPU interrupts another one, and nobody waits.
 * A tick cannot allocate memory, so each CPU has a context ready for the next thread
 * there (the spare), and work that makes another one.
 */
#include <linux/jiffies.h>
#include <linux/slab.h>
#include <linux/workqueue.h>

#include "ctx.h"
#include "mmon_call.h"
#include "refs.h"
#include "sched_mode.h"
#include "session.h"
#include "tie.h"

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
		pr_info_ratelimited("pmctrack: scheduler mode has to wait: %s\n", msg.text);
		return PTR_ERR(s);
	}
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

	for_each_possible_cpu(cpu)
		flush_work(&per_cpu_ptr(&pmct_sched_cpu, cpu)->work);
}
