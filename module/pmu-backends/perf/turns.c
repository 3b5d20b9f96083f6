// SPDX-License-Identifier: GPL-2.0-only
/*
 * If there are more events than perf has counters, sets take turns on each CPU.
 *
 * The core says which set a CPU needs, but only process context may tell perf. So a work item of
 * that CPU disables events that the set does not have, and enables its events. Until then, nothing
 * counts for the set, and records say so.
 *
 * A CPU changes its set at most once a tick, whatever its threads do. Threads of several sets have
 * turns in proportion to how long they run.
 */
#include <linux/cpu.h>
#include <linux/irq_work.h>
#include <linux/jiffies.h>
#include <linux/lockdep.h>
#include <linux/percpu.h>
#include <linux/rcupdate.h>
#include <linux/workqueue.h>

#include "perf.h"

/**
 * struct perf_turn - the set whose turn it is on a CPU
 * @wanted: the set that the CPU needs; only a holder of the mutex may dereference it
 * @on: the set that counts; NULL: unknown
 * @since: jiffies of the last change
 * @begun: number of changes here that have begun
 * @done: number of changes here that are complete
 * @cpu: this CPU
 * @kick: queues @work from a switch, where nothing else is allowed
 * @work: makes the change
 */
struct perf_turn {
	const struct perf_set *wanted;
	const struct perf_set *on;
	unsigned long since;
	atomic_t begun;
	atomic_t done;
	int cpu;
	struct irq_work kick;
	struct delayed_work work;
};

static DEFINE_PER_CPU(struct perf_turn, perf_turn);

/* True if sets take turns. Changed with the mutex held. */
bool pmct_perf_crowded;

/* Number of events that had a counter when one more event had none. */
static unsigned int perf_room;

/**
 * pmct_perf_change_begin() - events of a CPU are about to be enabled or disabled
 * @cpu: the CPU
 *
 * From now until pmct_perf_change_end(), not all events of a set may count, see
 * pmct_perf_changes().
 */
void pmct_perf_change_begin(int cpu)
{
	atomic_inc(&per_cpu_ptr(&perf_turn, cpu)->begun);
	/* Before the first event is changed. */
	smp_mb__after_atomic();
}

/* The change that pmct_perf_change_begin() announced is complete. */
void pmct_perf_change_end(int cpu)
{
	smp_mb__before_atomic();	/* after the last event */
	atomic_inc(&per_cpu_ptr(&perf_turn, cpu)->done);
}

/**
 * pmct_perf_changes() - how often events of this CPU were enabled or disabled
 *
 * Call this before events are read, and pmct_perf_changing() afterwards.
 *
 * Context: hot, interrupts disabled.
 */
unsigned int pmct_perf_changes(void)
{
	unsigned int done = atomic_read(&this_cpu_ptr(&perf_turn)->done);

	smp_rmb();	/* pairs with the barriers of a change */
	return done;
}

/* Has another change begun since pmct_perf_changes() returned @done? Hot. */
bool pmct_perf_changing(unsigned int done)
{
	smp_rmb();	/* as above */
	return (unsigned int)atomic_read(&this_cpu_ptr(&perf_turn)->begun) != done;
}

static bool perf_set_has(const struct perf_set *set, const struct perf_counter *c)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(set->counter) && set->counter[i]; i++) {
		if (set->counter[i] == c)
			return true;
	}
	return false;
}

/* Returns the event of @c on @cpu; NULL if it takes no turns, or perf does not have it there. */
static struct perf_event *perf_turn_event(const struct perf_counter *c, int cpu)
{
	struct perf_event *event = per_cpu_ptr(c->on, cpu)->event;

	lockdep_assert_held(&pmct_perf_prompt.mutex);

	return c->takes_turns && event && event->attach_state & PERF_ATTACH_CONTEXT ? event : NULL;
}

/* Did the event get no counter? Since it was enabled, an older event may have taken it. */
static bool perf_turn_lost(const struct perf_counter *c, int cpu)
{
	struct perf_event *event = perf_turn_event(c, cpu);

	return event && READ_ONCE(event->state) == PERF_EVENT_STATE_ERROR;
}

