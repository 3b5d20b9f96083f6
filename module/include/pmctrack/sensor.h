/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Contract between the module and a sensor: meters that add up the energy of some CPUs. A sensor
 * knows registers, and neither threads nor who is charged for what (sensors/energy.c).
 */
#ifndef _PMCTRACK_SENSOR_H
#define _PMCTRACK_SENSOR_H

#include <linux/types.h>
#include <pmctrack/msg.h>

#define PMCT_MAX_METERS	4

/**
 * struct pmct_meter - a kind of meter, of which a machine has one or several
 * @name: what it measures: "package", "cores", "dram"; part of a virtual counter's name
 * @uj_mul: n units are n * @uj_mul / 2^@uj_shift uJ
 * @uj_shift: see @uj_mul
 * @width: bits; it wraps around
 * @part: what it measures is part of what another meter does, so that they must not be added
 */
struct pmct_meter {
	const char *name;
	u32 uj_mul;
	u8 uj_shift;
	u8 width;
	bool part;
};

/**
 * struct pmct_sensor - a sensor
 *
 * Hot, as in <pmctrack/backend.h>: on the CPU concerned, interrupts disabled, possibly under the
 * runqueue lock; it must not sleep, allocate, wake anybody or print.
 */
struct pmct_sensor {
	/** @name: short, for people */
	const char *name;
	/** @period_us: how often meters are brought up to date by the hardware */
	unsigned int period_us;
	/** @watch_ms: one that is read so often does not wrap around twice in between */
	unsigned int watch_ms;
	/** @max_w: more power than that cannot be; an increase by more means that it was reset */
	unsigned int max_w;
	/**
	 * @probe: find the hardware. -ENODEV if it is not there, with @msg. Context: process,
	 * whenever a monitoring module that needs it becomes the active one.
	 */
	int (*probe)(struct pmct_msg *msg);
	/** @nr_meters: how many kinds, after probe(); 1 to PMCT_MAX_METERS. Context: any. */
	unsigned int (*nr_meters)(void);
	/** @meter: the @i-th; it never changes. Context: any. */
	const struct pmct_meter *(*meter)(unsigned int i);
	/**
	 * @domain: CPUs for which it is the same number share a meter of kind @i. Context:
	 * process, on @cpu, which comes online.
	 */
	int (*domain)(unsigned int i, int cpu);
	/**
	 * @read: read the meter of kind @i of this CPU. An error: it is not there any more.
	 * Context: hot.
	 */
	int (*read)(unsigned int i, u64 *value);
};

#endif /* _PMCTRACK_SENSOR_H */
