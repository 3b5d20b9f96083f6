/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A run of qplacer, from its start to its end. */
#ifndef QPLACER_RUN_H
#define QPLACER_RUN_H

struct options;

/* Returns the exit status. */
int run(const struct options *o);

#endif /* QPLACER_RUN_H */
