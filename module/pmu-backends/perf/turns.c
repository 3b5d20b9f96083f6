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
#include <linux/irq_work.h>
#include <linux/jiffies.h>
#include <linux/lockdep.h>
#include <linux/percpu.h>
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
	smp_mb__before_atomic();
	atomic_inc(&per_cpu_ptr(&perf_turn, cpu)->done);
}

/**
 * pmct_perf_changes() - how often events of this CPU were switched on or off
 * @changing: it is being done
 *
 * Context: hot, interrupts disabled.
 */
unsigned int pmct_perf_changes(bool *changing)
{
	struct perf_turn *turn = this_cpu_ptr(&perf_turn);
	unsigned int begun = atomic_read(&turn->begun);

	*changing = begun != (unsigned int)atomic_read(&turn->done);
	return begun;
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

/*
 * The event of @c on @cpu, if it is one that takes turns, and perf has it there. As for
 * all that follow, the mutex is held, maybe by who waits for us.
 */
static struct perf_event *perf_turn_event(const struct perf_counter *c, int cpu)
{
	struct perf_event *event = per_cpu_ptr(c->on, cpu)->event;

	return c->takes_turns && event && event->attach_state & PERF_ATTACH_CONTEXT ? event : NULL;
}

static bool perf_turn_on(const struct perf_counter *c, int cpu)
{
	struct perf_event *event = perf_turn_event(c, cpu);

	if (!event)
		return true;
	perf_event_enable(event);
	return READ_ONCE(event->state) != PERF_EVENT_STATE_ERROR;
}

static void perf_turn_off_others(const struct perf_set *set, int cpu)
{
	const struct perf_counter *c;
	struct perf_event *event;

	list_for_each_entry(c, &pmct_perf_prompt.counters, node) {
		event = perf_turn_event(c, cpu);
		if (event && !perf_set_has(set, c))
			perf_event_disable(event);
	}
}

/* It is @set's turn. Returns the number of its events that found a counter, in order. */
static unsigned int perf_turn_to(const struct perf_set *set, int cpu)
{
	struct perf_turn *turn = per_cpu_ptr(&perf_turn, cpu);
	unsigned int i;

	pmct_perf_change_begin(cpu);
	perf_turn_off_others(set, cpu);
	WRITE_ONCE(turn->on, set);
	WRITE_ONCE(turn->since, jiffies);
	for (i = 0; i < ARRAY_SIZE(set->counter) && set->counter[i]; i++) {
		if (!perf_turn_on(set->counter[i], cpu))
			break;
	}
	pmct_perf_change_end(cpu);
	return i;
}

/* The set that this CPU needs, now. */
static long perf_turn_again(void *unused)
{
	struct perf_turn *turn = raw_cpu_ptr(&perf_turn);
	const struct perf_set *set = READ_ONCE(turn->wanted);

	/* If it needs none, what counts may go on. */
	if (!set) {
		WRITE_ONCE(turn->on, NULL);
		return 0;
	}
	if (set != turn->on)
		perf_turn_to(set, turn->cpu);
	/* The switch may have looked at what was on before. */
	if (READ_ONCE(turn->wanted) != set)
		queue_delayed_work_on(turn->cpu, system_highpri_wq, &turn->work, 1);
	return 0;
}

static void perf_turn_work(struct work_struct *work)
{
	mutex_lock(&pmct_perf_prompt.mutex);
	/* If its CPU went offline meanwhile, this is another one, whose turn is right, too. */
	if (pmct_perf_crowded)
		perf_turn_again(NULL);
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
	if (unlikely(READ_ONCE(pmct_perf_crowded)) && READ_ONCE(turn->on) != set)
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

/**
 * pmct_perf_crowd() - there are not enough counters for all: sets take turns
 *
 * Context: process context, may sleep; the mutex is held.
 */
void pmct_perf_crowd(void)
{
	int cpu;

	lockdep_assert_held(&pmct_perf_prompt.mutex);

	WRITE_ONCE(pmct_perf_crowded, true);
	for_each_online_cpu(cpu) {
		WRITE_ONCE(per_cpu_ptr(&perf_turn, cpu)->on, NULL);
		work_on_cpu(cpu, perf_turn_again, NULL);
	}
}

static long perf_turn_all_on(void *unused)
{
	const struct perf_counter *c;
	int cpu = raw_smp_processor_id();
	bool enough = true;

	pmct_perf_change_begin(cpu);
	list_for_each_entry(c, &pmct_perf_prompt.counters, node)
		enough &= perf_turn_on(c, cpu);
	pmct_perf_change_end(cpu);
	return enough;
}

/**
 * pmct_perf_uncrowd() - an event less: maybe the others need not take turns
 *
 * Context: process context, may sleep.
 */
void pmct_perf_uncrowd(void)
{
	bool enough = true;
	int cpu;

	mutex_lock(&pmct_perf_prompt.mutex);
	if (!pmct_perf_crowded)
		goto out;
	for_each_online_cpu(cpu)
		enough &= work_on_cpu(cpu, perf_turn_all_on, NULL);
	if (enough)
		WRITE_ONCE(pmct_perf_crowded, false);
	else
		pmct_perf_crowd();
out:
	mutex_unlock(&pmct_perf_prompt.mutex);
}

/* Can all of @set count on this CPU? Their number, in order. Then its turn is over. */
static long perf_try(void *set)
{
	long nr = perf_turn_to(set, raw_smp_processor_id());

	perf_turn_again(NULL);
	return nr;
}

/**
 * pmct_perf_fits() - can the events of a set count together?
 * @set: what perf has of it
 * @index: on failure, the first event that has no counter
 *
 * Context: process context, may sleep.
 * Return: 0 or -ENOSPC.
 */
int pmct_perf_fits(const struct perf_set *set, unsigned int *index)
{
	unsigned int nr;
	int cpu, err = 0;

	for (nr = 0; nr < ARRAY_SIZE(set->counter) && set->counter[nr]; nr++)
		;
	mutex_lock(&pmct_perf_prompt.mutex);
	for_each_online_cpu(cpu) {
		if (!pmct_perf_crowded || err)
			break;
		*index = work_on_cpu(cpu, perf_try, (void *)set);
		err = *index < nr ? -ENOSPC : 0;
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
}
