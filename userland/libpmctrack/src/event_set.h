/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The members of an event set, for the files that make event sets. */
#ifndef PMCTRACK_EVENT_SET_H
#define PMCTRACK_EVENT_SET_H

#include "pmctrack/libpmctrack.h"

#define MAX_NAME	64	/* bytes of an event's name in a list of mnemonics */
#define MAX_EVENT_NAME	128	/* bytes of an event's name in a set */

struct pmctrack_evset {
	char raw[PMCTRACK_MAX_RAW];
	int core_type;		/* -1: any */
	unsigned int nr;
	uint32_t used;		/* mask of the counters in use */
	struct {
		unsigned int counter;
		char name[MAX_EVENT_NAME];
	} event[PMCTRACK_MAX_COUNTERS];	/* the first @nr, by ascending counter */
};

/* Append to the raw string. Text that does not fit is cut off. */
void evset_append(struct pmctrack_evset *set, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* Append the counter to each name that occurs more than once: "instr@pmc1". */
void evset_make_names_unique(struct pmctrack_evset *set);

#endif /* PMCTRACK_EVENT_SET_H */
