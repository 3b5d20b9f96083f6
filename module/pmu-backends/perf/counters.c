// SPDX-License-Identifier: GPL-2.0-only
/* Events of perf: one on each CPU, for all sets that have it. */
#include <linux/cpu.h>
#include <linux/cred.h>
#include <linux/capability.h>
#include <linux/init_task.h>
#include <linux/lockdep.h>
#include <linux/percpu.h>
#include <linux/slab.h>

#include "perf.h"

struct perf_pool pmct_perf_prompt = {
	.mutex		= __MUTEX_INITIALIZER(pmct_perf_prompt.mutex),
	.counters	= LIST_HEAD_INIT(pmct_perf_prompt.counters),
};

struct perf_pool pmct_perf_later = {
	.mutex		= __MUTEX_INITIALIZER(pmct_perf_later.mutex),
	.counters	= LIST_HEAD_INIT(pmct_perf_later.counters),
};

static struct perf_pool *perf_pool_of(u64 config)
{
	u64 code = config & PERF_CODE_MAX;

	switch (code >> 32) {
	case PERF_TYPE_HARDWARE:
	case PERF_TYPE_HW_CACHE:
	case PERF_TYPE_RAW:
		return &pmct_perf_prompt;
	case PERF_TYPE_SOFTWARE:
		if (code <= PERF_CODE(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK))
			return &pmct_perf_prompt;
		break;
	}
	return &pmct_perf_later;
}

/* Context switches and clocks have no mode. If a mode were asked for, they would count nothing. */
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

/**
 * pmct_perf_create() - create an event that a CPU counts for all sets
 * @config: configuration in a set
 * @cpu: the CPU
 * @disabled: the event does not count until it is enabled
 *
 * Context: process context, may sleep.
 * Return: the event, or an error: -ENOSPC if there is no counter left for it, or an error of perf.
 */
struct perf_event *pmct_perf_create(u64 config, int cpu, bool disabled)
{
	struct perf_event_attr attr = {
		.size	= sizeof(attr),
		.type	= (config & PERF_CODE_MAX) >> 32,
		.config	= lower_32_bits(config),
		/* If perf let events take turns, each event would need a time of its own. */
		.pinned	= 1,
		.disabled = disabled,
	};
	struct perf_event *event;

	if (perf_has_modes(attr.type, attr.config)) {
		attr.exclude_user = !(config & PERF_CFG_USR);
		attr.exclude_kernel = !(config & PERF_CFG_OS);
		attr.exclude_hv = attr.exclude_kernel;
		/* Virtual machines whose own counters KVM gives to them would not start. */
		attr.exclude_guest = 1;
	}
	event = perf_event_create_kernel_counter(&attr, cpu, NULL, NULL, NULL);
	/* Some PMUs cannot leave anybody out. */
	if (PTR_ERR_OR_ZERO(event) == -EINVAL && attr.exclude_guest) {
		attr.exclude_guest = 0;
		event = perf_event_create_kernel_counter(&attr, cpu, NULL, NULL, NULL);
	}
	/* PMUs of a package do not know threads, and count on one CPU for all. */
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

/* Give the CPU its event. If the CPU has a dead event, create a new one. */
static int perf_renew_cpu(struct perf_counter *c, int cpu)
{
	struct perf_cpu_event *on = per_cpu_ptr(c->on, cpu);
	struct perf_event *old = on->event;
	struct perf_event *event;

	lockdep_assert_held(&perf_pool_of(c->config)->mutex);

	/* perf has taken the events away from CPUs that were offline. */
	if (old && old->attach_state & PERF_ATTACH_CONTEXT)
		return 0;
	if (old) {
		/* The count of @old does not change any more. */
		on->base += local64_read(&old->count);
		on->running_base += old->total_time_running;
		WRITE_ONCE(on->event, NULL);
		/* perf_read_event() may be using @old. */
		synchronize_rcu();
		perf_event_release_kernel(old);
	}
	event = pmct_perf_create(c->config, cpu,
				 pmct_perf_crowded && c->takes_turns);
	if (IS_ERR(event))
		return PTR_ERR(event);
	WRITE_ONCE(on->event, event);
	return 0;
}

/* Renew the events of a CPU that came online. The mutex must be free. */
void pmct_perf_renew_pool(struct perf_pool *pool, int cpu)
{
	struct perf_counter *c;

	mutex_lock(&pool->mutex);
	pmct_perf_change_begin(cpu);
	list_for_each_entry(c, &pool->counters, node) {
		if (perf_renew_cpu(c, cpu))
			pr_warn_ratelimited("pmctrack: perf cannot count event %#llx on CPU %d\n",
					    c->config & PERF_CODE_MAX, cpu);
	}
	if (pool == &pmct_perf_prompt)
		pmct_perf_turn_reset(cpu);
	pmct_perf_change_end(cpu);
	mutex_unlock(&pool->mutex);
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

/* These are the kernel's own events. Before, it was decided whether the user may count them. */
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
		/* Some CPUs are enough. Records say where the event did not count. */
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
	c->takes_turns = pool == &pmct_perf_prompt &&
			 (config & PERF_CODE_MAX) >> 32 != PERF_TYPE_SOFTWARE;
	c->on = alloc_percpu_gfp(struct perf_cpu_event, GFP_KERNEL_ACCOUNT);
	if (!c->on) {
		kfree(c);
		return ERR_PTR(-ENOMEM);
	}
	err = perf_fill(c);
	if (err == -ENOSPC && !pmct_perf_crowded && c->takes_turns) {
		pmct_perf_crowd();
		err = perf_fill(c);
	}
	if (err) {
		perf_free(c);
		return ERR_PTR(err);
	}
	list_add(&c->node, &pool->counters);
	pool->nr++;
	return c;
}

/**
 * pmct_perf_get() - get the counter of an event, for one more user
 * @config: configuration in a set
 *
 * Context: process context, may sleep.
 * Return: the counter, or an error: -ENOSPC, -EUSERS if an unprivileged user asks for one too many,
 * -ENOMEM, or an error of perf.
 */
struct perf_counter *pmct_perf_get(u64 config)
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

/* A user does not need the counter any more. */
void pmct_perf_put(struct perf_counter *c)
{
	struct perf_pool *pool = perf_pool_of(c->config);

	mutex_lock(&pool->mutex);
	if (!--c->users) {
		list_del(&c->node);
		pool->nr--;
		perf_free(c);
	}
	mutex_unlock(&pool->mutex);
}

