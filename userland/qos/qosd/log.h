/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Log of the decisions as CSV: a row for each program and step. */
#ifndef QOSD_LOG_H
#define QOSD_LOG_H

#include <stdio.h>

#include "daemon.h"

/*
 * Returns 0 or a negative errno. Rows are added to what the file has. Only root can read the file,
 * because programs can be hidden from other users.
 */
int log_open(FILE **log, const char *path);
/* If a row cannot be written, the log is closed, *@log is NULL, and the reason has been printed. */
void log_step(FILE **log, const struct daemon *d);
void log_close(FILE **log);

#endif /* QOSD_LOG_H */
