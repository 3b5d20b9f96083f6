// SPDX-License-Identifier: GPL-2.0-only
/*
 * Cache occupancy and memory bandwidth of applications. An application is a process. It gets an
 * RMID when its first thread runs for which a user wants this. CPUs are told the RMID in switches.
 * When an RMID is given back, its lines stay in the cache for a while. It is given to another
 * application when they are gone.
 */
#include <linux/cpu.h>
#include <linux/jiffies.h>
#include <linux/lockdep.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/seq_file.h>
#include <linux/smp.h>
#include <linux/spinlock.h>
#include <linux/timekeeping.h>
#include <linux/workqueue.h>

#include "../mmon/mmon-common.h"
#include "asleep.h"
#include "cache.h"
#include "list.h"

#define MOST_BYTES_PER_S	8000000000000ULL
/*
 * The fastest memory behind a cache, 1 TB/s, fills the smallest sums, of 2^24 units of some tens of
 * KiB, in more than a second. So no sum wraps twice in MOST_NS.
 */
#define BYTES_PER_NS		1000
#define MOST_NS			(2 * NSEC_PER_SEC)

/* Period of looking for other users of the hardware, and for RMIDs whose lines are gone. */
#define LOOK_MS		100
/* RMIDs that are looked at in a row, a few us each. */
#define MOST_AT_ONCE	32U

/**
 * struct pmct_cache_cpu - a CPU
 * @rmid: the RMID that the CPU was told last
 * @known: @domain is known
 * @domain: number of its domain
 */
struct pmct_cache_cpu {
	u16 rmid;
	bool known;
	int domain;
};

static DEFINE_PER_CPU(struct pmct_cache_cpu, pmct_cache_cpu);

static const struct pmct_cache_monitor *pmct_cache;
/* Taken in the first switch of a thread, at its samples while it has no RMID, and at its end. */
static DEFINE_RAW_SPINLOCK(pmct_rmids_lock);
static struct pmct_rmids pmct_rmids;
/* True if the hardware has another user. It is not touched any more then. */
static bool pmct_cache_lost;
static const char *pmct_cache_user;

static void pmct_cache_look(struct work_struct *work);
static DECLARE_DELAYED_WORK(pmct_cache_work, pmct_cache_look);

/* Is this event counted? Any context, while pmct_cache_start() has succeeded. */
bool pmct_cache_has(enum pmct_cache_event event)
{
	return pmct_cache->has(event);
}
EXPORT_SYMBOL_GPL(pmct_cache_has);

/* Tell this CPU the RMID of what runs on it. Hot. */
static void pmct_cache_tell(unsigned int rmid)
{
	struct pmct_cache_cpu *cpu = this_cpu_ptr(&pmct_cache_cpu);

	lockdep_assert_irqs_disabled();

	if (cpu->rmid == rmid || READ_ONCE(pmct_cache_lost))
		return;
	cpu->rmid = rmid;
	pmct_cache->assign(rmid);
}

/* Hot. */
static int pmct_cache_domain(void)
{
	struct pmct_cache_cpu *cpu = this_cpu_ptr(&pmct_cache_cpu);

	if (!cpu->known) {
		cpu->domain = pmct_cache->domain();
		cpu->known = true;
	}
	return cpu->domain;
}

/*
 * Get the RMID of the thread's process. The thread must be running, because a new process has its
 * parent's number before. Hot. The lock is taken once for each thread, and again at samples without
 * an RMID.
 */
static void pmct_cache_ask(const struct pmct_ctx *ctx, struct pmct_cache_thread *t)
{
	unsigned long flags;

	t->asked = true;
	if (!pmct_mmon_is_asked(ctx))
		return;
	raw_spin_lock_irqsave(&pmct_rmids_lock, flags);
	t->rmid = pmct_rmids_get(&pmct_rmids, pmct_mmon_task(ctx)->tgid);
	raw_spin_unlock_irqrestore(&pmct_rmids_lock, flags);
}

/**
 * pmct_cache_on_switch_in() - a thread enters this CPU
 * @ctx: the thread
 * @t: data of the thread
 *
 * Context: hot.
 */
void pmct_cache_on_switch_in(const struct pmct_ctx *ctx, struct pmct_cache_thread *t)
{
	if (unlikely(!t->asked))
		pmct_cache_ask(ctx, t);
	pmct_cache_tell(t->rmid);
}
EXPORT_SYMBOL_GPL(pmct_cache_on_switch_in);

/* A thread leaves this CPU. The next one may have no RMID. Hot. */
void pmct_cache_on_switch_out(void)
{
	pmct_cache_tell(0);
}
EXPORT_SYMBOL_GPL(pmct_cache_on_switch_out);

