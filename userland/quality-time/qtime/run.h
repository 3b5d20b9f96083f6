/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A run of qtime, from its start to its end. */
#ifndef QTIME_RUN_H
#define QTIME_RUN_H

struct options;

/* Returns the exit status. */
int run(const struct options *o);

#endif /* QTIME_RUN_H */
