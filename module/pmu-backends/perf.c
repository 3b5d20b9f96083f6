// SPDX-License-Identifier: GPL-2.0-only
/*
 * Counters through perf's events in the kernel, where perf's driver keeps the
 * hardware: no native backend, a hypervisor, or counters that others use, too.
 * Software events need no hardware at all.
 *
 * Each event is one of perf's for each CPU, which counts there for as long as
 * there is a set with it, and is shared by all of them; the core takes the
 * differences for threads, as it does with registers. If perf has not enough
 * counters for all events, it lets them take turns; a record then says for how
 * much of its time it was counted.
 *
 * Event codes: attr.type of perf in the upper half, attr.config in the lower.
 */
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

#include "../compat/perf_event.h"
#include "list.h"

#define PERF_NR_COUNTERS	8
#define PERF_CODE(_type, _config)	((u64)(_type) << 32 | (_config))
#define PERF_CODE_MAX		PERF_CODE(U16_MAX, U32_MAX)
#define PERF_CFG_OS		BIT_ULL(63)
#define PERF_CFG_USR		BIT_ULL(62)

/**
 * struct perf_counter - an event that counts on all CPUs, for all sets that have it
 * @node: in the list of all
 * @config: of the sets
 * @users: how many
 * @event: perf's, of each CPU; NULL: perf cannot count it there
 */
struct perf_counter {
	struct list_head node;
	u64 config;
	unsigned int users;
	struct perf_event * __percpu *event;
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

/*
 * Protects the list, and that each counter in it has its events on each CPU that
 * is online. Inside the locks of CPU hotplug: whoever holds it must not wait for
 * these.
 */
static DEFINE_MUTEX(perf_mutex);
static LIST_HEAD(perf_counters);

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

static struct perf_event *perf_create(u64 config, int cpu)
{
	struct perf_event_attr attr = {
		.size	= sizeof(attr),
		.type	= (config & PERF_CODE_MAX) >> 32,
		.config	= lower_32_bits(config),
	};

	/* Switches and clocks are of no mode; they would count nothing. */
	if (attr.type != PERF_TYPE_SOFTWARE || attr.config == PERF_COUNT_SW_PAGE_FAULTS) {
		attr.exclude_user = !(config & PERF_CFG_USR);
		attr.exclude_kernel = !(config & PERF_CFG_OS);
		attr.exclude_hv = attr.exclude_kernel;
	}
	return perf_event_create_kernel_counter(&attr, cpu, NULL, NULL, NULL);
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

/* The CPU gets its event, if it has none yet. */
static int perf_fill_cpu(struct perf_counter *c, int cpu)
{
	struct perf_event **event = per_cpu_ptr(c->event, cpu);
	struct perf_event *created;

	if (*event)
		return 0;
	created = perf_create(c->config, cpu);
	if (IS_ERR(created))
		return PTR_ERR(created);
	WRITE_ONCE(*event, created);
	return 0;
}

static void perf_empty_cpu(struct perf_counter *c, int cpu)
{
	struct perf_event **event = per_cpu_ptr(c->event, cpu);

	if (*event)
		perf_event_release_kernel(*event);
	*event = NULL;
}

static void perf_free(struct perf_counter *c)
{
	int cpu;

	for_each_possible_cpu(cpu)
		perf_empty_cpu(c, cpu);
	free_percpu(c->event);
	kfree(c);
}

/* Who may count what was decided by the core; these are the kernel's own events. */
static int perf_fill_cpus(struct perf_counter *c)
{
	struct cred *kernel = prepare_kernel_cred(&init_task);
	int cpu, ret, err = -ENODEV;
	const struct cred *caller;

	if (!kernel)
		return -ENOMEM;
	caller = override_creds(kernel);
	for_each_online_cpu(cpu) {
		ret = perf_fill_cpu(c, cpu);
		/* Some CPUs are enough: the records say where it did not count. */
		err = err ? ret : 0;
	}
	revert_creds(caller);
	put_cred(kernel);
	return err;
}

/* Without the mutex: perf's first event of a kind waits for CPU hotplug. */
static struct perf_counter *perf_alloc(u64 config)
{
	struct perf_counter *c = kzalloc(sizeof(*c), GFP_KERNEL);
	int err;

	if (!c)
		return ERR_PTR(-ENOMEM);
	c->config = config;
	c->users = 1;
	c->event = alloc_percpu(struct perf_event *);
	if (!c->event) {
		kfree(c);
		return ERR_PTR(-ENOMEM);
	}
	err = perf_fill_cpus(c);
	if (!err)
		return c;
	perf_free(c);
	return ERR_PTR(err);
}

static struct perf_counter *perf_find(u64 config)
{
	struct perf_counter *c;

	lockdep_assert_held(&perf_mutex);

	list_for_each_entry(c, &perf_counters, node) {
		if (c->config == config) {
			c->users++;
			return c;
		}
	}
	return NULL;
}

static struct perf_counter *perf_get(u64 config)
{
	struct perf_counter *c, *made;

	mutex_lock(&perf_mutex);
	c = perf_find(config);
	mutex_unlock(&perf_mutex);
	if (c)
		return c;
	made = perf_alloc(config);
	if (IS_ERR(made))
		return made;
	mutex_lock(&perf_mutex);
	c = perf_find(config);
	if (!c) {
		list_add(&made->node, &perf_counters);
		/* CPUs that came meanwhile. */
		perf_fill_cpus(made);
	}
	mutex_unlock(&perf_mutex);
	if (!c)
		return made;
	perf_free(made);
	return c;
}

static void perf_put(struct perf_counter *c)
{
	bool last;

	mutex_lock(&perf_mutex);
	last = !--c->users;
	if (last)
		list_del(&c->node);
	mutex_unlock(&perf_mutex);
	if (last)
		perf_free(c);
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
		c = perf_get(set->config[i]);
		if (IS_ERR(c)) {
			perf_unprepare(set);
			err = PTR_ERR(c);
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

/* perf forgot the events of the CPU when it went offline. */
static void perf_cpu_online(int cpu)
{
	struct perf_counter *c;

	mutex_lock(&perf_mutex);
	list_for_each_entry(c, &perf_counters, node) {
		perf_empty_cpu(c, cpu);
		if (perf_fill_cpu(c, cpu))
			pr_warn_ratelimited("pmctrack: perf cannot count event %#llx on CPU %d\n",
					    c->config & PERF_CODE_MAX, cpu);
	}
	mutex_unlock(&perf_mutex);
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
		struct perf_event *event = *this_cpu_ptr(ps->counter[i]->event);
		u64 running = 0;

		values[i] = 0;
		if (event) {
			if (READ_ONCE(event->oncpu) == smp_processor_id())
				event->pmu->read(event);
			values[i] = local64_read(&event->count);
			running = pmct_perf_running(event, now);
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
