/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Running pmctrack: monitoring from start to end. */
#ifndef PMCTRACK_CLI_RUN_H
#define PMCTRACK_CLI_RUN_H

struct options;

/* Monitor what the options select, until its end. Returns the exit status. */
int run(const struct options *o);

#endif /* PMCTRACK_CLI_RUN_H */
