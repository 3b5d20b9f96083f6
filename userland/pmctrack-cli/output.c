// SPDX-License-Identifier: GPL-2.0-or-later
/* Where rows go: the format that the user chose. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "metric.h"
#include "options.h"
#include "output.h"

const char *kind_name(unsigned int kind)
{
	switch (kind) {
	case PMCTRACK_RECORD_TICK: return "tick";
	case PMCTRACK_RECORD_EBS: return "ebs";
	case PMCTRACK_RECORD_EXIT: return "exit";
	case PMCTRACK_RECORD_MIGRATION: return "migration";
	case PMCTRACK_RECORD_SELF: return "self";
	case PMCTRACK_RECORD_DETACH: return "detach";
	case PMCTRACK_RECORD_REVOKED: return "revoked";
	}
	return "?";
}

/* Are there rows, or only totals at the end? */
bool output_rows(const struct output *w)
{
	return !w->o->aggregate && !w->o->summary;
}

void output_begin(struct output *w)
{
	w->totals.sets = w->sets;
	switch (w->o->format) {
	case FORMAT_TABLE:
		if (!w->o->no_mappings && !w->o->summary)
			table_mappings(w);
		if (output_rows(w))
			table_begin(w);
		break;
	case FORMAT_CSV:
		csv_begin(w);
		break;
	case FORMAT_JSON:
		json_begin(w);
		break;
	case FORMAT_OPENMETRICS:
		break;
	}
	output_flush(w);
}

void output_row(struct output *w, const struct pmctrack_record *rec)
{
	totals_add(&w->totals, rec);
	if (w->o->format == FORMAT_OPENMETRICS)
		openmetrics_row(w, rec);
	else if (!output_rows(w))
		return;
	else if (w->o->format == FORMAT_CSV)
		csv_row(w, rec);
	else if (w->o->format == FORMAT_JSON)
		json_row(w, rec);
	else
		table_row(w, rec);
}

/* After some rows. */
void output_flush(struct output *w)
{
	if (w->o->output && w->cpus)
		openmetrics_write(w);
	if (w->out && (fflush(w->out) || ferror(w->out)) && !w->error)
		w->error = errno ? errno : EIO;
}

void output_end(struct output *w, const struct outcome *end)
{
	switch (w->o->format) {
	case FORMAT_TABLE:
		if (w->o->aggregate)
			table_totals(w);
		if (w->o->summary)
			summary_print(w, end);
		break;
	case FORMAT_CSV:
		if (!output_rows(w))
			csv_totals(w);
		break;
	case FORMAT_JSON:
		json_end(w, end);
		break;
	case FORMAT_OPENMETRICS:
		openmetrics_write(w);
		break;
	}
	csv_free(w);
	openmetrics_free(w);
}

struct lookup {
	const struct output *w;
	const struct pmctrack_record *rec;
	int set;
};

static bool name_in_row(const char *name, double *value, void *arg)
{
	const struct lookup *l = arg;
	const struct sets *sets = l->w->sets;
	uint64_t virt;
	int at;

	if (strcmp(name, "run_ns") == 0 || strcmp(name, "hw_ns") == 0) {
		*value = (double)(*name == 'r' ? l->rec->run_ns : l->rec->hw_ns);
		return true;
	}
	for (unsigned int i = 0; i < PMCTRACK_MAX_VIRT; i++) {
		if (!sets->virt[i].name || strcmp(sets->virt[i].name, name))
			continue;
		if (pmctrack_record__virt(l->rec, i, &virt))
			return false;
		*value = (double)virt;
		return true;
	}
	at = l->set < 0 ? -1 : pmctrack_evset__find(sets->set[l->set], name);
	if (at < 0 || at >= l->rec->nr_counts)
		return false;
	*value = (double)l->rec->counts[at];
	return true;
}

/* A metric of a row; false if it has no value there, for example of another set. */
bool row_metric(const struct output *w, const struct pmctrack_record *rec, const struct metric *m,
		double *value)
{
	struct lookup l = {
		.w = w,
		.rec = rec,
		.set = pmctrack_evset__of_record(w->sets->set, w->sets->nr, rec),
	};

	return metric_value(m, name_in_row, &l, value);
}
