// SPDX-License-Identifier: GPL-2.0-or-later
/* The sample table of the paper (section 3.2.2), and the table of totals (-A). */
#include <inttypes.h>
#include <string.h>

#include "metric.h"
#include "options.h"
#include "output.h"

static void mapping_of_set(FILE *out, const struct sets *sets, unsigned int i)
{
	const struct pmctrack_evset *set = sets->set[i];

	if (sets->nr > 1)
		fprintf(out, "[Set %u", i);
	if (sets->nr > 1 && sets->nr_core_types > 1 && pmctrack_evset__core_type(set) >= 0)
		fprintf(out, ", core type %d", pmctrack_evset__core_type(set));
	if (sets->nr > 1)
		fputs("]\n", out);
	for (unsigned int j = 0; j < pmctrack_evset__nr(set); j++)
		fprintf(out, "pmc%u=%s\n", pmctrack_evset__counter(set, j),
			pmctrack_evset__name(set, j));
}

/* The paper's form for one set; with several, each under its name. */
void table_mappings(const struct output *w)
{
	fputs("[Event-to-counter mappings]\n", w->out);
	for (unsigned int i = 0; i < w->sets->nr; i++)
		mapping_of_set(w->out, w->sets, i);
	for (unsigned int i = 0; i < PMCTRACK_MAX_VIRT; i++) {
		if (!(w->sets->virts >> i & 1))
			continue;
		fprintf(w->out, "virt%u=%s%s%s\n", i, w->sets->virt[i].name,
			*w->sets->virt[i].unit ? " " : "", w->sets->virt[i].unit);
	}
	fputs("[Event counts]\n", w->out);
}

static void column(FILE *out, const char *prefix, unsigned int n)
{
	char name[16];

	snprintf(name, sizeof(name), "%s%u", prefix, n);
	fprintf(out, " %13s", name);
}

/* Columns that tell rows apart are there when rows can differ in them. */
void table_begin(struct output *w)
{
	const struct sets *sets = w->sets;

	for (unsigned int i = 0; i < sets->nr; i++) {
		for (unsigned int j = 0; j < pmctrack_evset__nr(sets->set[i]); j++)
			w->counters |= 1u << pmctrack_evset__counter(sets->set[i], j);
	}
	fprintf(w->out, "%7s %6s", "nsample", w->o->system ? "cpu" : "pid");
	if (sets->nr > 1)
		fprintf(w->out, " %5s", "expid");
	if (sets->nr_core_types > 1)
		fprintf(w->out, " %8s", "coretype");
	fprintf(w->out, " %10s", "event");
	for (unsigned int c = 0; c < PMCTRACK_MAX_COUNTERS; c++) {
		if (w->counters >> c & 1)
			column(w->out, "pmc", c);
	}
	for (unsigned int i = 0; i < PMCTRACK_MAX_VIRT; i++) {
		if (sets->virts >> i & 1)
			column(w->out, "virt", i);
	}
	for (unsigned int i = 0; i < w->metrics->nr; i++)
		fprintf(w->out, " %13s", w->metrics->of[i].name);
	fputc('\n', w->out);
}

static void made_of_counts(const struct output *w, const struct pmctrack_record *rec)
{
	uint64_t value;
	double number;

	for (unsigned int i = 0; i < PMCTRACK_MAX_VIRT; i++) {
		if (!(w->sets->virts >> i & 1))
			continue;
		if (!pmctrack_record__virt(rec, i, &value))
			fprintf(w->out, " %13" PRIu64, value);
		else
			fprintf(w->out, " %13s", "-");
	}
	for (unsigned int i = 0; i < w->metrics->nr; i++) {
		if (row_metric(w, rec, &w->metrics->of[i], &number))
			fprintf(w->out, " %13.6g", number);
		else
			fprintf(w->out, " %13s", "-");
	}
}

void table_row(const struct output *w, const struct pmctrack_record *rec)
{
	int set = pmctrack_evset__of_record(w->sets->set, w->sets->nr, rec);
	const uint64_t *count = (const uint64_t *)rec->counts;

	fprintf(w->out, "%7lu %6d", w->totals.nr, w->o->system ? (int)rec->cpu : rec->tid);
	if (w->sets->nr > 1 && set >= 0)
		fprintf(w->out, " %5d", set);
	else if (w->sets->nr > 1)
		fprintf(w->out, " %5s", "-");
	if (w->sets->nr_core_types > 1)
		fprintf(w->out, " %8u", rec->core_type);
	fprintf(w->out, " %10s", kind_name(rec->kind));
	for (unsigned int c = 0; c < PMCTRACK_MAX_COUNTERS; c++) {
		if (!(w->counters >> c & 1))
			continue;
		if (rec->counters >> c & 1)
			fprintf(w->out, " %13" PRIu64, *count++);
		else
			fprintf(w->out, " %13s", "-");
	}
	made_of_counts(w, rec);
	fputc('\n', w->out);
}

static void totals_of_set(const struct output *w, unsigned int i)
{
	const struct pmctrack_evset *set = w->sets->set[i];

	for (unsigned int j = 0; j < pmctrack_evset__nr(set); j++) {
		struct total total = totals_of(&w->totals, i, j);
		char whole[32] = "not counted", name[16];

		snprintf(name, sizeof(name), "pmc%u", pmctrack_evset__counter(set, j));
		if (total.complete)
			strcpy(whole, "=");
		else if (total.coverage > 0)
			snprintf(whole, sizeof(whole), "~%.0f", total.estimate);
		fprintf(w->out, "%5u", i);
		if (w->sets->nr_core_types > 1)
			fprintf(w->out, " %8d", pmctrack_evset__core_type(set));
		fprintf(w->out, " %9s %20" PRIu64, name, total.counted);
		/* What is not all must not look like it. */
		fprintf(w->out, " %7.1f%% %20s  %s\n",
			!total.complete && total.coverage > 0.999 ? 99.9 : 100 * total.coverage,
			whole, pmctrack_evset__name(set, j));
	}
}

void table_totals(const struct output *w)
{
	double value;
	bool exact;

	fprintf(w->out, "%5s", "expid");
	if (w->sets->nr_core_types > 1)
		fprintf(w->out, " %8s", "coretype");
	fprintf(w->out, " %9s %20s %8s %20s  %s\n", "counter", "counted", "coverage", "extrapolated", "event");
	for (unsigned int i = 0; i < w->sets->nr; i++)
		totals_of_set(w, i);
	for (unsigned int i = 0; i < PMCTRACK_MAX_VIRT; i++) {
		if (w->sets->virts >> i & 1 && totals_virt(&w->totals, i, &value))
			fprintf(w->out, "%s: %.15g %s%s\n", w->sets->virt[i].name, value,
				w->sets->virt[i].unit, w->sets->virt[i].gauge ? " (mean)" : "");
		else if (w->sets->virts >> i & 1)
			fprintf(w->out, "%s: no value\n", w->sets->virt[i].name);
	}
	for (unsigned int i = 0; i < w->metrics->nr; i++) {
		if (totals_metric(&w->totals, &w->metrics->of[i], &value, &exact))
			fprintf(w->out, "%s: %s%.6g\n", w->metrics->of[i].name, exact ? "" : "~", value);
		else
			fprintf(w->out, "%s: no value\n", w->metrics->of[i].name);
	}
}
