/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Texts about what is missing in the samples and totals of a run. */
#ifndef PMCTRACK_CLI_LOSSES_H
#define PMCTRACK_CLI_LOSSES_H

#include <stdio.h>

struct totals;

/* Print below totals for people what is missing, and how much; nothing if nothing is missing. */
void losses_print(FILE *out, const struct totals *t);
/*
 * Print messages to the user about what is missing, with reasons and remedies; also about merged
 * samples and longer windows, whose counts are exact.
 */
void losses_complain(const struct totals *t);

#endif /* PMCTRACK_CLI_LOSSES_H */
