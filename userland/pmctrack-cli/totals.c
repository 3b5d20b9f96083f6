// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Totals of all samples. A set that takes turns, or whose counters others use, is counted
 * for a part of the time. Each total has this part, its coverage. A total is marked as an
 * estimate where it is printed if it is extrapolated to the whole time. It is also marked
 * if it may lack events of threads that were not monitored to their end.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "metric.h"
#include "row.h"
#include "totals.h"

void totals_add(struct totals *t, const struct row *row)
{
	t->nr++;
	t->merged += row->merged;
	t->widened += row->widened;
	t->disturbed += row->disturbed;
	t->missed[MISSED_SETUID] += row->setuid;
	t->missed[MISSED_TAKEN] += row->revoked;
	t->run_ns[row->core_type] += row->run_ns;
	for (unsigned int i = 0; i < row->nr_virts; i++) {
		const struct row_virt *virt = &row->virts[i];

		if (!virt->known)
			continue;
		t->virt[virt->index].nr++;
		t->virt[virt->index].sum += virt->value;
		t->virt[virt->index].weighted += (double)virt->value * (double)row->run_ns;
		t->virt[virt->index].weight += (double)row->run_ns;
	}
	if (row->set < 0)
		return;
	t->of[row->set].hw_ns += row->hw_ns;
	for (unsigned int j = 0; j < row->nr_counts; j++)
		t->of[row->set].counts[j] += row->counts[j].value;
}

void totals_add_lost(struct totals *t, unsigned int core_type, unsigned int set,
		     unsigned int counter, uint64_t events)
{
	if (core_type < PMCTRACK_MAX_CORE_TYPES && set < PMCTRACK_MAX_SETS &&
	    counter < PMCTRACK_MAX_COUNTERS)
		t->lost[core_type][set][counter] += events;
}

void totals_end(struct totals *t, const struct pmctrack_session_stats *stats)
{
	t->missed[MISSED_LOST] = stats->lost;
	t->missed[MISSED_SKIPPED] = stats->skipped_threads;
	t->missed[MISSED_LEFT_OUT] = stats->left_out_threads;
	t->missed[MISSED_REVOKED] = stats->revoked;
	t->missed[MISSED_RUNNING] = stats->threads;
	t->missed[MISSED_UNCOUNTED] = t->run_ns[PMCTRACK_MAX_CORE_TYPES];
	/* If the whole session was ended, last records look as if threads were taken over. */
	if (stats->revoked)
		t->missed[MISSED_TAKEN] = 0;
}

bool totals_whole(const struct totals *t)
{
	for (unsigned int i = 0; i < NR_MISSED; i++) {
		if (t->missed[i])
			return false;
	}
	return true;
}

static uint64_t all_run_ns(const struct totals *t)
{
	uint64_t sum = 0;

	for (unsigned int i = 0; i <= PMCTRACK_MAX_CORE_TYPES; i++)
		sum += t->run_ns[i];
	return sum;
}

/* Time in which the set could have counted. */
static uint64_t run_ns(const struct totals *t, unsigned int set)
{
	int type = pmctrack_evset__core_type(t->sets->set[set]);

	return type < 0 ? all_run_ns(t) : t->run_ns[type];
}

/* Events of lost samples of a set. The kernel numbers sets separately for each core type. */
static uint64_t lost_of(const struct totals *t, unsigned int set, unsigned int counter)
{
	uint64_t sum = 0;

	for (uint8_t type = 0; type < PMCTRACK_MAX_CORE_TYPES; type++) {
		for (uint8_t i = 0; i < PMCTRACK_MAX_SETS; i++) {
			const struct pmctrack_record rec = { .core_type = type, .set = i };

			if (pmctrack_evset__of_record(t->sets->set, t->sets->nr, &rec) == (int)set)
				sum += t->lost[type][i][counter];
		}
	}
	return sum;
}

struct total totals_of(const struct totals *t, unsigned int set, unsigned int i)
{
	uint64_t of = run_ns(t, set), on = t->of[set].hw_ns, counted = t->of[set].counts[i];
	struct total total = {
		.lost = lost_of(t, set, pmctrack_evset__counter(t->sets->set[set], i)),
	};

