/* SPDX-License-Identifier: GPL-2.0-only */
/* The event sets of a session. */
#ifndef _PMCT_SETS_H
#define _PMCT_SETS_H

#include <pmctrack/backend.h>

/**
 * struct pmct_sets - the event sets of a session
 * @nr_counters: number of counters of the largest set
 * @rotates: some core type has several sets, which take turns
 * @wraps: some set has counters that can wrap
 * @by_events: all sets sample by events (ebs)
 * @addresses: some set samples addresses of instructions for the monitoring module
 * @nr: number of sets of each core type; 0 for PMCT_NO_CORE_TYPE
 * @of: the sets of each core type. Where @nr is 0, the first set is empty and
 *	counts nothing.
 *
 * Constant from pmct_sets_init() to pmct_sets_free().
 */
struct pmct_sets {
	u8 nr_counters;
	bool rotates;
	bool wraps;
	bool by_events;
	bool addresses;
	u8 nr[PMCT_NO_CORE_TYPE + 1];
	struct pmct_hwset *of[PMCT_NO_CORE_TYPE + 1];
};

int pmct_sets_init(struct pmct_sets *sets, const char *const *raw, unsigned int nr,
		   bool privileged, struct pmct_msg *msg);
void pmct_sets_release(struct pmct_sets *sets);
void pmct_sets_free(struct pmct_sets *sets);
bool pmct_sets_have(const struct pmct_sets *sets, const struct pmct_hwset *set);
int pmct_sets_check(const char *const *raw, unsigned int nr, struct pmct_msg *msg);

#endif /* _PMCT_SETS_H */
