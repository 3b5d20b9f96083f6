/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What was done, and why: lines for people, or of JSON. */
#ifndef QPLACER_LOG_H
#define QPLACER_LOG_H

#include "qplacer/apps.h"

/* The machine's caches, and how it is decided. */
void log_begin(const struct apps *a, bool json);
/* Others are there now, and were placed like that. */
void log_placed(const struct apps *a, const struct placement *where, double elapsed_s);
/* A decision @t_ms after the last move. Those to stay are not printed for people. */
void log_decision(const struct apps *a, const struct decision *d, double elapsed_s, double t_ms);
/* One is left alone from now on, for this reason (negative errno). */
void log_left_alone(const struct app *app, int err);

#endif /* QPLACER_LOG_H */