	total.counted = counted + total.lost;
	total.known = on || total.counted;
	total.extrapolated = on && on != of;
	total.exact = total.known && on == of && totals_whole(t);
	total.mark = total.exact ? "" : total.extrapolated ? "~" : ">=";
	total.coverage = of ? (double)on / (double)of : total.known;
	/* Lost events are not extrapolated, because the time of lost samples is not known. */
	total.estimate = (double)total.counted;
	if (total.extrapolated)
		total.estimate = (double)((long double)counted * of / on + total.lost);
	return total;
}

struct virt_total totals_virt(const struct totals *t, unsigned int i)
{
	struct virt_total total = {
		.is_mean = t->sets->virt[i].gauge,
		.sum = t->virt[i].sum,
	};

	total.known = t->virt[i].nr && (!total.is_mean || t->virt[i].weight > 0);
	total.exact = total.known && t->virt[i].nr == t->nr && totals_whole(t);
	total.mark = total.exact ? "" : total.is_mean ? "~" : ">=";
	if (total.is_mean && total.known)
		total.mean = t->virt[i].weighted / t->virt[i].weight;
	return total;
}

void total_text(const struct total *total, char *text, size_t size)
{
	if (total->extrapolated)
		snprintf(text, size, "%.0f", total->estimate);
	else
		snprintf(text, size, "%" PRIu64, total->counted);
}

void virt_total_text(const struct virt_total *total, char *text, size_t size)
{
	if (total->is_mean)
		snprintf(text, size, "%.15g", total->mean);
	else
		snprintf(text, size, "%" PRIu64, total->sum);
}

double totals_run_s(const struct totals *t)
{
	return (double)all_run_ns(t) / 1e9;
}

struct lookup {
	const struct totals *t;
	bool exact;
};

/*
 * The total of an event: of its set with the best coverage among the sets of a core type (-1:
 * sets for any core type). Returns false if no set has the event.
 */
static bool event_of_type(const struct totals *t, int type, const char *name, struct total *best)
{
	bool found = false;

	for (unsigned int i = 0; i < t->sets->nr; i++) {
		const struct pmctrack_evset *set = t->sets->set[i];
		struct total total;
		int j;

		if (pmctrack_evset__core_type(set) != type)
			continue;
		j = pmctrack_evset__find(set, name);
		if (j < 0)
			continue;
		total = totals_of(t, i, (unsigned int)j);
		if (!found || total.coverage > best->coverage)
			*best = total;
		found = true;
	}
	return found;
}

/*
 * The sum of an event's totals over core types. Returns false if the sum is not known, because
 * threads ran on a core type that has a set with the event, but the set was never counted there.
 */
static bool event_total(struct lookup *l, const char *name, double *value)
{
	bool known = false, everywhere = false;

	*value = 0;
	for (int type = -1; type < (int)l->t->sets->nr_core_types; type++) {
		bool ran = type < 0 || l->t->run_ns[type];
		struct total total;

		if (!event_of_type(l->t, type, name, &total)) {
			l->exact &= type < 0 || !ran || everywhere;
			continue;
		}
		everywhere |= type < 0;
		if (ran && !total.known)
			return false;
		l->exact &= !ran || total.exact;
		known |= total.known;
		*value += total.estimate;
	}
	return known;
}

/* True if, in all rows, a set was on the hardware all the time (hw_ns equals run_ns). */
static bool counted_always(const struct totals *t)
{
	uint64_t on = 0;

	for (unsigned int i = 0; i < t->sets->nr; i++)
		on += t->of[i].hw_ns;
	return on == all_run_ns(t);
}

static bool name_total(const char *name, double *value, void *arg)
{
	struct lookup *l = arg;

	if (strcmp(name, "run_ns") == 0 || strcmp(name, "hw_ns") == 0) {
		*value = (double)all_run_ns(l->t);
		l->exact &= *name == 'r' || counted_always(l->t);
		return true;
	}
	for (unsigned int i = 0; i < PMCTRACK_MAX_VIRT; i++) {
		struct virt_total total;

		if (!l->t->sets->virt[i].name || strcmp(l->t->sets->virt[i].name, name))
			continue;
		total = totals_virt(l->t, i);
		*value = total.is_mean ? total.mean : (double)total.sum;
		l->exact &= total.exact;
		return total.known;
	}
	return event_total(l, name, value);
}

bool totals_metric(const struct totals *t, const struct metric *m, double *value, bool *exact)
{
	struct lookup l = { .t = t, .exact = totals_whole(t) };
	bool known = metric_value(m, name_total, &l, value);

	*exact = l.exact;
	return known;
}
