// SPDX-License-Identifier: GPL-2.0-only
/*
 * System-wide sessions: a context for each CPU, which counts whatever runs there, or the threads of
 * a cgroup. This context has the CPU's counters while no monitored thread needs them (struct
 * pmct_cpu::base). The time without counters shows in the records (hw_ns < run_ns).
 *
 * A CPU's part (struct pmct_syswide_cpu) belongs to that CPU, with interrupts disabled. The session
 * is set and cleared with CPU hotplug locked out, so that a CPU that comes or goes finds either the
 * whole session or none.
 */
#include <linux/capability.h>
#include <linux/cgroup.h>
#include <linux/cpu.h>
#include <linux/jiffies.h>
#include <linux/math64.h>

#include "../compat/hrtimer.h"
#include "ctx.h"
#include "handover.h"
#include "mmon_call.h"
#include "sample.h"
#include "syswide.h"
#include "tie.h"
#include "turn.h"

/* Without a tick, the reader is woken for samples by events at least this often. */
#define PMCT_SYSWIDE_WAKE_MS	100

/**
 * struct pmct_syswide_cpu - the system-wide session on a CPU
 * @own: the context of this CPU, if there is a session
 * @ctx: the same while the session is active on this CPU, else NULL
 * @target: the running thread has to be counted
 * @timer: ends the sampling period; idle CPUs have no tick
 */
struct pmct_syswide_cpu {
	struct pmct_ctx *own;
	struct pmct_ctx *ctx;
	bool target;
	struct hrtimer timer;
};

static DEFINE_PER_CPU(struct pmct_syswide_cpu, pmct_syswide_cpu);

/**
 * struct pmct_syswide - the one system-wide session
 * @session: the session; NULL: there is none
 * @cgroup: cgroup whose threads are counted; NULL: all threads
 * @period: period of the timer
 * @start: when the first period began, the same on all CPUs
 */
static struct pmct_syswide {
	struct pmct_session *session;
	struct cgroup *cgroup;
	ktime_t period;
	ktime_t start;
} pmct_syswide;

/* Protects the members above, together with the hotplug lock. */
static DEFINE_MUTEX(pmct_syswide_mutex);

#ifdef CONFIG_CGROUPS
static struct cgroup *pmct_cgroup_get(int fd)
{
	return cgroup_get_from_fd(fd);
}

static void pmct_cgroup_put(struct cgroup *cgroup)
{
	if (cgroup)
		cgroup_put(cgroup);
}

static bool pmct_syswide_wants(struct task_struct *task)
{
	bool wants;

	if (!pmct_syswide.cgroup)
		return true;
	rcu_read_lock_sched();
	wants = cgroup_is_descendant(task_dfl_cgroup(task), pmct_syswide.cgroup);
	rcu_read_unlock_sched();
	return wants;
}
#else
static struct cgroup *pmct_cgroup_get(int fd)
{
	return ERR_PTR(-EOPNOTSUPP);
}

static void pmct_cgroup_put(struct cgroup *cgroup)
{
}

static bool pmct_syswide_wants(struct task_struct *task)
{
	return true;
}
#endif

static enum hrtimer_restart pmct_syswide_timer(struct hrtimer *timer)
{
	struct pmct_syswide_cpu *sc = container_of(timer, struct pmct_syswide_cpu, timer);
	unsigned long flags;

	local_irq_save(flags);
	if (sc->ctx->session->period)
		pmct_count_close(sc->ctx, PMCTRACK_RECORD_TICK);
	else
		pmct_count_base_refresh(sc->ctx);
	pmct_sample_wake(sc->ctx->session);
	hrtimer_forward_now(timer, pmct_syswide.period);
	local_irq_restore(flags);
	return HRTIMER_RESTART;
}

static void pmct_syswide_set_target(struct pmct_syswide_cpu *sc, bool target)
{
	if (sc->target == target)
		return;
	sc->target = target;
	if (target)
		pmct_count_base_on(sc->ctx);
	else
		pmct_count_base_off(sc->ctx);
}

/* CPUs end their periods one after the other, so that they do not wait for the same memory. */
#define PMCT_SYSWIDE_STAGGER_NS	50000

/* Delay of this CPU's ends of periods after those of the first CPU, in ns. */
static u64 pmct_syswide_offset(void)
{
	u64 most = div_u64(ktime_to_ns(pmct_syswide.period), 2 * nr_cpu_ids);

	return smp_processor_id() * min_t(u64, most, PMCT_SYSWIDE_STAGGER_NS);
}

/* Start the session on this CPU. Interrupts disabled. */
static void pmct_syswide_enter(void *unused)
{
	struct pmct_syswide_cpu *sc = this_cpu_ptr(&pmct_syswide_cpu);
	ktime_t now = ktime_get();
	u64 periods;

	if (sc->ctx)
		return;
	sc->ctx = sc->own;
	sc->ctx->state = PMCT_CTX_COUNTING;
	/* The context may get the counters only later. */
	if (sc->ctx->head.core_type != this_cpu_ptr(&pmct_cpu)->core_type)
		pmct_ctx_use_core_type(sc->ctx, this_cpu_ptr(&pmct_cpu)->core_type);
	pmct_syswide_set_target(sc, pmct_syswide_wants(current));
	pmct_mmon_enter(sc->ctx, NULL);
	pmct_hrtimer_setup(&sc->timer, pmct_syswide_timer, CLOCK_MONOTONIC,
			   HRTIMER_MODE_ABS_PINNED_HARD);
	/* A CPU that comes online later keeps the phase of the others. */
	periods = ktime_divns(ktime_sub(now, pmct_syswide.start),
			      ktime_to_ns(pmct_syswide.period)) + 1;
	hrtimer_start(&sc->timer, ktime_add_ns(pmct_syswide.start,
					       periods * ktime_to_ns(pmct_syswide.period) +
					       pmct_syswide_offset()),
		      HRTIMER_MODE_ABS_PINNED_HARD);
}

