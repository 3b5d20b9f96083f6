// SPDX-License-Identifier: GPL-2.0-or-later
/* The sample table of the paper (section 3.2.2). */
#include <inttypes.h>

#include "cli.h"

static const char *kind_name(unsigned int kind)
{
	switch (kind) {
	case PMCTRACK_RECORD_TICK: return "tick";
	case PMCTRACK_RECORD_EBS: return "ebs";
	case PMCTRACK_RECORD_EXIT: return "exit";
	case PMCTRACK_RECORD_MIGRATION: return "migration";
	case PMCTRACK_RECORD_SELF: return "self";
	case PMCTRACK_RECORD_DETACH: return "detach";
	}
	return "?";
}

/* The paper's form for one set; with several, each under its name. */
void table_mappings(FILE *out, const struct sets *sets)
{
	fputs("[Event-to-counter mappings]\n", out);
	for (unsigned int i = 0; i < sets->nr; i++) {
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
	fputs("[Event counts]\n", out);
}

/* Columns that tell rows apart are there when rows can differ in them. */
void table_begin(struct table *t)
{
	for (unsigned int i = 0; i < t->sets->nr; i++) {
		for (unsigned int j = 0; j < pmctrack_evset__nr(t->sets->set[i]); j++)
			t->counters |= 1u << pmctrack_evset__counter(t->sets->set[i], j);
	}
	fprintf(t->out, "%7s %6s", "nsample", "pid");
	if (t->sets->nr > 1)
		fprintf(t->out, " %5s", "expid");
	if (t->sets->nr_core_types > 1)
		fprintf(t->out, " %8s", "coretype");
	fprintf(t->out, " %10s", "event");
	for (unsigned int c = 0; c < PMCTRACK_MAX_COUNTERS; c++) {
		char name[16];

		snprintf(name, sizeof(name), "pmc%u", c);
		if (t->counters >> c & 1)
			fprintf(t->out, " %13s", name);
	}
	fputc('\n', t->out);
	fflush(t->out);
}

void table_row(const struct table *t, unsigned long nr, const struct pmctrack_record *rec)
{
	int set = pmctrack_evset__of_record(t->sets->set, t->sets->nr, rec);
	const uint64_t *count = (const uint64_t *)rec->counts;

	fprintf(t->out, "%7lu %6d", nr, rec->tid);
	if (t->sets->nr > 1 && set >= 0)
		fprintf(t->out, " %5d", set);
	else if (t->sets->nr > 1)
		fprintf(t->out, " %5s", "-");
	if (t->sets->nr_core_types > 1)
		fprintf(t->out, " %8u", rec->core_type);
	fprintf(t->out, " %10s", kind_name(rec->kind));
	for (unsigned int c = 0; c < PMCTRACK_MAX_COUNTERS; c++) {
		if (!(t->counters >> c & 1))
			continue;
		if (rec->counters >> c & 1)
			fprintf(t->out, " %13" PRIu64, *count++);
		else
			fprintf(t->out, " %13s", "-");
	}
	fputc('\n', t->out);
}
