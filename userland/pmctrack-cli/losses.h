/* SPDX-License-Identifier: GPL-2.0-or-later */
/* In words: what the samples and totals of a run lack. */
#ifndef PMCTRACK_CLI_LOSSES_H
#define PMCTRACK_CLI_LOSSES_H

#include <stdio.h>

struct totals;

/* Below totals for people: what they lack, and how much of it. Nothing if they lack nothing. */
void losses_print(FILE *out, const struct totals *t);
/* Messages to the user, with the reasons and what helps; also about samples that are exact. */
void losses_complain(const struct totals *t);

#endif /* PMCTRACK_CLI_LOSSES_H */
