// SPDX-License-Identifier: GPL-2.0-only
/*
 * State of the simulated machine's cache monitor. A line of a last-level cache has the number
 * (RMID) that its CPU had when it brought the line in, until the line is replaced or its thread
 * ends. See equation (12) of Documentation/simulation.md.
 */
#include <linux/kernel.h>
#include <linux/string.h>

#include "rates.h"
#include "tags.h"

static u64 pmct_sim_tags_sum(const u64 *has)
{
	unsigned int rmid;
	u64 sum = 0;

	for (rmid = 0; rmid < PMCT_SIM_RMIDS; rmid++)
		sum += has[rmid];
	return sum;
}

/**
 * pmct_sim_tags_fill() - a thread has brought lines in
 * @tags: tags of the cache
 * @thread: the thread
 * @rmid: RMID of its CPU
 * @own: lines that replaced some of the thread's own lines, in parts
 * @more: lines that replaced lines of others, in parts; together not much more than the cache
 */
void pmct_sim_tags_fill(struct pmct_sim_tags *tags, unsigned int thread, unsigned int rmid,
			u64 own, u64 more)
{
	u64 *has = tags->has[thread];
	u64 sum = pmct_sim_tags_sum(has), moved;
	unsigned int i;

	if (has[rmid] != sum) {
		for (i = 0; i < PMCT_SIM_RMIDS; i++) {
			moved = own < sum ? has[i] * own / sum : has[i];
			has[i] -= moved;
			has[rmid] += moved;
		}
	}
	has[rmid] += more;
	tags->last[thread] = rmid;
}

/**
 * pmct_sim_tags_fit() - a thread has fewer lines than it brought in
 * @tags: tags of the cache
 * @thread: the thread
 * @lines: lines that the thread has, in parts
 *
 * Each of the thread's RMIDs loses its part. The last used RMID gets what rounding leaves.
 */
void pmct_sim_tags_fit(struct pmct_sim_tags *tags, unsigned int thread, u64 lines)
{
	u64 *has = tags->has[thread];
	u64 sum = pmct_sim_tags_sum(has), left = lines;
	u64 *last = &has[tags->last[thread]];
	unsigned int i;

	if (*last != sum) {
		for (i = 0; i < PMCT_SIM_RMIDS; i++) {
			has[i] = has[i] * lines / sum;
			left -= has[i];
		}
		left += *last;
	}
	*last = left;
}

/**
 * pmct_sim_tags_forget() - the lines of a thread are gone
 * @tags: tags of the cache
 * @thread: the thread
 */
void pmct_sim_tags_forget(struct pmct_sim_tags *tags, unsigned int thread)
{
	memset(tags->has[thread], 0, sizeof(tags->has[thread]));
}

/**
 * pmct_sim_tags_show() - update what the monitor shows
 * @tags: tags of the cache; pmct_sim_tags::shown is up to date afterwards
 * @nr: threads from this one on have no lines
 */
void pmct_sim_tags_show(struct pmct_sim_tags *tags, unsigned int nr)
{
	unsigned int rmid, thread;

	for (rmid = 0; rmid < PMCT_SIM_RMIDS; rmid++) {
		u64 sum = 0;

		for (thread = 0; thread < nr; thread++)
			sum += tags->has[thread][rmid];
		tags->shown[rmid] = sum / PMCT_SIM_PART;
	}
}