/* Give @set its turn on @cpu. Returns its first event without a counter, or their number. */
static unsigned int perf_turn_to(const struct perf_set *set, int cpu)
{
	struct perf_turn *turn = per_cpu_ptr(&perf_turn, cpu);
	const struct perf_counter *c;
	struct perf_event *event;
	unsigned int i;

	pmct_perf_change_begin(cpu);
	list_for_each_entry(c, &pmct_perf_prompt.counters, node) {
		event = perf_turn_event(c, cpu);
		if (event && !perf_set_has(set, c))
			perf_event_disable(event);
	}
	list_for_each_entry(c, &pmct_perf_prompt.counters, node) {
		event = perf_turn_event(c, cpu);
		if (event && perf_set_has(set, c))
			perf_event_enable(event);
	}
	for (i = 0; i < ARRAY_SIZE(set->counter) && set->counter[i]; i++) {
		if (perf_turn_lost(set->counter[i], cpu))
			break;
	}
	WRITE_ONCE(turn->on, i < ARRAY_SIZE(set->counter) && set->counter[i] ? NULL : set);
	WRITE_ONCE(turn->since, jiffies);
	pmct_perf_change_end(cpu);
	return i;
}

/* Give the set that @cpu needs its turn now. */
static void perf_turn_again(int cpu)
{
	struct perf_turn *turn = per_cpu_ptr(&perf_turn, cpu);
	const struct perf_set *set = READ_ONCE(turn->wanted);
	unsigned long delay = 1;

	if (set && set != turn->on) {
		perf_turn_to(set, cpu);
		/* Another event has a counter that the set needs, maybe for a while. */
		if (set != turn->on)
			delay = max(HZ / 10, 1);
	}
	/* Either this code sees what is wanted now, or pmct_perf_want() sees what is on. */
	smp_mb();
	if (READ_ONCE(turn->wanted) != turn->on && READ_ONCE(turn->wanted) && cpu_online(cpu))
		queue_delayed_work_on(cpu, system_highpri_wq, &turn->work, delay);
}

static void perf_turn_work(struct work_struct *work)
{
	struct perf_turn *turn = container_of(to_delayed_work(work), struct perf_turn, work);

	mutex_lock(&pmct_perf_prompt.mutex);
	if (pmct_perf_crowded)
		perf_turn_again(turn->cpu);
	mutex_unlock(&pmct_perf_prompt.mutex);
}

static void perf_turn_kick(struct irq_work *kick)
{
	struct perf_turn *turn = container_of(kick, struct perf_turn, kick);

	queue_delayed_work_on(smp_processor_id(), system_highpri_wq, &turn->work,
			      !time_after(jiffies, READ_ONCE(turn->since)));
}

/**
 * pmct_perf_want() - this CPU needs a set
 * @set: perf's part of the set
 *
 * Context: hot, interrupts disabled.
 */
void pmct_perf_want(const struct perf_set *set)
{
	struct perf_turn *turn = this_cpu_ptr(&perf_turn);

	WRITE_ONCE(turn->wanted, set);
	if (likely(!READ_ONCE(pmct_perf_crowded)))
		return;
	smp_mb();	/* as in perf_turn_again() */
	if (READ_ONCE(turn->on) != set && !delayed_work_pending(&turn->work))
		irq_work_queue(&turn->kick);
}

/**
 * pmct_perf_forget() - forget a set that no CPU needs any more
 * @set: perf's part of the set
 *
 * Context: process context, may sleep.
 */
void pmct_perf_forget(const struct perf_set *set)
{
	int cpu;

	mutex_lock(&pmct_perf_prompt.mutex);
	for_each_possible_cpu(cpu) {
		struct perf_turn *turn = per_cpu_ptr(&perf_turn, cpu);

		cmpxchg(&turn->wanted, set, NULL);
		cmpxchg(&turn->on, set, NULL);
	}
	mutex_unlock(&pmct_perf_prompt.mutex);
}

/* It is not known what counts on @cpu, because its events are new. */
void pmct_perf_turn_reset(int cpu)
{
	lockdep_assert_held(&pmct_perf_prompt.mutex);

	WRITE_ONCE(per_cpu_ptr(&perf_turn, cpu)->on, NULL);
}

