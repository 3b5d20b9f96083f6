// SPDX-License-Identifier: GPL-2.0-only
/*
 * Counters through perf's events in the kernel. Used where perf's driver keeps the hardware: if
 * there is no native backend, under a hypervisor, or if others use the counters, too. Software
 * events need no hardware at all.
 *
 * Each event is an event of perf on each CPU. It counts as long as there is a set with it, and all
 * these sets share it. The core computes differences for threads, as it does with registers. The
 * events are pinned, so perf does not let them take turns. If there are not enough counters for
 * all, sets take turns (turns.c). A record says for how long its events did not count.
 *
 * Event codes: attr.type of perf in the upper half, attr.config in the lower half.
 */
#include <linux/percpu.h>
#include <linux/sched/clock.h>
#include <linux/slab.h>
#include <linux/workqueue.h>

#include "../../compat/perf_event.h"
#include "../list.h"
#include "perf.h"
#ifdef CONFIG_X86
#include "../x86/others.h"
#include "../x86/x86.h"
#endif

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

static int perf_probe(struct pmct_msg *msg)
{
	struct perf_event *event;
	unsigned int i;

	cpumask_copy(&perf_type.cpus, cpu_possible_mask);
	for (i = 0; i < PERF_COUNT_HW_MAX; i++) {
		event = pmct_perf_create(PERF_CODE(PERF_TYPE_HARDWARE, i) | PERF_CFG_USR,
					 cpumask_first(cpu_online_mask), false);
		if (IS_ERR(event))
			continue;
		perf_event_release_kernel(event);
		__set_bit(i, perf_events);
	}
	strscpy(perf_type.name, bitmap_empty(perf_events, PERF_COUNT_HW_MAX) ?
				"perf_software_events" : "perf", sizeof(perf_type.name));
	pmct_perf_turns_init();
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
				   "%s%u: event-based sampling needs the counters themselves; the backend is perf here",
				   event->addresses ? "ip" : "ebs", event->counter);
	*config = event->code | (event->usr ? PERF_CFG_USR : 0) | (event->os ? PERF_CFG_OS : 0);
	*mask = U64_MAX;
	return 0;
}

static void perf_renew_later(struct work_struct *work)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		if (cpumask_test_and_clear_cpu(cpu, &perf_renewed))
			pmct_perf_renew_pool(&pmct_perf_later, cpu);
	}
}

static DECLARE_WORK(perf_work, perf_renew_later);

static void perf_cpu_online(int cpu)
{
	pmct_perf_renew_pool(&pmct_perf_prompt, cpu);
	/* Until the work is done, the other events are not counted here, and records say so. */
	cpumask_set_cpu(cpu, &perf_renewed);
	schedule_work(&perf_work);
}

static void perf_exit(void)
{
	flush_work(&perf_work);
	pmct_perf_turns_exit();
}

/* Raw events. On x86, their format is that of the event select registers. */
static const char *perf_raw_sees_others(u64 config)
{
#ifdef CONFIG_X86
	return x86_sees_others(config & 0xff, config >> 8 & 0xff, config & X86_SEL_ANY);
#else
	return NULL;
#endif
}

/* All other events may see other people's work, or slow others down. */
static const char *perf_sees_others(const struct pmct_core_type *type,
				    const struct pmct_event *event)
{
	switch (event->code >> 32) {
	case PERF_TYPE_HARDWARE:
	case PERF_TYPE_SOFTWARE:
		return NULL;
	case PERF_TYPE_HW_CACHE:
		/* On AMD before family 15h, these are events of the northbridge. */
		return (event->code & 0xff) == PERF_COUNT_HW_CACHE_NODE ?
		       perf_raw_sees_others(0xb8e9) : NULL;
	case PERF_TYPE_RAW:
		return perf_raw_sees_others(event->code);
	}
	return "other programs or CPUs";
}

static void perf_unprepare(struct pmct_hwset *set)
{
	struct perf_set *ps = set->priv;
	unsigned int i;

	pmct_perf_forget(ps);
	for (i = 0; i < ARRAY_SIZE(ps->counter) && ps->counter[i]; i++)
		pmct_perf_put(ps->counter[i]);
	pmct_perf_uncrowd();
	free_percpu(ps->here);
	kfree(ps);
	set->priv = NULL;
}

