/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Output of qplacer: what it did and why, as text or as lines of JSON. */
#ifndef QPLACER_LOG_H
#define QPLACER_LOG_H

#include "qplacer/apps.h"

/* Print the machine's caches and the parameters of decisions. */
void log_begin(const struct apps *a, bool json);
/* Print how a changed set of applications was placed. */
void log_placed(const struct apps *a, const struct placement *where, double elapsed_s);
/* Print a decision, @t_ms after the last move. As text, decisions to stay are not printed. */
void log_decision(const struct apps *a, const struct decision *d, double elapsed_s, double t_ms);
/* Print that @app is left alone from now on, and why (@err: negative errno). */
void log_left_alone(const struct app *app, int err);

#endif /* QPLACER_LOG_H */
