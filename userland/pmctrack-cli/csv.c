// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Comma-separated values (RFC 4180): a header, then a line a sample. A field
 * is empty where the sample has no such value.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "complain.h"
#include "exit_status.h"
#include "metric.h"
#include "options.h"
#include "output.h"

#define FIXED_COLUMNS	"nsample,time_ns,kind,pid,tgid,cpu,coretype,expid,run_ns,hw_ns,merged,widened,disturbed"

/* Is it the name of a column that rows always have, or of an event? */
static bool is_column(const struct sets *sets, const char *name)
{
	const char *at = FIXED_COLUMNS;

	for (; *at; at += strcspn(at, ","), at += *at == ',') {
		if (strcspn(at, ",") == strlen(name) && strncmp(at, name, strlen(name)) == 0)
			return true;
	}
	for (unsigned int i = 0; i < sets->nr; i++) {
		for (unsigned int j = 0; j < pmctrack_evset__nr(sets->set[i]); j++) {
			if (strcmp(pmctrack_evset__name(sets->set[i], j), name) == 0)
				return true;
		}
	}
	return false;
}

/* Names of columns are unique: 0, or an exit status, the reason printed. */
int csv_check(const struct sets *sets, const struct metrics *metrics)
{
	for (unsigned int i = 0; i < PMCTRACK_MAX_VIRT; i++) {
		if (!(sets->virts >> i & 1) || !is_column(sets, sets->virt[i].name))
			continue;
		complain("-V %s: --csv has a column of that name already; choose another format",
			 sets->virt[i].name);
		return EXIT_USAGE;
	}
	for (unsigned int i = 0; i < metrics->nr; i++) {
		const char *name = metrics->of[i].name;
		bool taken = is_column(sets, name);

		for (unsigned int j = 0; j < PMCTRACK_MAX_VIRT; j++)
			taken |= sets->virts >> j & 1 && strcmp(sets->virt[j].name, name) == 0;
		if (!taken)
			continue;
		complain("-m %s: --csv has a column of that name already; give the metric another name (NAME=FORMULA)",
			 name);
		return EXIT_USAGE;
	}
	return 0;
}

/*
 * A column for each distinct event name of all sets, in order. Events of several
 * sets that have the same name are the same event.
 */
static void add_column(struct output *w, const char *name)
{
	for (unsigned int i = 0; i < w->nr_columns; i++) {
		if (strcmp(w->columns[i], name) == 0)
			return;
	}
	w->columns[w->nr_columns++] = (char *)name;
}

/* Names come from the command line; quotes are not in any, but commas of raw items may be. */
static void print_name(FILE *out, const char *name)
{
	if (strpbrk(name, ",\"\n")) {
		fputs(",\"", out);
		for (; *name; name++)
			fprintf(out, *name == '"' ? "\"\"" : "%c", *name);
		fputc('"', out);
	} else {
		fprintf(out, ",%s", name);
	}
}

void csv_begin(struct output *w)
{
	if (!output_rows(w))
		return;
	w->columns = calloc((size_t)MAX_SETS * PMCTRACK_MAX_COUNTERS, sizeof(*w->columns));
	for (unsigned int i = 0; w->columns && i < w->sets->nr; i++) {
		for (unsigned int j = 0; j < pmctrack_evset__nr(w->sets->set[i]); j++)
			add_column(w, pmctrack_evset__name(w->sets->set[i], j));
	}
	fputs(FIXED_COLUMNS, w->out);
	for (unsigned int i = 0; i < w->nr_columns; i++)
		print_name(w->out, w->columns[i]);
	for (unsigned int i = 0; i < PMCTRACK_MAX_VIRT; i++) {
		if (w->sets->virts >> i & 1)
			print_name(w->out, w->sets->virt[i].name);
	}
	for (unsigned int i = 0; i < w->metrics->nr; i++)
		print_name(w->out, w->metrics->of[i].name);
	fputs("\r\n", w->out);
}