static int perf_refuse(const struct pmct_hwset *set, unsigned int i, int err,
		       struct pmct_msg *msg)
{
	switch (err) {
	case -ENOSPC:
		return pmct_refuse(msg, err,
				   "pmc%u: perf has no counter left beside the other events of this set; put it into another set",
				   set->counter[i]);
	case -EUSERS:
		return pmct_refuse(msg, err,
				   "pmc%u: sessions count %u different events already; end some, or run as root",
				   set->counter[i], PERF_MAX_UNPRIVILEGED);
	case -EBUSY:
		return pmct_refuse(msg, err,
				   "pmc%u: somebody owns the counters, and perf cannot use them; end that one first",
				   set->counter[i]);
	}
	return pmct_refuse(msg, err,
			   "pmc%u: perf cannot count this event on this machine (error %d); see 'pmc-events -L'",
			   set->counter[i], err);
}

static int perf_prepare(struct pmct_hwset *set, struct pmct_msg *msg)
{
	struct perf_set *ps = kzalloc(sizeof(*ps), GFP_KERNEL_ACCOUNT);
	struct perf_counter *c;
	unsigned int i;
	int err;

	if (!ps)
		return -ENOMEM;
	set->priv = ps;
	ps->here = alloc_percpu_gfp(struct perf_here, GFP_KERNEL_ACCOUNT);
	if (!ps->here) {
		perf_unprepare(set);
		return -ENOMEM;
	}
	for (i = 0; i < set->nr; i++) {
		c = pmct_perf_get(set->config[i]);
		if (IS_ERR(c)) {
			err = PTR_ERR(c);
			goto refuse;
		}
		ps->counter[i] = c;
	}
	err = pmct_perf_fits(ps, &i);
	if (!err)
		return 0;
refuse:
	perf_unprepare(set);
	return perf_refuse(set, i, err, msg);
}

/* The counters stay perf's. */
static int perf_claim(bool (*overflow)(void), struct pmct_msg *msg)
{
	return 0;
}

static void perf_release(void)
{
}

/* As long as there are counters for all events, all sets count all the time. */
static void perf_program(const struct pmct_hwset *set)
{
	pmct_perf_want(set->priv);
}

/*
 * Does what perf_event_read_local() does, which modules may not call. The counters run meanwhile,
 * so each read must take as many instructions as the reads before. Otherwise the events of a set
 * would differ. So nothing here depends on the caller, as checks of smp_processor_id() do in debug
 * kernels.
 */
static void perf_read_event(const struct perf_counter *c, int cpu, u64 now, u64 *count,
			    u64 *running)
{
	const struct perf_cpu_event *on = per_cpu_ptr(c->on, cpu);
	struct perf_event *event = READ_ONCE(on->event);

	*count = on->base;
	*running = on->running_base;
	if (!event)
		return;
	if (READ_ONCE(event->oncpu) == cpu)
		event->pmu->read(event);
	*count += local64_read(&event->count);
	*running += pmct_perf_running(event, now);
}

/*
 * The time of a record is the time in which all its events counted. While this set waits for its
 * turn, an event may count for another set. These counts are left out.
 */
static u64 perf_read(const struct pmct_hwset *set, u64 *values)
{
	const struct perf_set *ps = set->priv;
	struct perf_here *here = this_cpu_ptr(ps->here);
	u64 counted[PERF_NR_COUNTERS];
	unsigned int changes = pmct_perf_changes();
	int cpu = smp_processor_id();
	u64 now = local_clock();
	u64 least = U64_MAX;
	unsigned int i;

	for (i = 0; i < set->nr; i++) {
		u64 count, running;

		perf_read_event(ps->counter[i], cpu, now, &count, &running);
		counted[i] = count - here->count[i];
		least = min(least, running - here->running[i]);
		here->count[i] = count;
		here->running[i] = running;
	}
	if (pmct_perf_changing(changes) || changes != here->changes)
		least = 0;
	here->changes = changes;
	for (i = 0; i < set->nr; i++) {
		if (least)
			here->value[i] += counted[i];
		values[i] = here->value[i];
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
	.events			= &pmct_events_perf,
	.probe			= perf_probe,
	.nr_core_types		= perf_nr_core_types,
	.core_type		= perf_core_type,
	.cpu_core_type		= perf_cpu_core_type,
	.cpu_online		= perf_cpu_online,
	.exit			= perf_exit,
	.translate		= perf_translate,
	.sees_others		= perf_sees_others,
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
