// SPDX-License-Identifier: GPL-2.0-only
/*
 * Counters through perf's events in the kernel, where perf's driver keeps the
 * hardware: no native backend, a hypervisor, or counters that others use, too.
 * Software events need no hardware at all.
 *
 * Each event is one of perf's for each CPU, which counts there for as long as
 * there is a set with it, and is shared by all of them; the core takes the
 * differences for threads, as it does with registers. The events are pinned: if
 * there are not enough counters for all, perf's users take turns on the rest, and
 * a session that finds none is refused. A record says if its events were away.
 *
 * Event codes: attr.type of perf in the upper half, attr.config in the lower.
 */
#include <linux/capability.h>
#include <linux/cpu.h>
#include <linux/cred.h>
#include <linux/init_task.h>
#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/perf_event.h>
#include <linux/sched/clock.h>
#include <linux/slab.h>
#include <linux/workqueue.h>

#include "../compat/perf_event.h"
#include "list.h"

#define PERF_NR_COUNTERS	8
#define PERF_CODE(_type, _config)	((u64)(_type) << 32 | (_config))
#define PERF_CODE_MAX		PERF_CODE(U16_MAX, U32_MAX)
#define PERF_X86_ANY		BIT(21)	/* of raw events: the other thread of the core, too */
/* All of them are looked at whenever perf schedules events. */
#define PERF_MAX_UNPRIVILEGED	64
#define PERF_CFG_OS		BIT_ULL(63)
#define PERF_CFG_USR		BIT_ULL(62)

/**
 * struct perf_cpu_event - an event on a CPU
 * @event: perf's; NULL: perf cannot count it there
 * @base: what its predecessors counted, before the CPU was offline
 * @running_base: and for how long, in ns
 */
struct perf_cpu_event {
	struct perf_event *event;
	u64 base;
	u64 running_base;
};

/**
 * struct perf_counter - an event that counts on all CPUs, for all sets that have it
 * @node: in the list of all
 * @config: of the sets
 * @users: how many
 * @on: the event of each CPU
 */
struct perf_counter {
	struct list_head node;
	u64 config;
	unsigned int users;
	struct perf_cpu_event __percpu *on;
};

/**
 * struct perf_set - what an event set has of perf
 * @counter: its events
 * @here: on each CPU
 */
struct perf_set {
	struct perf_counter *counter[PERF_NR_COUNTERS];
	struct perf_here __percpu *here;
};

/**
 * struct perf_here - a set on a CPU
 * @running: of each event, ns that it counted, at the last read
 * @time: of the last read
 */
struct perf_here {
	u64 running[PERF_NR_COUNTERS];
	u64 time;
};

/**
 * struct perf_pool - the counters in use
 * @mutex: protects the others
 * @counters: all of them
 * @nr: their number
 */
struct perf_pool {
	struct mutex mutex;	/* see above */
	struct list_head counters;
	unsigned int nr;
};

/*
 * For its software events, and maybe for others, perf waits for CPU hotplug. The
 * hotplug callback must not wait for who does: it renews the hardware's and the
 * clocks itself, so that nothing on the CPU is missed, and leaves the rest to a
 * work item.
 */
static struct perf_pool perf_prompt = {
	.mutex		= __MUTEX_INITIALIZER(perf_prompt.mutex),
	.counters	= LIST_HEAD_INIT(perf_prompt.counters),
};

static struct perf_pool perf_later = {
	.mutex		= __MUTEX_INITIALIZER(perf_later.mutex),
	.counters	= LIST_HEAD_INIT(perf_later.counters),
};

/* CPUs that came online, for the work item. */
static struct cpumask perf_renewed;

static DEFINE_PER_CPU(u64, perf_missed);
static DECLARE_BITMAP(perf_events, PERF_COUNT_HW_MAX);
static struct pmct_core_type perf_type = {
	.model		= "perf",
	.counters	= GENMASK(PERF_NR_COUNTERS - 1, 0),
	.width		= 64,
	.events		= perf_events,
	.nr_events	= PERF_COUNT_HW_MAX,
};

static const char *const perf_keys[] = { NULL };

static struct perf_pool *perf_pool_of(u64 config)
{
	u64 code = config & PERF_CODE_MAX;

	switch (code >> 32) {
	case PERF_TYPE_HARDWARE:
	case PERF_TYPE_HW_CACHE:
	case PERF_TYPE_RAW:
		return &perf_prompt;
	case PERF_TYPE_SOFTWARE:
		if (code <= PERF_CODE(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK))
			return &perf_prompt;
		break;
	}
	return &perf_later;
}

