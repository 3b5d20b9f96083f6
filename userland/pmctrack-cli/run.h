/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A run of pmctrack. */
#ifndef PMCTRACK_CLI_RUN_H
#define PMCTRACK_CLI_RUN_H

struct options;

/* Monitor what the options say, to its end. Returns the exit status. */
int run(const struct options *o);

#endif /* PMCTRACK_CLI_RUN_H */
