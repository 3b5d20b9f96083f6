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
 * an administrator counts them; @why says what. Sessions of users without rights who count them
 * end, and nobody else can count them meanwhile.
 */
struct speed *speed_open(const struct core_types *types, const pid_t *process, size_t nr, const char **why);
/* @worth, of each type, if something new is known. -ENODATA: nothing was said for long. */
int speed_read(struct speed *s, double *worth);
void speed_close(struct speed *s);

#endif /* QOSD_SPEED_H */
