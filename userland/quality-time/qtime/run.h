/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From the beginning to the end. */
#ifndef QTIME_RUN_H
#define QTIME_RUN_H

struct options;

/* Returns the exit status. */
int run(const struct options *o);

#endif /* QTIME_RUN_H */