static unsigned int perf_nr_takers(void)
{
	const struct perf_counter *c;
	unsigned int nr = 0;

	lockdep_assert_held(&pmct_perf_prompt.mutex);

	list_for_each_entry(c, &pmct_perf_prompt.counters, node)
		nr += c->takes_turns;
	return nr;
}

static void perf_all_take_turns(void)
{
	int cpu;

	WRITE_ONCE(pmct_perf_crowded, true);
	/* From now on, pmct_perf_want() sees this on all CPUs. */
	synchronize_rcu();
	for_each_possible_cpu(cpu)
		pmct_perf_turn_reset(cpu);
	for_each_online_cpu(cpu)
		perf_turn_again(cpu);
}

/**
 * pmct_perf_crowd() - there are not enough counters for all events: sets take turns
 *
 * Context: process context, may sleep; the mutex is held.
 */
void pmct_perf_crowd(void)
{
	perf_room = perf_nr_takers();
	perf_all_take_turns();
}

static bool perf_all_count(int cpu)
{
	const struct perf_counter *c;
	struct perf_event *event;
	bool enough = true;

	pmct_perf_change_begin(cpu);
	list_for_each_entry(c, &pmct_perf_prompt.counters, node) {
		event = perf_turn_event(c, cpu);
		if (event)
			perf_event_enable(event);
	}
	list_for_each_entry(c, &pmct_perf_prompt.counters, node)
		enough &= !perf_turn_lost(c, cpu);
	pmct_perf_change_end(cpu);
	return enough;
}

/* This disturbs all sets, so it is not done whenever a session ends. */
static void perf_uncrowd(struct work_struct *work)
{
	bool enough = true;
	int cpu;

	mutex_lock(&pmct_perf_prompt.mutex);
	if (!pmct_perf_crowded || perf_nr_takers() > perf_room)
		goto out;
	for_each_online_cpu(cpu)
		enough &= perf_all_count(cpu);
	if (enough)
		WRITE_ONCE(pmct_perf_crowded, false);
	else
		perf_all_take_turns();
out:
	mutex_unlock(&pmct_perf_prompt.mutex);
}

static DECLARE_DELAYED_WORK(perf_uncrowd_work, perf_uncrowd);

/**
 * pmct_perf_uncrowd() - there is one set less: maybe the others need not take turns
 *
 * Context: process context, may sleep.
 */
void pmct_perf_uncrowd(void)
{
	mutex_lock(&pmct_perf_prompt.mutex);
	if (pmct_perf_crowded && !perf_nr_takers())
		WRITE_ONCE(pmct_perf_crowded, false);
	else if (pmct_perf_crowded)
		schedule_delayed_work(&perf_uncrowd_work, HZ);
	mutex_unlock(&pmct_perf_prompt.mutex);
}

/**
 * pmct_perf_fits() - can the events of a set count together?
 * @set: perf's part of the set
 * @index: on failure, the first event that has no counter
 *
 * This is tried on one CPU, whose set misses its turn. If CPUs differ, records say so.
 *
 * Context: process context, may sleep.
 * Return: 0 or -ENOSPC.
 */
int pmct_perf_fits(const struct perf_set *set, unsigned int *index)
{
	int cpu = raw_smp_processor_id();
	unsigned int nr;
	int err = 0;

	for (nr = 0; nr < ARRAY_SIZE(set->counter) && set->counter[nr]; nr++)
		;
	mutex_lock(&pmct_perf_prompt.mutex);
	if (pmct_perf_crowded) {
		*index = perf_turn_to(set, cpu);
		err = *index < nr ? -ENOSPC : 0;
		perf_turn_again(cpu);
	}
	mutex_unlock(&pmct_perf_prompt.mutex);
	return err;
}

void pmct_perf_turns_init(void)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		struct perf_turn *turn = per_cpu_ptr(&perf_turn, cpu);

		turn->cpu = cpu;
		init_irq_work(&turn->kick, perf_turn_kick);
		INIT_DELAYED_WORK(&turn->work, perf_turn_work);
	}
}

/* No CPU wants a set any more. */
void pmct_perf_turns_exit(void)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		struct perf_turn *turn = per_cpu_ptr(&perf_turn, cpu);

		irq_work_sync(&turn->kick);
		cancel_delayed_work_sync(&turn->work);
	}
	cancel_delayed_work_sync(&perf_uncrowd_work);
}