/*
 * End the session on this CPU. @kind of the last record, PMCTRACK_RECORD_PAD: none. Interrupts
 * disabled.
 */
static void pmct_syswide_leave(enum pmctrack_record_kind kind)
{
	struct pmct_syswide_cpu *sc = this_cpu_ptr(&pmct_syswide_cpu);

	if (!sc->ctx)
		return;
	/* The timer is pinned here, and interrupts are disabled, so it is not running. */
	hrtimer_cancel(&sc->timer);
	pmct_syswide_set_target(sc, false);
	if (kind != PMCTRACK_RECORD_PAD)
		pmct_count_close(sc->ctx, kind);
	sc->ctx->state = PMCT_CTX_STOPPED;
	sc->ctx = NULL;
}

static void pmct_syswide_leave_detach(void *unused)
{
	pmct_syswide_leave(PMCTRACK_RECORD_DETACH);
}

static void pmct_syswide_leave_silently(void *unused)
{
	pmct_syswide_leave(PMCTRACK_RECORD_PAD);
}

/* Hotplug callbacks; called on the CPU, with interrupts disabled. */
void pmct_syswide_cpu_online(unsigned int cpu)
{
	if (pmct_syswide.session)
		pmct_syswide_enter(NULL);
}

void pmct_syswide_cpu_offline(unsigned int cpu)
{
	pmct_syswide_leave(PMCTRACK_RECORD_EXIT);
}

/* pmc_ops::pmcs_any_switch: check if the next thread is in the cgroup. */
void pmct_syswide_switch(struct task_struct *prev, struct task_struct *next, int cpu)
{
	struct pmct_syswide_cpu *sc = this_cpu_ptr(&pmct_syswide_cpu);

	if (sc->ctx)
		pmct_syswide_set_target(sc, pmct_syswide_wants(next));
}

static int pmct_syswide_set_cgroup(int fd, struct pmct_msg *msg)
{
	struct cgroup *cgroup = NULL;

	if (fd >= 0)
		cgroup = pmct_cgroup_get(fd);
	if (IS_ERR(cgroup))
		return pmct_refuse(msg, PTR_ERR(cgroup),
				   "not a directory of the cgroup2 file system");
	pmct_syswide.cgroup = cgroup;
	return 0;
}

static int pmct_syswide_add_ctxs(struct pmct_session *s)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		struct pmct_ctx *ctx = pmct_ctx_add_cpu(s, cpu);

		if (!ctx)
			return -ENOMEM;
		per_cpu_ptr(&pmct_syswide_cpu, cpu)->own = ctx;
	}
	return 0;
}

/**
 * pmct_syswide_start() - monitor all CPUs
 * @s: the session
 * @cgroup: descriptor of the cgroup whose threads are counted; negative: all threads
 * @msg: on failure, the reason
 *
 * Context: process context, sleeps.
 * Return: 0, -EACCES, -EBUSY if there is a system-wide session already, -EBADF, -ENOMEM. On failure
 * the session has to be destroyed.
 */
int pmct_syswide_start(struct pmct_session *s, int cgroup, struct pmct_msg *msg)
{
	int err;

	if (!s->privileged)
		return pmct_refuse(msg, -EACCES,
				   "system-wide monitoring needs CAP_PERFMON; run as root");
	mutex_lock(&pmct_syswide_mutex);
	if (pmct_syswide.session) {
		err = pmct_refuse(msg, -EBUSY,
				  "there is a system-wide session already; end that one first");
		goto out;
	}
	err = pmct_syswide_set_cgroup(cgroup, msg);
	if (err)
		goto out;
	err = pmct_syswide_add_ctxs(s);
	if (err) {
		pmct_cgroup_put(pmct_syswide.cgroup);
		pmct_syswide.cgroup = NULL;
		pmct_refuse(msg, err, "no memory for the contexts of CPUs");
		goto out;
	}
	pmct_syswide.period = s->period ? ns_to_ktime(jiffies64_to_nsecs(s->period)) :
					  ms_to_ktime(PMCT_SYSWIDE_WAKE_MS);
	pmct_syswide.start = ktime_get();
	if (pmct_syswide.cgroup)
		pmct_hooks->any_switch(true);
	cpus_read_lock();
	pmct_syswide.session = s;
	on_each_cpu(pmct_syswide_enter, NULL, true);
	cpus_read_unlock();
out:
	mutex_unlock(&pmct_syswide_mutex);
	return err;
}

/**
 * pmct_syswide_stop() - stop counting for a session on all CPUs
 * @s: the session; nothing happens if it is not the system-wide one
 * @last_records: write a last record for each CPU
 *
 * The contexts stay with the session.
 *
 * Context: process context, sleeps.
 */
void pmct_syswide_stop(struct pmct_session *s, bool last_records)
{
	mutex_lock(&pmct_syswide_mutex);
	if (pmct_syswide.session != s)
		goto out;
	cpus_read_lock();
	on_each_cpu(last_records ? pmct_syswide_leave_detach : pmct_syswide_leave_silently,
		    NULL, true);
	pmct_syswide.session = NULL;
	cpus_read_unlock();
	if (pmct_syswide.cgroup)
		pmct_hooks->any_switch(false);
	/* A switch may still be using the cgroup. */
	pmct_hooks->synchronize();
	pmct_cgroup_put(pmct_syswide.cgroup);
	pmct_syswide.cgroup = NULL;
out:
	mutex_unlock(&pmct_syswide_mutex);
}
