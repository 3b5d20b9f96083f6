/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reports and studies: programs in Python, which draw and calculate, and run showstopper. */
#ifndef SHOWSTOPPER_REPORT_H
#define SHOWSTOPPER_REPORT_H

#include "options.h"

#define REPORT_LOG		"load.csv"
#define REPORT_ITERATIONS	"iterations.csv"

/* Become "report …" or "study …", as @argv says. Returns the exit status if that fails. */
int report_exec(char **argv);

/* Draw what is in the run's folder. Returns the exit status. */
int report_draw(const struct options *o);

#endif /* SHOWSTOPPER_REPORT_H */