/* Switches and clocks are of no mode; asked for one, they would count nothing. */
static bool perf_has_modes(u32 type, u64 config)
{
	if (type != PERF_TYPE_SOFTWARE)
		return true;
	switch (config) {
	case PERF_COUNT_SW_PAGE_FAULTS:
	case PERF_COUNT_SW_PAGE_FAULTS_MIN:
	case PERF_COUNT_SW_PAGE_FAULTS_MAJ:
	case PERF_COUNT_SW_ALIGNMENT_FAULTS:
	case PERF_COUNT_SW_EMULATION_FAULTS:
		return true;
	}
	return false;
}

static struct perf_event *perf_create(u64 config, int cpu)
{
	struct perf_event_attr attr = {
		.size	= sizeof(attr),
		.type	= (config & PERF_CODE_MAX) >> 32,
		.config	= lower_32_bits(config),
		/* Events that take turns would each need a time of their own. */
		.pinned	= 1,
	};
	struct perf_event *event;

	if (perf_has_modes(attr.type, attr.config)) {
		attr.exclude_user = !(config & PERF_CFG_USR);
		attr.exclude_kernel = !(config & PERF_CFG_OS);
		attr.exclude_hv = attr.exclude_kernel;
	}
	event = perf_event_create_kernel_counter(&attr, cpu, NULL, NULL, NULL);
	/* PMUs of a package know no thread, and count on one CPU for all. */
	if (!IS_ERR(event) &&
	    (event->cpu != cpu || event->pmu->task_ctx_nr == perf_invalid_context)) {
		perf_event_release_kernel(event);
		return ERR_PTR(-EOPNOTSUPP);
	}
	if (!IS_ERR(event) && READ_ONCE(event->state) == PERF_EVENT_STATE_ERROR) {
		perf_event_release_kernel(event);
		return ERR_PTR(-ENOSPC);
	}
	return event;
}

static int perf_probe(struct pmct_msg *msg)
{
	struct perf_event *event;
	unsigned int i;

	cpumask_copy(&perf_type.cpus, cpu_possible_mask);
	for (i = 0; i < PERF_COUNT_HW_MAX; i++) {
		event = perf_create(PERF_CODE(PERF_TYPE_HARDWARE, i) | PERF_CFG_USR,
				    cpumask_first(cpu_online_mask));
		if (IS_ERR(event))
			continue;
		perf_event_release_kernel(event);
		__set_bit(i, perf_events);
	}
	strscpy(perf_type.name, bitmap_empty(perf_events, PERF_COUNT_HW_MAX) ?
				"perf_software_events" : "perf", sizeof(perf_type.name));
	return 0;
}

static unsigned int perf_nr_core_types(void)
{
	return 1;
}

static const struct pmct_core_type *perf_core_type(unsigned int i)
{
	return &perf_type;
}

static unsigned int perf_cpu_core_type(int cpu)
{
	return 0;
}

static int perf_translate(const struct pmct_core_type *type, const struct pmct_event *event,
			  u64 *config, u64 *mask, struct pmct_msg *msg)
{
	if (!event->has_code)
		return pmct_refuse(msg, -EINVAL, "pmc%u needs an event code: pmc%u=0x...",
				   event->counter, event->counter);
	if (event->code > PERF_CODE_MAX)
		return pmct_refuse(msg, -EINVAL,
				   "pmc%u=%#llx: codes are perf's type in bits 47 to 32, and its config below",
				   event->counter, event->code);
	if (event->ebs)
		return pmct_refuse(msg, -EOPNOTSUPP,
				   "ebs%u: event-based sampling needs the counters themselves; the backend is perf here",
				   event->counter);
	*config = event->code | (event->usr ? PERF_CFG_USR : 0) | (event->os ? PERF_CFG_OS : 0);
	*mask = U64_MAX;
	return 0;
}

/* The CPU gets its event, a new one if that which it has is dead. */
static int perf_renew_cpu(struct perf_counter *c, int cpu)
{
	struct perf_cpu_event *on = per_cpu_ptr(c->on, cpu);
	struct perf_event *old = on->event;
	struct perf_event *event;

	lockdep_assert_held(&perf_pool_of(c->config)->mutex);

	if (old && old->state >= PERF_EVENT_STATE_INACTIVE)
		return 0;
	if (old) {
		/* Since its CPU was offline: its count does not change. */
		on->base += local64_read(&old->count);
		on->running_base += old->total_time_running;
		WRITE_ONCE(on->event, NULL);
		/* perf_read() may be using it. */
		synchronize_rcu();
		perf_event_release_kernel(old);
	}
	event = perf_create(c->config, cpu);
	if (IS_ERR(event))
		return PTR_ERR(event);
	WRITE_ONCE(on->event, event);
	return 0;
}

