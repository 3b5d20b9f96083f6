/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Meters, and what each CPU has got of what they showed. Between meters.c, which hands it out, and
 * energy.c, where threads take it.
 */
#ifndef _PMCT_METERS_H
#define _PMCT_METERS_H

#include <linux/cpumask.h>
#include <linux/list.h>
#include <linux/percpu.h>
#include <pmctrack/sensor.h>

/**
 * struct pmct_energy_domain - CPUs that share a meter
 * @node: in the list of all
 * @meter: which kind
 * @id: number of the domain, from the sensor
 * @cpus: those that are online
 * @period_ns: it is not read more often
 * @lock: bit 0: somebody reads it. It is tried, but never waited for in a hook
 * @when: when it was read, ns
 * @asleep: for how long the machine had slept by then, ns
 * @raw: what it showed
 * @moved: when it last showed something else, ns
 * @total: by how much it has advanced, in units, as all below
 * @idle: what no CPU used
 * @unwatched: of times when nobody looked
 * @resets: how often it was reset
 * @gone: it cannot be read any more
 * @still: it stands still
 * @told: the kernel log has it that it is gone, or stands still
 */
struct pmct_energy_domain {
	struct list_head node;
	unsigned int meter;
	int id;
	struct cpumask cpus;
	u64 period_ns;
	unsigned long lock;
	u64 when;
	u64 asleep;
	u64 raw;
	u64 moved;
	u64 total;
	u64 idle;
	u64 unwatched;
	u64 resets;
	bool gone;
	bool still;
	bool told;
};

/**
 * struct pmct_energy_account - of a CPU, with one kind of meter
 * @domain: whose meter; NULL: none
 * @home: the same, also while the CPU is offline
 * @idle_us: how long the CPU has been idle, when the meter was last read. This and the next two
 *	belong to whoever holds the domain's lock
 * @busy_ns: how long it was busy between the last two times
 * @handed: units that it has got
 * @taken: those of them that threads have taken, or nobody will. This and the next one belong to
 *	the CPU
 * @given: those of them that threads have taken
 */
struct pmct_energy_account {
	struct pmct_energy_domain *domain;
	struct pmct_energy_domain *home;
	u64 idle_us;
	u64 busy_ns;
	u64 handed;
	u64 taken;
	u64 given;
};

/**
 * struct pmct_energy_accounts - of a CPU
 * @meter: with each kind of meter
 */
struct pmct_energy_accounts {
	struct pmct_energy_account meter[PMCT_MAX_METERS];
};

/* Constant while a monitoring module uses them. */
extern struct pmct_energy_accounts __percpu *pmct_accounts;
extern unsigned int pmct_nr_meters;

void pmct_energy_update(struct pmct_energy_domain *d);

#endif /* _PMCT_METERS_H */
