/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is counted: event sets and virtual counters. */
#ifndef PMCTRACK_CLI_SETS_H
#define PMCTRACK_CLI_SETS_H

#include <stdbool.h>
#include <stdint.h>
#include <pmctrack/libpmctrack.h>

struct metrics;
struct options;

#define MAX_SETS	(PMCTRACK_MAX_SETS * PMCTRACK_MAX_CORE_TYPES)

/* A virtual counter of the monitoring module. */
struct virtual_counter {
	char *name;
	char *unit;
	bool gauge;		/* a state, not something to sum up */
};

/* Users know a set by its index here (column expid). */
struct sets {
	struct pmctrack_evset *set[MAX_SETS];
	unsigned int nr;
	unsigned int nr_core_types;
	bool simulated;		/* counts are a model's, of the simulated machine */
	bool of_mmon;		/* the monitoring module's */
	uint32_t virts;		/* mask of the virtual counters that are wanted */
	struct virtual_counter virt[PMCTRACK_MAX_VIRT];	/* those in @virts */
};

/* The sets of the command line: 0, or an exit status with the reason printed. */
int sets_parse(struct sets *sets, const struct pmctrack_ctl *ctl, const struct options *o,
	       const struct metrics *metrics);
/* Says so if there are more sets than the command line named. */
void sets_tell_turns(const struct sets *sets, const struct options *o);
void sets_free(struct sets *sets);

#endif /* PMCTRACK_CLI_SETS_H */
