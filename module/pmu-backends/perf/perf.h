/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _PMCT_PERF_H
#define _PMCT_PERF_H

#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/perf_event.h>

#define PERF_NR_COUNTERS	8
#define PERF_CODE(_type, _config)	((u64)(_type) << 32 | (_config))
#define PERF_CODE_MAX		PERF_CODE(U16_MAX, U32_MAX)
/* perf looks at all of them whenever it schedules events. */
#define PERF_MAX_UNPRIVILEGED	64
#define PERF_CFG_OS		BIT_ULL(63)
#define PERF_CFG_USR		BIT_ULL(62)

/**
 * struct perf_cpu_event - an event on a CPU
 * @event: perf's event; NULL: perf cannot count it there
 * @base: what earlier events counted, before the CPU was offline
 * @running_base: for how long these counted, in ns
 */
struct perf_cpu_event {
	struct perf_event *event;
	u64 base;
	u64 running_base;
};

/**
 * struct perf_counter - an event that counts on all CPUs, for all sets that have it
 * @node: in the list of all counters
 * @config: configuration in the sets
 * @users: number of these sets
 * @takes_turns: takes turns with others, if there are not enough hardware counters for all
 * @on: the event of each CPU
 */
struct perf_counter {
	struct list_head node;
	u64 config;
	unsigned int users;
	bool takes_turns;
	struct perf_cpu_event __percpu *on;
};

/**
 * struct perf_set - what an event set has of perf
 * @counter: counters of its events
 * @here: its state on each CPU
 */
struct perf_set {
	struct perf_counter *counter[PERF_NR_COUNTERS];
	struct perf_here __percpu *here;
};

/**
 * struct perf_here - a set on a CPU
 * @value: for each event, what it counted while all events of the set counted
 * @count: for each event, all that it counted, at the last read
 * @running: for each event, for how long it counted, at the last read, in ns
 * @time: time of the last read
 * @changes: pmct_perf_changes() at the last read
 */
struct perf_here {
	u64 value[PERF_NR_COUNTERS];
	u64 count[PERF_NR_COUNTERS];
	u64 running[PERF_NR_COUNTERS];
	u64 time;
	unsigned int changes;
};

/**
 * struct perf_pool - the counters in use
 * @mutex: protects the other members
 * @counters: list of all counters
 * @nr: number of counters
 */
struct perf_pool {
	struct mutex mutex;	/* see above */
	struct list_head counters;
	unsigned int nr;
};

/*
 * For its software events, and maybe for others, perf waits for CPU hotplug. The hotplug callback
 * must not wait for a task that waits for hotplug. So it renews the events of hardware and the
 * clocks itself, and nothing on the CPU is missed. A work item renews the other events.
 */
extern struct perf_pool pmct_perf_prompt, pmct_perf_later;

/* counters.c */
struct perf_event *pmct_perf_create(u64 config, int cpu, bool disabled);
struct perf_counter *pmct_perf_get(u64 config);
void pmct_perf_put(struct perf_counter *c);
void pmct_perf_renew_pool(struct perf_pool *pool, int cpu);

/* turns.c */
extern bool pmct_perf_crowded;
void pmct_perf_crowd(void);
void pmct_perf_uncrowd(void);
int pmct_perf_fits(const struct perf_set *set, unsigned int *index);
void pmct_perf_change_begin(int cpu);
void pmct_perf_change_end(int cpu);
unsigned int pmct_perf_changes(void);
bool pmct_perf_changing(unsigned int done);
void pmct_perf_turn_reset(int cpu);
void pmct_perf_want(const struct perf_set *set);
void pmct_perf_forget(const struct perf_set *set);
void pmct_perf_turns_init(void);
void pmct_perf_turns_exit(void);

#endif /* _PMCT_PERF_H */
