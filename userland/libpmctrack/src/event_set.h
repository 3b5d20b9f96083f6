/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What an event set is, for those who make one. */
#ifndef PMCTRACK_EVENT_SET_H
#define PMCTRACK_EVENT_SET_H

#include "pmctrack/libpmctrack.h"

#define MAX_NAME	64	/* of an event in a list of mnemonics */
#define MAX_EVENT_NAME	128	/* of an event in a set */

struct pmctrack_evset {
	char raw[PMCTRACK_MAX_RAW];
	int core_type;		/* -1: any */
	unsigned int nr;
	uint32_t used;		/* counters */
	struct {
		unsigned int counter;
		char name[MAX_EVENT_NAME];
	} event[PMCTRACK_MAX_COUNTERS];	/* the first @nr, by ascending counter */
};

/* Append to the raw string. What does not fit is cut off. */
void evset_append(struct pmctrack_evset *set, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* Names that occur more than once get their counter: "instr@pmc1". */
void evset_make_names_unique(struct pmctrack_evset *set);

#endif /* PMCTRACK_EVENT_SET_H */
