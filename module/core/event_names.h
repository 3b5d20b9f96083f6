/* SPDX-License-Identifier: GPL-2.0-only */
/* Lists of event names ("instr,cycles:k,llc_misses"), and the event sets made of them. Pure. */
#ifndef _PMCT_EVENT_NAMES_H
#define _PMCT_EVENT_NAMES_H

#include <pmctrack/backend.h>

#include "evset.h"

#define PMCT_MAX_NAMED_EVENTS	32	/* of a module's list of events */

/**
 * struct pmct_named_spec - an event set made of a list of names
 * @spec: the set, for one core type
 * @event: for each event of @spec, its index in the module's list of events
 */
struct pmct_named_spec {
	struct pmct_evset_spec spec;
	u8 event[PMCTRACK_MAX_COUNTERS];
};

int pmct_event_names_core_type(const char **list, unsigned int nr_types, int *core_type,
			       struct pmct_msg *msg);
int pmct_event_names_resolve(const struct pmct_backend *backend, unsigned int core_type,
			     const char *list, const char *const *events,
			     unsigned int nr_events, struct pmct_named_spec *named,
			     struct pmct_msg *msg);
bool pmct_event_names_has(const struct pmct_backend *backend, unsigned int core_type,
			  const struct pmct_event_name *name);
void pmct_event_names_map(const struct pmct_named_spec *named,
			  u8 where[PMCT_MAX_NAMED_EVENTS]);

#endif /* _PMCT_EVENT_NAMES_H */
