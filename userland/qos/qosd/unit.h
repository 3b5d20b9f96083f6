/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Units of systemd. The group of a unit has a controller only if systemd thinks that it is needed.
 * systemd is therefore told (by D-Bus) to set a property that changes nothing else.
 */
#ifndef QOSD_UNIT_H
#define QOSD_UNIT_H

#include <stdbool.h>
#include <stddef.h>

/* True if systemd manages the control groups of this machine. */
bool unit_is_wanted(void);
/* Returns 0 if systemd can be asked, or -EAGAIN: the reason has been printed. */
int unit_can_be_asked(void);
/*
 * Get the name of the unit whose control group this is; "": the group is not systemd's own, but one
 * that it has delegated. -ENOENT: there is no unit; a slice is none.
 */
int unit_of(const char *group, char *unit, size_t size);
/*
 * Make systemd create the files of a controller; they are there soon afterwards. Returns 0;
 * -EAGAIN: systemd does not answer now; or another negative errno. The reason has been printed.
 */
int unit_enable_cpu(const char *unit);
int unit_enable_cpuset(const char *unit);

#endif /* QOSD_UNIT_H */
