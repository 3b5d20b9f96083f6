/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From the beginning to the end. */
#ifndef QPLACER_RUN_H
#define QPLACER_RUN_H

struct options;

/* Returns the exit status. */
int run(const struct options *o);

#endif /* QPLACER_RUN_H */
