/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Contract between the module and a sensor: meters that add up the energy of some CPUs. A sensor
 * knows registers. It does not know threads, or how energy is divided among them
 * (sensors/energy.c).
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
 * @width: bits of the meter, which wraps around
 * @part: the meter measures a part of what another meter measures, so the two must not be added
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
 * runqueue lock. Hot operations must not sleep, allocate, wake a task or print.
 */
struct pmct_sensor {
	/** @name: short, for people */
	const char *name;
	/** @period_us: time between two updates of the meters by the hardware */
	unsigned int period_us;
	/** @watch_ms: a meter that is read so often does not wrap around twice in between */
	unsigned int watch_ms;
	/** @max_w: the largest possible power; a larger increase means that the meter was reset */
	unsigned int max_w;
	/**
	 * @probe: find the hardware. Returns 0, or -ENODEV with @msg if it does not exist. Context:
	 * process, whenever a monitoring module that needs it becomes the active one.
	 */
	int (*probe)(struct pmct_msg *msg);
	/** @nr_meters: number of kinds, after probe(); 1 to PMCT_MAX_METERS. Context: any. */
	unsigned int (*nr_meters)(void);
	/** @meter: kind @i of meters; it never changes. Context: any. */
	const struct pmct_meter *(*meter)(unsigned int i);
	/**
	 * @domain: CPUs with the same number share a meter of kind @i. Context: process, on @cpu,
	 * which comes online.
	 */
	int (*domain)(unsigned int i, int cpu);
	/**
	 * @read: read the meter of kind @i of this CPU. An error means that the meter does not
	 * exist any more. Context: hot.
	 */
	int (*read)(unsigned int i, u64 *value);
};

#endif /* _PMCTRACK_SENSOR_H */
