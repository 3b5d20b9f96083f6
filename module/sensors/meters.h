/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Meters, and the energy that each CPU has got from them. meters.c gives energy to CPUs; in
 * energy.c, threads take it.
 */
#ifndef _PMCT_METERS_H
#define _PMCT_METERS_H

#include <linux/cpumask.h>
#include <linux/list.h>
#include <linux/percpu.h>
#include <pmctrack/sensor.h>

/**
 * struct pmct_energy_domain - CPUs that share a meter
 * @node: in the list of all domains
 * @meter: kind of the meter
 * @id: number of the domain, from the sensor
 * @cpus: the CPUs that are online
 * @period_ns: the meter is not read more often
 * @lock: bit 0: a CPU reads the meter. Hooks try to take it, but never wait for it. Timers of
 *	system-wide sessions do
 * @when: when the meter was read, ns
 * @asleep: how long the machine had slept by then, ns
 * @raw: value of the meter
 * @moved: when the value last changed, ns
 * @total: by how much the meter has advanced, in units, as all below
 * @idle: energy that no CPU used
 * @unwatched: energy of times when the meter was not read
 * @resets: how often the meter was reset
 * @guessed: in the last step, the idle time of some CPUs was an estimate
 * @gone: the meter cannot be read any more
 * @still: the meter stands still
 * @told: the kernel log says that the meter is gone, or stands still
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
	bool guessed;
	bool gone;
	bool still;
	bool told;
};

/**
 * struct pmct_energy_account - account of a CPU with one kind of meter
 * @domain: domain of the CPU's meter; NULL: none
 * @home: the same, also while the CPU is offline
 * @idle_us: up to where the CPU's idle time was used when the meter was last read. This and the
 *	next four belong to the holder of the domain's lock
 * @idle_part: if the CPU cannot always be asked: the part of the last step that it was idle
 * @busy_ns: how long the CPU was busy between the last two reads
 * @got: units that the CPU has got
 * @handed: those of @got that threads can take: it is known which of them ran
 * @taken: units of @handed that threads have taken, or that no thread will take. This and the next
 *	one belong to the CPU
 * @given: units of @handed that threads have taken
 */
struct pmct_energy_account {
	struct pmct_energy_domain *domain;
	struct pmct_energy_domain *home;
	u64 idle_us;
	u32 idle_part;
	u64 busy_ns;
	u64 got;
	u64 handed;
	u64 taken;
	u64 given;
};

/**
 * struct pmct_energy_accounts - accounts of a CPU
 * @meter: the account with each kind of meter
 */
struct pmct_energy_accounts {
	struct pmct_energy_account meter[PMCT_MAX_METERS];
};

/* Constant while a monitoring module uses them. */
extern struct pmct_energy_accounts __percpu *pmct_accounts;
extern unsigned int pmct_nr_meters;

void pmct_energy_update(struct pmct_energy_domain *d);
void pmct_energy_catch_up(struct pmct_energy_domain *d);

#endif /* _PMCT_METERS_H */
