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
	}
	return "?";
}

void table_begin(struct table *t, const struct pmctrack_evset *set, bool mappings)
{
	if (mappings) {
		fputs("[Event-to-counter mappings]\n", t->out);
		for (unsigned int i = 0; i < pmctrack_evset__nr(set); i++)
			fprintf(t->out, "pmc%u=%s\n", pmctrack_evset__counter(set, i),
				pmctrack_evset__name(set, i));
		fputs("[Event counts]\n", t->out);
	}
	fprintf(t->out, "%7s %6s %10s", "nsample", "pid", "event");
	for (unsigned int i = 0; i < pmctrack_evset__nr(set); i++) {
		char name[16];

		snprintf(name, sizeof(name), "pmc%u", pmctrack_evset__counter(set, i));
		fprintf(t->out, " %13s", name);
	}
	fputc('\n', t->out);
	fflush(t->out);
}

void table_row(struct table *t, const struct pmctrack_record *rec)
{
	fprintf(t->out, "%7lu %6d %10s", ++t->nr_samples, rec->tid, kind_name(rec->kind));
	for (unsigned int i = 0; i < rec->nr_counts; i++)
		fprintf(t->out, " %13" PRIu64, (uint64_t)rec->counts[i]);
	fputc('\n', t->out);
	t->merged += !!(rec->flags & PMCTRACK_RECORD_F_MERGED);
	t->setuid += !!(rec->flags & PMCTRACK_RECORD_F_SETUID);
}