static void perf_renew_pool(struct perf_pool *pool, int cpu)
{
	struct perf_counter *c;

	mutex_lock(&pool->mutex);
	list_for_each_entry(c, &pool->counters, node) {
		if (perf_renew_cpu(c, cpu))
			pr_warn_ratelimited("pmctrack: perf cannot count event %#llx on CPU %d\n",
					    c->config & PERF_CODE_MAX, cpu);
	}
	mutex_unlock(&pool->mutex);
}

static void perf_renew_later(struct work_struct *work)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		if (cpumask_test_and_clear_cpu(cpu, &perf_renewed))
			perf_renew_pool(&perf_later, cpu);
	}
}

static DECLARE_WORK(perf_work, perf_renew_later);

static void perf_cpu_online(int cpu)
{
	perf_renew_pool(&perf_prompt, cpu);
	/* Until that is done, these are not counted here, and the records say so. */
	cpumask_set_cpu(cpu, &perf_renewed);
	schedule_work(&perf_work);
}

static void perf_exit(void)
{
	flush_work(&perf_work);
}

static void perf_free(struct perf_counter *c)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		if (per_cpu_ptr(c->on, cpu)->event)
			perf_event_release_kernel(per_cpu_ptr(c->on, cpu)->event);
	}
	free_percpu(c->on);
	kfree(c);
}

/* Who may count what was decided by then; these are the kernel's own events. */
static int perf_fill(struct perf_counter *c)
{
	struct cred *kernel = prepare_kernel_cred(&init_task);
	int cpu, ret, err = -ENODEV;
	const struct cred *caller;

	if (!kernel)
		return -ENOMEM;
	caller = override_creds(kernel);
	for_each_online_cpu(cpu) {
		ret = perf_renew_cpu(c, cpu);
		/* Some CPUs are enough: the records say where it did not count. */
		err = err ? ret : 0;
		if (ret == -ENOSPC) {
			err = ret;
			break;
		}
	}
	revert_creds(caller);
	put_cred(kernel);
	return err;
}

static struct perf_counter *perf_add(struct perf_pool *pool, u64 config)
{
	struct perf_counter *c;
	int err;

	lockdep_assert_held(&pool->mutex);

	if (pool->nr >= PERF_MAX_UNPRIVILEGED && !perfmon_capable())
		return ERR_PTR(-EUSERS);
	c = kzalloc(sizeof(*c), GFP_KERNEL_ACCOUNT);
	if (!c)
		return ERR_PTR(-ENOMEM);
	c->config = config;
	c->on = alloc_percpu_gfp(struct perf_cpu_event, GFP_KERNEL_ACCOUNT);
	if (!c->on) {
		kfree(c);
		return ERR_PTR(-ENOMEM);
	}
	err = perf_fill(c);
	if (err) {
		perf_free(c);
		return ERR_PTR(err);
	}
	list_add(&c->node, &pool->counters);
	pool->nr++;
	return c;
}

static struct perf_counter *perf_get(u64 config)
{
	struct perf_pool *pool = perf_pool_of(config);
	struct perf_counter *c;

	mutex_lock(&pool->mutex);
	list_for_each_entry(c, &pool->counters, node) {
		if (c->config == config)
			goto found;
	}
	c = perf_add(pool, config);
found:
	if (!IS_ERR(c))
		c->users++;
	mutex_unlock(&pool->mutex);
	return c;
}

static void perf_put(struct perf_counter *c)
{
	struct perf_pool *pool = perf_pool_of(c->config);
	bool last;

	mutex_lock(&pool->mutex);
	last = !--c->users;
	if (last) {
		list_del(&c->node);
		pool->nr--;
	}
	mutex_unlock(&pool->mutex);
	if (last)
		perf_free(c);
}

/* The rest may see other people's work, or slow them down. */
static bool perf_may_count(u64 config)
{
	switch ((config & PERF_CODE_MAX) >> 32) {
	case PERF_TYPE_HARDWARE:
	case PERF_TYPE_SOFTWARE:
	case PERF_TYPE_HW_CACHE:
		return true;
	case PERF_TYPE_RAW:
		if (!IS_ENABLED(CONFIG_X86) || !(config & PERF_X86_ANY))
			return true;
		break;
	}
	return perfmon_capable();
}

