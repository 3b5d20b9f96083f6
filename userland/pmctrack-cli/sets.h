/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The event sets and virtual counters of a run. */
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
	bool gauge;		/* values are states, which cannot be added up */
};

/* The event sets and virtual counters of a run. Users see the index of a set as expid. */
struct sets {
	struct pmctrack_evset *set[MAX_SETS];
	unsigned int nr;
	unsigned int nr_core_types;
	bool simulated;		/* counts are computed by the model of the simulated machine */
	bool of_mmon;		/* the sets are those of the monitoring module */
	uint32_t virts;		/* mask of the virtual counters of -V */
	struct virtual_counter virt[PMCTRACK_MAX_VIRT];	/* valid for those in @virts */
};

/* Make the sets of the command line. Returns 0; or prints the reason and returns an exit status. */
int sets_parse(struct sets *sets, const struct pmctrack_ctl *ctl, const struct options *o,
	       const struct metrics *metrics);
/* Print a note if there are more sets than the command line names. */
void sets_tell_turns(const struct sets *sets, const struct options *o);
void sets_free(struct sets *sets);

#endif /* PMCTRACK_CLI_SETS_H */