/**
 * pmct_cache_on_enter() - the module meets a thread
 * @ctx: the thread; a CPU has no RMID
 * @t: data of the thread, all zero
 *
 * Context: hot.
 */
void pmct_cache_on_enter(const struct pmct_ctx *ctx, struct pmct_cache_thread *t)
{
	if (pmct_mmon_task(ctx) == current)
		pmct_cache_on_switch_in(ctx, t);
}
EXPORT_SYMBOL_GPL(pmct_cache_on_enter);

/**
 * pmct_cache_on_exit() - the module leaves a thread
 * @ctx: the thread
 * @t: data of the thread
 *
 * Context: hot. If the thread runs on another CPU, pmct_cache_look() tells that CPU.
 */
void pmct_cache_on_exit(struct pmct_ctx *ctx, struct pmct_cache_thread *t)
{
	bool here = pmct_mmon_task(ctx) == current;
	unsigned long flags;

	if (here)
		pmct_cache_tell(0);
	raw_spin_lock_irqsave(&pmct_rmids_lock, flags);
	pmct_rmids_put(&pmct_rmids, t->rmid, !here);
	raw_spin_unlock_irqrestore(&pmct_rmids_lock, flags);
	t->rmid = 0;
}
EXPORT_SYMBOL_GPL(pmct_cache_on_exit);

/* Bytes between two readings of a sum. Returns false if they are not known. */
static bool pmct_cache_moved(u64 before, u64 now, u64 ns, u64 *bytes)
{
	u64 rate;

	*bytes = now >= before ? now - before : now + pmct_cache->modulus() - before;
	/* Faster than any memory: the sum began anew, because it was not counted for a while. */
	return pmct_ratio(*bytes, ns, NSEC_PER_SEC, &rate) && rate < MOST_BYTES_PER_S;
}

/* Add what was moved since the last reading. If this is not known, the interval has no bytes. */
static void pmct_cache_read_sums(struct pmct_cache_thread *t)
{
	u64 now = ktime_get_mono_fast_ns(), asleep = pmct_asleep_ns();
	int domain = pmct_cache_domain();
	u64 ns = t->when && now > t->when ? now - t->when : 0;
	/* Sums that could wrap twice mean nothing, nor do those of a machine that has slept. */
	bool known = ns && t->domain == domain && !pmct_has_slept(t->asleep, asleep) &&
		     (ns <= MOST_NS || ns < pmct_cache->modulus() / BYTES_PER_NS);
	unsigned int event;
	u64 sum, bytes;

	t->domain = domain;
	t->when = now;
	t->asleep = asleep;
	for (event = PMCT_CACHE_TOTAL; event < PMCT_NR_CACHE_EVENTS; event++) {
		if (!pmct_cache->has(event))
			continue;
		if (pmct_cache->read(t->rmid, event, &sum)) {
			t->when = 0;
			known = false;
			continue;
		}
		known = known && pmct_cache_moved(t->sum[event], sum, ns, &bytes);
		t->sum[event] = sum;
		t->moved[event] += known ? bytes : 0;
	}
	if (!known)
		t->since = 0;
}

static bool pmct_cache_is_read(const struct pmct_ctx *ctx, const struct pmct_cache_thread *t)
{
	return t->rmid && pmct_mmon_task(ctx) == current && !READ_ONCE(pmct_cache_lost);
}

/**
 * pmct_cache_on_tick() - read the sums of a thread in long intervals, before they can wrap twice
 * @ctx: the thread
 * @t: data of the thread
 *
 * Context: hot.
 */
void pmct_cache_on_tick(const struct pmct_ctx *ctx, struct pmct_cache_thread *t)
{
	if (t->when && pmct_cache_is_read(ctx, t) &&
	    ktime_get_mono_fast_ns() - t->when > MOST_NS / 4)
		pmct_cache_read_sums(t);
}
EXPORT_SYMBOL_GPL(pmct_cache_on_tick);

/**
 * pmct_cache_sample() - find the values of a thread's application since its last sample
 * @ctx: the thread
 * @t: data of the thread
 * @interval: the result; a value is missing if it was not read, or not twice in one domain
 *
 * Context: monitoring_module::on_new_sample.
 */
void pmct_cache_sample(struct pmct_ctx *ctx, struct pmct_cache_thread *t,
		       struct pmct_cache_interval *interval)
{
	unsigned int event;

