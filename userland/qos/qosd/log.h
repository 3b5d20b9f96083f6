/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What was decided, as CSV: a row for each program and step. */
#ifndef QOSD_LOG_H
#define QOSD_LOG_H

#include <stdio.h>

#include "daemon.h"

/*
 * 0 or a negative errno. What the file had stays. It is root's only, as programs can be hidden from
 * others.
 */
int log_open(FILE **log, const char *path);
/* A log that cannot be written any more is closed, and *@log is NULL: the reason has been said. */
void log_step(FILE **log, const struct daemon *d);
void log_close(FILE **log);

#endif /* QOSD_LOG_H */
