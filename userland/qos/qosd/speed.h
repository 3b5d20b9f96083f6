/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is a CPU of each core type worth for a program? By its speedup factor, which a monitoring
 * module of PMCTrack estimates while it runs.
 */
#ifndef QOSD_SPEED_H
#define QOSD_SPEED_H

#include <stddef.h>
#include <sys/types.h>

#include "core_types.h"

struct speed;

/*
 * Watch these processes, with their threads and all that they start. NULL: nobody estimates it, or
 * an administrator counts them; @name is told why, if it is not NULL. Sessions of users without
 * rights who count them end, and nobody else can count them meanwhile.
 */
struct speed *speed_open(const struct core_types *types, const pid_t *process, size_t nr, const char *name);
/* @worth, of each type, if it is known: 1; 0: nothing is; -ESTALE: nobody speaks of it any more. */
int speed_read(struct speed *s, double *worth);
void speed_close(struct speed *s);

#endif /* QOSD_SPEED_H */
