// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Totals of all samples. A set that takes turns, or whose counters are in use by others,
 * is counted for a part of the time. Each total has this part, its coverage. What is
 * extrapolated from it to the whole time is marked as an estimate where it is printed.
 */
#include <string.h>

#include "metric.h"
#include "row.h"
#include "totals.h"

void totals_add(struct totals *t, const struct row *row)
{
	t->nr++;
	t->merged += row->merged;
	t->setuid += row->setuid;
	t->widened += row->widened;
	t->disturbed += row->disturbed;
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

/* Time in which the set could have counted. */
static uint64_t run_ns(const struct totals *t, unsigned int set)
{
	int type = pmctrack_evset__core_type(t->sets->set[set]);
	uint64_t sum = 0;

	if (type >= 0)
		return t->run_ns[type];
	for (unsigned int i = 0; i <= PMCTRACK_MAX_CORE_TYPES; i++)
		sum += t->run_ns[i];
	return sum;
}

struct total totals_of(const struct totals *t, unsigned int set, unsigned int i)
{
	uint64_t of = run_ns(t, set), on = t->of[set].hw_ns;
	struct total total = { .counted = t->of[set].counts[i] };

	total.complete = on && on == of;
	total.coverage = of ? (double)on / (double)of : 0;
	if (on)
		total.estimate = (double)((long double)total.counted * of / on);
	return total;
}

bool totals_virt(const struct totals *t, unsigned int i, double *value)
{
	if (!t->virt[i].nr)
		return false;
	if (!t->sets->virt[i].gauge)
		*value = (double)t->virt[i].sum;
	else if (t->virt[i].weight > 0)
		*value = t->virt[i].weighted / t->virt[i].weight;
	else
		return false;
	return true;
}

double totals_run_s(const struct totals *t)
{
	double sum = 0;

	for (unsigned int i = 0; i <= PMCTRACK_MAX_CORE_TYPES; i++)
		sum += (double)t->run_ns[i];
	return sum / 1e9;
}

struct lookup {
	const struct totals *t;
	bool exact;
};

/* The total of the best covered set of a core type (-1: any). False: none has the event. */
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
 * The sum over core types. False: it is not known, because threads ran on a core type
 * where the event was never counted.
 */
static bool event_total(struct lookup *l, const char *name, double *value)
{
	bool known = false;

	*value = 0;
	for (int type = -1; type < (int)l->t->sets->nr_core_types; type++) {
		struct total total;

		if (!event_of_type(l->t, type, name, &total))
			continue;
		if (!total.complete && (type < 0 || l->t->run_ns[type])) {
			if (!(total.coverage > 0))
				return false;
			l->exact = false;
		}
		known |= total.coverage > 0;
		*value += total.complete ? (double)total.counted : total.estimate;
	}
	return known;
}

static bool name_total(const char *name, double *value, void *arg)
{
	struct lookup *l = arg;

	if (strcmp(name, "run_ns") == 0 || strcmp(name, "hw_ns") == 0) {
		*value = totals_run_s(l->t) * 1e9;
		return true;
	}
	for (unsigned int i = 0; i < PMCTRACK_MAX_VIRT; i++) {
		if (l->t->sets->virt[i].name && strcmp(l->t->sets->virt[i].name, name) == 0)
			return totals_virt(l->t, i, value);
	}
	return event_total(l, name, value);
}

bool totals_metric(const struct totals *t, const struct metric *m, double *value, bool *exact)
{
	struct lookup l = { .t = t, .exact = true };
	bool known = metric_value(m, name_total, &l, value);

	*exact = l.exact;
	return known;
}