static void perf_unprepare(struct pmct_hwset *set)
{
	struct perf_set *ps = set->priv;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(ps->counter) && ps->counter[i]; i++)
		perf_put(ps->counter[i]);
	free_percpu(ps->here);
	kfree(ps);
	set->priv = NULL;
}

static int perf_prepare(struct pmct_hwset *set, struct pmct_msg *msg)
{
	struct perf_set *ps = kzalloc(sizeof(*ps), GFP_KERNEL);
	struct perf_counter *c;
	unsigned int i;
	int err;

	if (!ps)
		return -ENOMEM;
	set->priv = ps;
	ps->here = alloc_percpu(struct perf_here);
	if (!ps->here) {
		perf_unprepare(set);
		return -ENOMEM;
	}
	for (i = 0; i < set->nr; i++) {
		c = perf_may_count(set->config[i]) ? perf_get(set->config[i]) : ERR_PTR(-EACCES);
		if (IS_ERR(c)) {
			perf_unprepare(set);
			err = PTR_ERR(c);
			if (err == -EACCES)
				return pmct_refuse(msg, err,
						   "pmc%u: this event of perf needs CAP_PERFMON; run as root",
						   set->counter[i]);
			if (err == -ENOSPC)
				return pmct_refuse(msg, err,
						   "pmc%u: perf has no counter left beside the other events of all sets and sessions; count fewer",
						   set->counter[i]);
			if (err == -EUSERS)
				return pmct_refuse(msg, err,
						   "pmc%u: sessions count %u different events already; end some, or run as root",
						   set->counter[i], PERF_MAX_UNPRIVILEGED);
			if (err == -EBUSY)
				return pmct_refuse(msg, err,
						   "pmc%u: somebody owns the counters, and perf cannot use them; end that one first",
						   set->counter[i]);
			return pmct_refuse(msg, err,
					   "pmc%u: perf cannot count this event on this machine (error %d); see 'pmc-events -L'",
					   set->counter[i], err);
		}
		ps->counter[i] = c;
	}
	return 0;
}

/* The counters stay perf's. */
static int perf_claim(bool (*overflow)(void), struct pmct_msg *msg)
{
	return 0;
}

static void perf_release(void)
{
}

/* All sets count all the time. */
static void perf_program(const struct pmct_hwset *set)
{
}

/* What perf_event_read_local() does, which is not for modules. */
static u64 perf_read(const struct pmct_hwset *set, u64 *values)
{
	const struct perf_set *ps = set->priv;
	struct perf_here *here = this_cpu_ptr(ps->here);
	u64 now = local_clock();
	u64 least = U64_MAX;
	unsigned int i;

	for (i = 0; i < set->nr; i++) {
		struct perf_cpu_event *on = this_cpu_ptr(ps->counter[i]->on);
		struct perf_event *event = READ_ONCE(on->event);
		u64 running = on->running_base;

		values[i] = on->base;
		if (event) {
			if (READ_ONCE(event->oncpu) == smp_processor_id())
				event->pmu->read(event);
			values[i] += local64_read(&event->count);
			running += pmct_perf_running(event, now);
		}
		least = min(least, running - here->running[i]);
		here->running[i] = running;
	}
	__this_cpu_write(perf_missed, now - here->time > least ? now - here->time - least : 0);
	here->time = now;
	return 0;
}

static u64 perf_get_missed(void)
{
	return __this_cpu_read(perf_missed);
}

static void perf_write(unsigned int counter, u64 value)
{
}

static u64 perf_overflow_pending(void)
{
	return 0;
}

static void perf_overflow_clear(u64 counters)
{
}

const struct pmct_backend pmct_perf = {
	.name			= "perf",
	.keys			= perf_keys,
	.probe			= perf_probe,
	.nr_core_types		= perf_nr_core_types,
	.core_type		= perf_core_type,
	.cpu_core_type		= perf_cpu_core_type,
	.cpu_online		= perf_cpu_online,
	.exit			= perf_exit,
	.translate		= perf_translate,
	.prepare		= perf_prepare,
	.unprepare		= perf_unprepare,
	.claim			= perf_claim,
	.release		= perf_release,
	.program		= perf_program,
	.read			= perf_read,
	.missed			= perf_get_missed,
	.write			= perf_write,
	.overflow_pending	= perf_overflow_pending,
	.overflow_clear		= perf_overflow_clear,
};
