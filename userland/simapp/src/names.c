// SPDX-License-Identifier: GPL-2.0-or-later
#include <json-c/json.h>
#include <linux/pmctrack_sim.h>

#include "names.h"

static const char *const event_names[PMCT_SIM_NR_EVENTS] = {
	[PMCT_SIM_INSTR] = "instr", [PMCT_SIM_CYCLES] = "cycles", [PMCT_SIM_BRANCHES] = "branches",
	[PMCT_SIM_COND_BRANCHES] = "cond_branches", [PMCT_SIM_BRANCH_MISSES] = "branch_misses",
	[PMCT_SIM_L1D] = "l1d_accesses", [PMCT_SIM_L1D_MISSES] = "l1d_misses",
	[PMCT_SIM_L2_MISSES] = "l2_misses", [PMCT_SIM_LLC_MISSES] = "llc_misses",
	[PMCT_SIM_ITLB_MISSES] = "itlb_misses", [PMCT_SIM_DTLB_MISSES] = "dtlb_misses",
	[PMCT_SIM_STALLS_DATA] = "stall_backend", [PMCT_SIM_STALLS_FETCH] = "stall_frontend",
	[PMCT_SIM_MEM_LINES] = "mem_lines",
};

const char *names_event(unsigned int event)
{
	return event_names[event];
}

struct json_object *names_events(const __u64 *count)
{
	struct json_object *events = json_object_new_object();
	unsigned int i;

	for (i = 0; i < PMCT_SIM_NR_EVENTS; i++)
		json_object_object_add(events, event_names[i], json_object_new_int64((int64_t)count[i]));
	return events;
}
