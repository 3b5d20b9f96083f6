/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names for virtual counters that OpenMetrics allows as names of metric families. */
#ifndef PMCTRACK_CLI_OPENMETRICS_NAMES_H
#define PMCTRACK_CLI_OPENMETRICS_NAMES_H

#include "sets.h"

/* Names, indexed by virtual counter. Only the virtual counters of -V have one. */
struct openmetrics_names {
	char of[PMCTRACK_MAX_VIRT][128];
};

/* Make the names, all different. Each ends with openmetrics_unit() of its counter, if not NULL. */
void openmetrics_names(struct openmetrics_names *names, const struct sets *sets);
/* The unit of a virtual counter if a name can have it; otherwise NULL. */
const char *openmetrics_unit(const struct virtual_counter *virt);

#endif /* PMCTRACK_CLI_OPENMETRICS_NAMES_H */
