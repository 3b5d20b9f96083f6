/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A run of qtop, from its start to its end. */
#ifndef QTOP_RUN_H
#define QTOP_RUN_H

struct options;

/* Returns the exit status. */
int run(const struct options *o);

#endif /* QTOP_RUN_H */
