// SPDX-License-Identifier: GPL-2.0-only
/* Decides when caches, rates and meters of a simulated machine are updated. */
#include <linux/minmax.h>

#include "model.h"

/* The first step after a change, the longest steps until it has settled, and the time for that. */
#define FIRST_NS	20000
#define SHORT_NS	100000
#define SETTLED_NS	3000000
/* Each change costs this much time. Four changes can be made in advance. */
#define PAID_NS		10000000
#define CREDIT_NS	(3 * PAID_NS)

/**
 * pmct_sim_pace_init() - set up: the first step comes after the longest time
 * @pace: the pace
 * @now: ns
 */
void pmct_sim_pace_init(struct pmct_sim_pace *pace, u64 now)
{
	pace->length = PMCT_SIM_STEP_NS;
	pace->next = now + PMCT_SIM_STEP_NS;
	pace->meters = now + PMCT_SIM_STEP_NS;
	pace->paid = now;
	pace->settled = now;
}

/**
 * pmct_sim_pace_changed() - a CPU has become busy, or idle
 * @pace: the pace
 * @now: ns
 *
 * Steps are short for a while, because caches change fastest then. On a machine where CPUs change
 * all the time, most changes wait for the next step.
 */
void pmct_sim_pace_changed(struct pmct_sim_pace *pace, u64 now)
{
	/* Other CPUs have just changed, too. The next step covers this change. */
	if (pace->length == FIRST_NS && pace->next <= now + FIRST_NS)
		return;
	if (pace->paid > now + CREDIT_NS)
		return;
	pace->paid = max(pace->paid, now) + PAID_NS;
	pace->length = FIRST_NS;
	pace->next = min(pace->next, now + FIRST_NS);
	pace->settled = now + SETTLED_NS;
}

/**
 * pmct_sim_pace_stepped() - a step was made
 * @pace: the pace
 * @now: ns
 *
 * Return: true if meters are updated, too.
 */
bool pmct_sim_pace_stepped(struct pmct_sim_pace *pace, u64 now)
{
	u64 most = now < pace->settled ? SHORT_NS : PMCT_SIM_STEP_NS;
	bool meters = now >= pace->meters;

	if (meters)
		pace->meters = now + PMCT_SIM_STEP_NS;
	pace->next = min(now + pace->length, pace->meters);
	pace->length = min(pace->length * 2, most);
	return meters;
}
