// SPDX-License-Identifier: GPL-2.0-only
/*
 * More events than perf has counters: sets take turns on each CPU.
 *
 * The core says which set a CPU needs; only process context may tell perf. So a
 * work item of that CPU turns off what the set has not, and turns on what it has.
 * Until then, nothing counts for it, and the records say so.
 *
 * A CPU changes its set once a tick at most, whatever its threads do; threads of
 * several sets have their turns in proportion to how long they run.
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
 * struct perf_turn - whose turn it is on a CPU
 * @wanted: the set that it needs; only a holder of the mutex may look into it
 * @on: the set that counts, NULL: unknown
 * @since: jiffies of the last change
 * @begun: changes of what counts here
 * @done: those that are complete
 * @cpu: this one
 * @kick: from the switch, where nothing else is allowed
 * @work: does it
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

/* Sets take turns. Changed with the mutex held. */
bool pmct_perf_crowded;

/* How many events had a counter when one more had none. */
static unsigned int perf_room;

/**
 * pmct_perf_change_begin() - events of a CPU are going to be switched on or off
 * @cpu: which
 *
 * What is counted from then to pmct_perf_change_end() is not all counted by all events of
 * a set, see pmct_perf_changes().
 */
void pmct_perf_change_begin(int cpu)
{
	atomic_inc(&per_cpu_ptr(&perf_turn, cpu)->begun);
	/* Before the first event is touched. */
	smp_mb__after_atomic();
}

/* They have been. */
void pmct_perf_change_end(int cpu)
{
	smp_mb__before_atomic();	/* after the last one */
	atomic_inc(&per_cpu_ptr(&perf_turn, cpu)->done);
}

/**
 * pmct_perf_changes() - how often events of this CPU were switched on or off
 *
 * To be asked before events are read, and pmct_perf_changing() afterwards.
 *
 * Context: hot, interrupts disabled.
 */
unsigned int pmct_perf_changes(void)
{
	unsigned int done = atomic_read(&this_cpu_ptr(&perf_turn)->done);

	smp_rmb();	/* with the barriers of a change */
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

/* The event of @c on @cpu, if it is one that takes turns, and perf has it there. */
static struct perf_event *perf_turn_event(const struct perf_counter *c, int cpu)
{
	struct perf_event *event = per_cpu_ptr(c->on, cpu)->event;

	lockdep_assert_held(&pmct_perf_prompt.mutex);

	return c->takes_turns && event && event->attach_state & PERF_ATTACH_CONTEXT ? event : NULL;
}

/* Did it want a counter, and get none? An older event may have taken it since it was enabled. */
static bool perf_turn_lost(const struct perf_counter *c, int cpu)
{
	struct perf_event *event = perf_turn_event(c, cpu);

	return event && READ_ONCE(event->state) == PERF_EVENT_STATE_ERROR;
}

/* It is @set's turn on @cpu. Returns its first event that found no counter, or their number. */
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

/* The set that @cpu needs, now. */
static void perf_turn_again(int cpu)
{
	struct perf_turn *turn = per_cpu_ptr(&perf_turn, cpu);
	const struct perf_set *set = READ_ONCE(turn->wanted);
	unsigned long delay = 1;

	if (set && set != turn->on) {
		perf_turn_to(set, cpu);
		/* Somebody else has a counter that it needs, for a while maybe. */
		if (set != turn->on)
			delay = max(HZ / 10, 1);
	}
	/* Either we see what is wanted now, or pmct_perf_want() sees what is on. */
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
 * @set: what perf has of it
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
 * pmct_perf_forget() - a set goes away, which no CPU needs any more
 * @set: what perf has of it
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

/* What counts on @cpu is not known: its events are new. */
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
	/* From here on, pmct_perf_want() sees that on all CPUs. */
	synchronize_rcu();
	for_each_possible_cpu(cpu)
		pmct_perf_turn_reset(cpu);
	for_each_online_cpu(cpu)
		perf_turn_again(cpu);
}

/**
 * pmct_perf_crowd() - there are not enough counters for all: sets take turns
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

/* As it disturbs all sets, not whenever a session ends. */
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
 * pmct_perf_uncrowd() - a set less: maybe the others need not take turns
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
 * @set: what perf has of it
 * @index: on failure, the first event that has no counter
 *
 * It is tried on one CPU, whose set misses its turn; where CPUs differ, records say so.
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

/* Nothing is wanted any more. */
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
