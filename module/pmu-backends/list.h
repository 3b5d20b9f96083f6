/* SPDX-License-Identifier: GPL-2.0-only */
/* The backends, each defined in the file of its hardware, and their event tables. */
#ifndef _PMCT_BACKEND_LIST_H
#define _PMCT_BACKEND_LIST_H

#include <pmctrack/backend.h>

extern const struct pmct_backend pmct_pmuv3, pmct_intel, pmct_amd, pmct_perf;
/* In a kernel module of its own, which main.c finds by name. */
extern const struct pmct_backend pmct_backend_sim;

/* event-tables.awk makes these from events/. */
extern const struct pmct_event_table pmct_events_arm64, pmct_events_perf, pmct_events_sim;
extern const struct pmct_event_table pmct_events_x86_amd, pmct_events_x86_intel;

#endif /* _PMCT_BACKEND_LIST_H */
