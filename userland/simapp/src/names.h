/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of the simulated machine's events: those of events/sim.events. */
#ifndef SIMAPP_NAMES_H
#define SIMAPP_NAMES_H

#include <linux/types.h>

struct json_object;

/* The name of an event. */
const char *names_event(unsigned int event);

/* An object with a member for each event; @count is indexed by enum pmct_sim_event. */
struct json_object *names_events(const __u64 *count);

#endif /* SIMAPP_NAMES_H */
