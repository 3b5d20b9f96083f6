/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Units of systemd. Their groups have a controller only if systemd thinks that it is needed: it is
 * told a property that changes nothing, but for that (D-Bus).
 */
#ifndef QOSD_UNIT_H
#define QOSD_UNIT_H

#include <stdbool.h>
#include <stddef.h>

/* Is systemd the manager of this machine's control groups? */
bool unit_is_wanted(void);
/* Can it be asked? 0, or -EAGAIN: why not has been said. */
int unit_can_be_asked(void);
/*
 * The name of the unit whose control group this is; "": it is not systemd's own, but one that it
 * has delegated. -ENOENT: there is no unit; a slice is none.
 */
int unit_of(const char *group, char *unit, size_t size);
/*
 * The files are there soon. 0, -EAGAIN: it does not answer now, or another negative errno; why has
 * been said.
 */
int unit_enable_cpu(const char *unit);
int unit_enable_cpuset(const char *unit);

#endif /* QOSD_UNIT_H */
