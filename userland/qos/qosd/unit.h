/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Units of systemd. It is told that a unit's CPUs are limited (D-Bus), so that its group has the
 * controllers as long as that is so; how much it is at the moment is written to the group itself.
 * All return 0 or a negative errno, -EAGAIN if systemd does not answer: that has been said.
 */
#ifndef QOSD_UNIT_H
#define QOSD_UNIT_H

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>

/* Is systemd the manager of this machine's control groups? */
bool unit_is_wanted(void);
/* Can it be asked? */
int unit_can_be_asked(void);
/*
 * The name of the unit whose control group this is; "": it is not systemd's own, but one that it
 * has delegated. -ENOENT: there is no unit; a slice is none.
 */
int unit_of(const char *group, char *unit, size_t size);
/* It may use so many CPUs, in periods of so many us. */
int unit_limit_bandwidth(const char *unit, unsigned int cpus, unsigned int period_us);
int unit_limit_cpus(const char *unit, const cpu_set_t *cpus);
/* All as if nobody had said anything. A unit that has gone is none either. */
int unit_free_bandwidth(const char *unit);
int unit_free_cpus(const char *unit);

#endif /* QOSD_UNIT_H */