	interval->mask = 0;
	/* Ask again at the next switch, because there may be an RMID by then. */
	if (!t->rmid && pmct_mmon_task(ctx) == current)
		t->asked = false;
	if (!pmct_cache_is_read(ctx, t))
		return;
	pmct_cache_read_sums(t);
	for (event = PMCT_CACHE_TOTAL; event < PMCT_NR_CACHE_EVENTS; event++) {
		if (t->since && pmct_cache->has(event) &&
		    pmct_ratio(t->moved[event], t->when - t->since, NSEC_PER_SEC,
			       &interval->value[event]))
			interval->mask |= BIT(event);
		t->moved[event] = 0;
	}
	t->since = t->when;
	if (pmct_cache->has(PMCT_CACHE_OCCUPANCY) &&
	    !pmct_cache->read(t->rmid, PMCT_CACHE_OCCUPANCY,
			      &interval->value[PMCT_CACHE_OCCUPANCY]))
		interval->mask |= BIT(PMCT_CACHE_OCCUPANCY);
}
EXPORT_SYMBOL_GPL(pmct_cache_sample);

/*
 * In the background
 */

static bool pmct_cache_is_used(unsigned int rmid)
{
	return !rmid || READ_ONCE(pmct_rmids.app[rmid].threads);
}

static void pmct_cache_remind_cpu(void *unused)
{
	/* Another thread may run here by now. */
	if (!pmct_cache_is_used(__this_cpu_read(pmct_cache_cpu.rmid)))
		pmct_cache_tell(0);
}

/* Reset CPUs that run a thread which is not monitored any more, and were not told so. */
static void pmct_cache_remind(void)
{
	unsigned int rmid;
	int cpu;

	for_each_online_cpu(cpu) {
		rmid = READ_ONCE(per_cpu_ptr(&pmct_cache_cpu, cpu)->rmid);
		if (!pmct_cache_is_used(rmid))
			smp_call_function_single(cpu, pmct_cache_remind_cpu, NULL, true);
	}
}

/**
 * struct pmct_cache_lines - RMIDs that were given back, and the lines that they still have
 * @nr: number of RMIDs
 * @rmid: the RMIDs
 * @bytes: the most bytes that each RMID has in a domain
 * @seen: domains below 64 that were looked at
 */
struct pmct_cache_lines {
	unsigned int nr;
	u16 rmid[MOST_AT_ONCE];
	u64 bytes[MOST_AT_ONCE];
	u64 seen;
};

/* Runs on one CPU at a time. */
static void pmct_cache_look_here(void *arg)
{
	struct pmct_cache_lines *lines = arg;
	unsigned int i;
	u64 bytes;

	pmct_cache_domain();
	for (i = 0; i < lines->nr; i++) {
		if (pmct_cache->read(lines->rmid[i], PMCT_CACHE_OCCUPANCY, &bytes))
			bytes = U64_MAX;
		lines->bytes[i] = max(lines->bytes[i], bytes);
	}
}

/* Find how many lines there still are, in all domains. */
static void pmct_cache_look_everywhere(struct pmct_cache_lines *lines)
{
	const struct pmct_cache_cpu *c;
	int cpu;

	for_each_online_cpu(cpu) {
		c = per_cpu_ptr(&pmct_cache_cpu, cpu);
		if (c->known && c->domain < 64 && (lines->seen & BIT_ULL(c->domain)))
			continue;
		smp_call_function_single(cpu, pmct_cache_look_here, lines, true);
		if (c->known && c->domain < 64)
			lines->seen |= BIT_ULL(c->domain);
	}
}

/*
 * Take back RMIDs from CPUs, and free RMIDs whose lines are gone in all domains: only so many at
 * once that no CPU is delayed, and only those that had been given back before.
 */
static void pmct_cache_recycle(void)
{
	struct pmct_cache_lines lines = {};
	unsigned int i;

	raw_spin_lock_irq(&pmct_rmids_lock);
	lines.nr = min(pmct_rmids.nr_stale, MOST_AT_ONCE);
	memcpy(lines.rmid, pmct_rmids.stale, lines.nr * sizeof(*lines.rmid));
	raw_spin_unlock_irq(&pmct_rmids_lock);
	pmct_cache_remind();
	if (lines.nr && pmct_rmids.waits)
		pmct_cache_look_everywhere(&lines);
	raw_spin_lock_irq(&pmct_rmids_lock);
	for (i = 0; i < lines.nr; i++) {
		if (lines.bytes[i] <= pmct_cache->stale_bytes())
			pmct_rmids_clean(&pmct_rmids, lines.rmid[i]);
		else
			pmct_rmids_requeue(&pmct_rmids, lines.rmid[i]);
	}
	raw_spin_unlock_irq(&pmct_rmids_lock);
}

static void pmct_cache_withdraw(void *unused)
{
	struct pmct_cache_cpu *cpu = this_cpu_ptr(&pmct_cache_cpu);

	if (cpu->rmid)
		pmct_cache->withdraw(cpu->rmid);
	cpu->rmid = 0;
}

