// SPDX-License-Identifier: GPL-2.0-or-later
/* The sample table of the paper (section 3.2.2), and the table of totals (-A). */
#include <inttypes.h>
#include <string.h>

#include "losses.h"
#include "metric.h"
#include "options.h"
#include "row.h"
#include "sets.h"
#include "totals.h"
#include "writer.h"

struct table {
	uint32_t counters;	/* mask of the counters of all sets: each is a column */
};

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

/* One set is printed as in the paper. If there are several, each has a heading. */
static void print_mappings(const struct report *r)
{
	if (r->sets->simulated)
		fputs("[Simulated machine]\n", r->out);
	fputs("[Event-to-counter mappings]\n", r->out);
	for (unsigned int i = 0; i < r->sets->nr; i++)
		mapping_of_set(r->out, r->sets, i);
	for (unsigned int i = 0; i < PMCTRACK_MAX_VIRT; i++) {
		if (!(r->sets->virts >> i & 1))
			continue;
		fprintf(r->out, "virt%u=%s%s%s\n", i, r->sets->virt[i].name,
			*r->sets->virt[i].unit ? " " : "", r->sets->virt[i].unit);
	}
	fputs("[Event counts]\n", r->out);
}

static void column(FILE *out, const char *prefix, unsigned int n)
{
	char name[16];

	snprintf(name, sizeof(name), "%s%u", prefix, n);
	fprintf(out, " %13s", name);
}

/* Set and core type are columns only if there are several sets or core types. */
static void print_header(const struct report *r, const struct table *t)
{
	const struct sets *sets = r->sets;

	fprintf(r->out, "%7s %6s", "nsample", r->o->system ? "cpu" : "pid");
	if (sets->nr > 1)
		fprintf(r->out, " %5s", "expid");
	if (sets->nr_core_types > 1)
		fprintf(r->out, " %8s", "coretype");
	fprintf(r->out, " %10s", "event");
	for (unsigned int c = 0; c < PMCTRACK_MAX_COUNTERS; c++) {
		if (t->counters >> c & 1)
			column(r->out, "pmc", c);
	}
	for (unsigned int i = 0; i < PMCTRACK_MAX_VIRT; i++) {
		if (sets->virts >> i & 1)
			column(r->out, "virt", i);
	}
	for (unsigned int i = 0; i < r->metrics->nr; i++)
		fprintf(r->out, " %13s", r->metrics->of[i].name);
	fputc('\n', r->out);
}

static void begin(const struct report *r, void *state)
{
	struct table *t = state;

	for (unsigned int i = 0; i < r->sets->nr; i++) {
		for (unsigned int j = 0; j < pmctrack_evset__nr(r->sets->set[i]); j++)
			t->counters |= 1u << pmctrack_evset__counter(r->sets->set[i], j);
	}
	if (!r->o->no_mappings)
		print_mappings(r);
	if (r->rows)
		print_header(r, t);
}

/* The counts of a row are in the order of the counters. */
static void print_counts(const struct report *r, const struct table *t, const struct row *row)
{
	unsigned int next = 0;

	for (unsigned int c = 0; c < PMCTRACK_MAX_COUNTERS; c++) {
		if (!(t->counters >> c & 1))
			continue;
		if (next < row->nr_counts && row->counts[next].counter == c)
			fprintf(r->out, " %13" PRIu64, row->counts[next++].value);
		else
			fprintf(r->out, " %13s", "-");
	}
}

static void print_made_of_counts(const struct report *r, const struct row *row)
{
	for (unsigned int i = 0; i < row->nr_virts; i++) {
		if (row->virts[i].known)
			fprintf(r->out, " %13" PRIu64, row->virts[i].value);
		else
			fprintf(r->out, " %13s", "-");
	}
	for (unsigned int i = 0; i < row->nr_metrics; i++) {
		if (row->metrics[i].known)
			fprintf(r->out, " %13.6g", row->metrics[i].value);
		else
			fprintf(r->out, " %13s", "-");
	}
}

static int print_row(const struct report *r, void *state, const struct row *row)
{
	fprintf(r->out, "%7lu %6d", row->nr, r->o->system ? (int)row->cpu : row->tid);
	if (r->sets->nr > 1 && row->set >= 0)
		fprintf(r->out, " %5d", row->set);
	else if (r->sets->nr > 1)
		fprintf(r->out, " %5s", "-");
	if (r->sets->nr_core_types > 1)
		fprintf(r->out, " %8u", row->core_type);
	fprintf(r->out, " %10s", row->kind);
	print_counts(r, state, row);
	print_made_of_counts(r, row);
	fputc('\n', r->out);
	return 0;
}

static void print_set_totals(const struct report *r, unsigned int i)
{
	const struct pmctrack_evset *set = r->sets->set[i];

	for (unsigned int j = 0; j < pmctrack_evset__nr(set); j++) {
		struct total total = totals_of(r->totals, i, j);
		char whole[56] = "not counted", number[48], name[16];

		snprintf(name, sizeof(name), "pmc%u", pmctrack_evset__counter(set, j));
		total_text(&total, number, sizeof(number));
		if (total.exact)
			strcpy(whole, "=");
		else if (total.known)
			snprintf(whole, sizeof(whole), "%s%s", total.mark, number);
		fprintf(r->out, "%5u", i);
		if (r->sets->nr_core_types > 1)
			fprintf(r->out, " %8d", pmctrack_evset__core_type(set));
		fprintf(r->out, " %9s %20" PRIu64, name, total.counted);
		/* A coverage below 100 % must not be rounded to 100 %. */
		fprintf(r->out, " %7.1f%% %20s  %s\n",
			total.extrapolated && total.coverage > 0.999 ? 99.9 : 100 * total.coverage,
			whole, pmctrack_evset__name(set, j));
	}
}

static void print_totals(const struct report *r, const struct outcome *end)
{
	char text[48];
	double value;
	bool exact;

	(void)end;
	fprintf(r->out, "%5s", "expid");
	if (r->sets->nr_core_types > 1)
		fprintf(r->out, " %8s", "coretype");
	fprintf(r->out, " %9s %20s %8s %20s  %s\n", "counter", "counted", "coverage", "extrapolated", "event");
	for (unsigned int i = 0; i < r->sets->nr; i++)
		print_set_totals(r, i);
	for (unsigned int i = 0; i < PMCTRACK_MAX_VIRT; i++) {
		struct virt_total total;

		if (!(r->sets->virts >> i & 1))
			continue;
		total = totals_virt(r->totals, i);
		virt_total_text(&total, text, sizeof(text));
		if (total.known)
			fprintf(r->out, "%s: %s%s %s%s\n", r->sets->virt[i].name, total.mark, text,
				r->sets->virt[i].unit, total.is_mean ? " (mean)" : "");
		else
			fprintf(r->out, "%s: no value\n", r->sets->virt[i].name);
	}
	for (unsigned int i = 0; i < r->metrics->nr; i++) {
		if (totals_metric(r->totals, &r->metrics->of[i], &value, &exact))
			fprintf(r->out, "%s: %s%.6g\n", r->metrics->of[i].name, exact ? "" : "~", value);
		else
			fprintf(r->out, "%s: no value\n", r->metrics->of[i].name);
	}
	losses_print(r->out, r->totals);
}

const struct writer writer_table = {
	.summary = &writer_summary,
	.state_size = sizeof(struct table),
	.begin = begin,
	.row = print_row,
	.totals = print_totals,
};