static void print_count(const struct output *w, const struct pmctrack_record *rec, int set,
			const char *name)
{
	fputc(',', w->out);
	for (unsigned int j = 0; set >= 0 && j < rec->nr_counts; j++) {
		if (strcmp(pmctrack_evset__name(w->sets->set[set], j), name) == 0) {
			fprintf(w->out, "%" PRIu64, (uint64_t)rec->counts[j]);
			return;
		}
	}
}

void csv_row(const struct output *w, const struct pmctrack_record *rec)
{
	int set = pmctrack_evset__of_record(w->sets->set, w->sets->nr, rec);
	uint64_t virt;
	double value;

	fprintf(w->out, "%lu,%" PRIu64 ",%s,", w->totals.nr, (uint64_t)rec->time_ns,
		kind_name(rec->kind));
	if (w->o->system)
		fprintf(w->out, ",,%u,%u,", rec->cpu, rec->core_type);
	else
		fprintf(w->out, "%d,%d,%u,%u,", rec->tid, rec->tgid, rec->cpu, rec->core_type);
	if (set >= 0)
		fprintf(w->out, "%d", set);
	fprintf(w->out, ",%" PRIu64 ",%" PRIu64 ",%d,%d,%d", (uint64_t)rec->run_ns,
		(uint64_t)rec->hw_ns, !!(rec->flags & PMCTRACK_RECORD_F_MERGED),
		!!(rec->flags & PMCTRACK_RECORD_F_WIDENED),
		!!(rec->flags & PMCTRACK_RECORD_F_DISTURBED));
	for (unsigned int i = 0; i < w->nr_columns; i++)
		print_count(w, rec, set, w->columns[i]);
	for (unsigned int i = 0; i < PMCTRACK_MAX_VIRT; i++) {
		if (!(w->sets->virts >> i & 1))
			continue;
		fputc(',', w->out);
		if (!pmctrack_record__virt(rec, i, &virt))
			fprintf(w->out, "%" PRIu64, virt);
	}
	for (unsigned int i = 0; i < w->metrics->nr; i++) {
		fputc(',', w->out);
		if (row_metric(w, rec, &w->metrics->of[i], &value))
			fprintf(w->out, "%.15g", value);
	}
	fputs("\r\n", w->out);
}

/* -A: a line for each event, virtual counter and metric. */
void csv_totals(const struct output *w)
{
	double value;
	bool exact;

	fputs("expid,coretype,counter,event,counted,coverage,extrapolated\r\n", w->out);
	for (unsigned int i = 0; i < w->sets->nr; i++) {
		const struct pmctrack_evset *set = w->sets->set[i];

		for (unsigned int j = 0; j < pmctrack_evset__nr(set); j++) {
			struct total total = totals_of(&w->totals, i, j);

			fprintf(w->out, "%u,%d,pmc%u", i, pmctrack_evset__core_type(set),
				pmctrack_evset__counter(set, j));
			print_name(w->out, pmctrack_evset__name(set, j));
			fprintf(w->out, ",%" PRIu64 ",%.15g,", total.counted, total.coverage);
			if (total.coverage > 0)
				fprintf(w->out, "%.0f", total.estimate);
			fputs("\r\n", w->out);
		}
	}
	for (unsigned int i = 0; i < PMCTRACK_MAX_VIRT; i++) {
		if (!(w->sets->virts >> i & 1))
			continue;
		fprintf(w->out, ",,virt%u", i);
		print_name(w->out, w->sets->virt[i].name);
		if (totals_virt(&w->totals, i, &value))
			fprintf(w->out, ",%.15g", value);
		else
			fputc(',', w->out);
		fputs(",,\r\n", w->out);
	}
	for (unsigned int i = 0; i < w->metrics->nr; i++) {
		bool known = totals_metric(&w->totals, &w->metrics->of[i], &value, &exact);

		fputs(",,", w->out);
		print_name(w->out, w->metrics->of[i].name);
		/* One of the two: a metric of estimates is one. */
		if (known && exact)
			fprintf(w->out, ",%.15g,1,\r\n", value);
		else if (known)
			fprintf(w->out, ",,,%.15g\r\n", value);
		else
			fputs(",,,\r\n", w->out);
	}
}

void csv_free(struct output *w)
{
	free(w->columns);
	w->columns = NULL;
}