static void pmct_cache_look(struct work_struct *work)
{
	if (pmct_cache->others && pmct_cache->others()) {
		WRITE_ONCE(pmct_cache_lost, true);
		/* After this, no hook writes to the hardware. */
		on_each_cpu(pmct_cache_withdraw, NULL, true);
		pr_warn("pmctrack: %s: somebody else uses the cache monitor now (resctrl is mounted): there are no values any more; umount it, and write 'none' and then '%s' to /proc/pmc/mmon_manager\n",
			pmct_cache_user, pmct_cache_user);
		return;
	}
	pmct_cache_recycle();
	queue_delayed_work(system_unbound_wq, &pmct_cache_work, msecs_to_jiffies(LOOK_MS));
}

static const struct pmct_cache_monitor *pmct_cache_find(struct pmct_msg *msg)
{
	const struct pmct_cache_monitor *monitor = pmct_mmon_cache_monitor();

	if (monitor)
		return monitor;
#ifdef CONFIG_X86
	return &pmct_cache_monitor_x86;
#else
	pmct_refuse(msg, -ENODEV, "there is no cache monitor that it knows on this architecture");
	return NULL;
#endif
}

static int pmct_cache_try(struct pmct_msg *msg)
{
	int err;

	pmct_cache = pmct_cache_find(msg);
	if (!pmct_cache)
		return -ENODEV;
	err = pmct_cache->probe(msg);
	if (!err && (pmct_cache->nr_rmids() < 2 || !pmct_cache->has(PMCT_CACHE_OCCUPANCY)))
		err = pmct_refuse(msg, -ENODEV, "%s does not monitor occupancy", pmct_cache->name);
	return err;
}

static void pmct_cache_clear(void *unused)
{
	pmct_cache->assign(0);
}

/**
 * pmct_cache_start() - find the machine's cache monitor
 * @user: name of the monitoring module that needs it
 * @policy: which of the free RMIDs an application gets
 * @waits: RMIDs are free again only when their lines are gone
 *
 * Context: monitoring_module::enable.
 * Return: 0. -ENODEV: there is no monitor. -EBUSY: it has another user. The kernel log says why.
 */
int pmct_cache_start(const char *user, enum pmct_rmid_policy policy, bool waits)
{
	struct pmct_msg msg = {};
	int cpu, err = pmct_cache_try(&msg);

	if (err) {
		pr_err("pmctrack: monitoring module %s: %s\n", user, msg.text);
		return err;
	}
	pmct_cache_user = user;
	pmct_cache_lost = false;
	for_each_possible_cpu(cpu)
		memset(per_cpu_ptr(&pmct_cache_cpu, cpu), 0, sizeof(struct pmct_cache_cpu));
	pmct_rmids_init(&pmct_rmids, pmct_cache->nr_rmids(), policy, waits);
	/* CPUs may still have an old RMID. */
	on_each_cpu(pmct_cache_clear, NULL, true);
	queue_delayed_work(system_unbound_wq, &pmct_cache_work, msecs_to_jiffies(LOOK_MS));
	return 0;
}
EXPORT_SYMBOL_GPL(pmct_cache_start);

static void pmct_cache_leave(void *unused)
{
	pmct_cache_tell(0);
}

/**
 * pmct_cache_stop() - take the RMIDs from all CPUs
 *
 * Context: monitoring_module::disable.
 */
void pmct_cache_stop(void)
{
	cancel_delayed_work_sync(&pmct_cache_work);
	on_each_cpu(pmct_cache_leave, NULL, true);
}
EXPORT_SYMBOL_GPL(pmct_cache_stop);

/**
 * pmct_cache_show() - print a line for each RMID of an application, and one for the others
 * @m: where to print
 *
 * Context: monitoring_module::show_state.
 */
void pmct_cache_show(struct seq_file *m)
{
	struct pmct_rmid_app app;
	unsigned int rmid;

	for (rmid = 1; rmid < pmct_rmids.nr; rmid++) {
		raw_spin_lock_irq(&pmct_rmids_lock);
		app = pmct_rmids.app[rmid];
		raw_spin_unlock_irq(&pmct_rmids_lock);
		if (app.threads)
			seq_printf(m, "rmid=%u tgid=%d threads=%u\n", rmid, app.tgid, app.threads);
	}
	seq_printf(m, "monitor=%s rmids=%u free=%u stale=%u refused=%llu%s\n", pmct_cache->name,
		   pmct_rmids.nr - 1, READ_ONCE(pmct_rmids.nr_free), READ_ONCE(pmct_rmids.nr_stale),
		   READ_ONCE(pmct_rmids.refused), READ_ONCE(pmct_cache_lost) ? " lost" : "");
}
EXPORT_SYMBOL_GPL(pmct_cache_show);
