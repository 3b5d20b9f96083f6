/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of metric families that OpenMetrics allows, for virtual counters. */
#ifndef PMCTRACK_CLI_OPENMETRICS_NAMES_H
#define PMCTRACK_CLI_OPENMETRICS_NAMES_H

#include "sets.h"

/* By virtual counter; those that are wanted have one. */
struct openmetrics_names {
	char of[PMCTRACK_MAX_VIRT][128];
};

/* The names, which are distinct. Each ends with the counter's unit, if there is one below. */
void openmetrics_names(struct openmetrics_names *names, const struct sets *sets);
/* The unit, if a name can have it; otherwise NULL. */
const char *openmetrics_unit(const struct virtual_counter *virt);

#endif /* PMCTRACK_CLI_OPENMETRICS_NAMES_H */
