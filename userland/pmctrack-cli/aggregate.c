// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Totals of all samples. Sets that take turns see a part of the time each: a
 * total comes with that part, and what it would make of the whole is marked.
 */
#include <inttypes.h>
#include <string.h>

#include "cli.h"

void aggregate_add(struct aggregate *a, const struct pmctrack_record *rec)
{
	int set = pmctrack_evset__of_record(a->sets->set, a->sets->nr, rec);

	a->run_ns[rec->core_type] += rec->run_ns;
	if (set < 0)
		return;
	a->of[set].hw_ns += rec->hw_ns;
	for (unsigned int j = 0; j < rec->nr_counts; j++)
		a->of[set].counts[j] += rec->counts[j];
}

/* Time in which threads ran where the set could have counted. */
static uint64_t run_ns(const struct aggregate *a, unsigned int i)
{
	int type = pmctrack_evset__core_type(a->sets->set[i]);
	uint64_t sum = 0;

	if (type >= 0)
		return a->run_ns[type];
	for (unsigned int t = 0; t <= PMCTRACK_MAX_CORE_TYPES; t++)
		sum += a->run_ns[t];
	return sum;
}

static void print_set(const struct aggregate *a, unsigned int i, FILE *out)
{
	const struct pmctrack_evset *set = a->sets->set[i];
	uint64_t of = run_ns(a, i), on = a->of[i].hw_ns;

	for (unsigned int j = 0; j < pmctrack_evset__nr(set); j++) {
		uint64_t count = a->of[i].counts[j];
		char whole[32] = "not counted", name[16];

		snprintf(name, sizeof(name), "pmc%u", pmctrack_evset__counter(set, j));
		if (on == of && on)
			strcpy(whole, "=");
		else if (on)
			snprintf(whole, sizeof(whole), "~%.0Lf", (long double)count * of / on);
		fprintf(out, "%5u", i);
		if (a->sets->nr_core_types > 1)
			fprintf(out, " %8d", pmctrack_evset__core_type(set));
		fprintf(out, " %9s %20" PRIu64, name, count);
		fprintf(out, " %7.1f%% %20s  %s\n", of ? 100.0 * (double)on / (double)of : 0.0,
			whole, pmctrack_evset__name(set, j));
	}
}

void aggregate_print(const struct aggregate *a, FILE *out)
{
	fprintf(out, "%5s", "expid");
	if (a->sets->nr_core_types > 1)
		fprintf(out, " %8s", "coretype");
	fprintf(out, " %9s %20s %8s %20s  %s\n", "counter", "counted", "coverage", "extrapolated", "event");
	for (unsigned int i = 0; i < a->sets->nr; i++)
		print_set(a, i, out);
}
