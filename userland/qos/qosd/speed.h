/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a CPU of each core type is worth for a program. This follows from the program's speedup
 * factor, which a monitoring module of PMCTrack estimates while the program runs.
 */
#ifndef QOSD_SPEED_H
#define QOSD_SPEED_H

#include <stddef.h>
#include <sys/types.h>

#include "core_types.h"

struct speed;

/*
 * Watch these processes, with their threads and all that they start. Returns NULL if no module
 * estimates the factor, or an administrator counts the processes. The reason is printed with @name,
 * if it is not NULL. Sessions of unprivileged users that count the processes end, and nobody else
 * can count them meanwhile.
 */
struct speed *speed_open(const struct core_types *types, const pid_t *process, size_t nr, const char *name);
/*
 * Update @worth of each type. Returns 1 if it is known; 0: it is not; -ESTALE: the module says it
 * no longer.
 */
int speed_read(struct speed *s, double *worth);
void speed_close(struct speed *s);

#endif /* QOSD_SPEED_H */
