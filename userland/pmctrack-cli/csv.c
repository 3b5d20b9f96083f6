// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Comma-separated values (RFC 4180): a header, then one line for each sample. If a
 * sample does not have a value, its field is empty. On a simulated machine, there is
 * one more column, "simulated", at the end.
 */
#include <inttypes.h>
#include <string.h>

#include "complain.h"
#include "exit_status.h"
#include "metric.h"
#include "options.h"
#include "row.h"
#include "sets.h"
#include "totals.h"
#include "writer.h"

#define FIXED_COLUMNS	"nsample,time_ns,kind,pid,tgid,cpu,coretype,expid,run_ns,hw_ns,merged,widened,disturbed"

#define SIMULATED "simulated"

struct csv {
	const char *columns[MAX_SETS * PMCTRACK_MAX_COUNTERS];	/* distinct event names */
	unsigned int nr_columns;
};

/* True if this is the name of a fixed column or of an event. */
static bool is_column(const struct sets *sets, const char *name)
{
	const char *at = FIXED_COLUMNS "," SIMULATED;

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

static void end_header(const struct report *r)
{
	fputs(r->sets->simulated ? "," SIMULATED "\r\n" : "\r\n", r->out);
}

static void end_line(const struct report *r)
{
	fputs(r->sets->simulated ? ",1\r\n" : "\r\n", r->out);
}

/* Refuse virtual counters and metrics that have the name of another column. */
static int check(const struct report *r)
{
	const struct metrics *metrics = r->metrics;
	const struct sets *sets = r->sets;

	if (!r->rows)
		return 0;
	for (unsigned int i = 0; i < PMCTRACK_MAX_VIRT; i++) {
		if (!(sets->virts >> i & 1) || !is_column(sets, sets->virt[i].name))
			continue;
		complain("-V %s: --csv has a column of that name already; choose another format",
			 sets->virt[i].name);
		return STATUS_USAGE;
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
		return STATUS_USAGE;
	}
	return 0;
}

/*
 * Add a column for an event name, unless there is one already: events of several sets
 * that have the same name are the same event.
 */
static void add_column(struct csv *csv, const char *name)
{
	for (unsigned int i = 0; i < csv->nr_columns; i++) {
		if (strcmp(csv->columns[i], name) == 0)
			return;
	}
	csv->columns[csv->nr_columns++] = name;
}

/* Print a name. Quote it if it has a comma or a quote, as names in raw strings can have. */
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

static void begin(const struct report *r, void *state)
{
	struct csv *csv = state;

	if (!r->rows)
		return;
	for (unsigned int i = 0; i < r->sets->nr; i++) {
		for (unsigned int j = 0; j < pmctrack_evset__nr(r->sets->set[i]); j++)
			add_column(csv, pmctrack_evset__name(r->sets->set[i], j));
	}
	fputs(FIXED_COLUMNS, r->out);
	for (unsigned int i = 0; i < csv->nr_columns; i++)
		print_name(r->out, csv->columns[i]);
	for (unsigned int i = 0; i < PMCTRACK_MAX_VIRT; i++) {
		if (r->sets->virts >> i & 1)
			print_name(r->out, r->sets->virt[i].name);
	}
	for (unsigned int i = 0; i < r->metrics->nr; i++)
		print_name(r->out, r->metrics->of[i].name);
	end_header(r);
}

static void print_count(FILE *out, const struct row *row, const char *name)
{
	fputc(',', out);
	for (unsigned int j = 0; j < row->nr_counts; j++) {
		if (row->counts[j].name && strcmp(row->counts[j].name, name) == 0) {
			fprintf(out, "%" PRIu64, row->counts[j].value);
			return;
		}
	}
}

static int print_row(const struct report *r, void *state, const struct row *row)
{
	const struct csv *csv = state;

	fprintf(r->out, "%lu,%" PRIu64 ",%s,", row->nr, row->time_ns, row->kind);
	if (r->o->system)
		fprintf(r->out, ",,%u,%u,", row->cpu, row->core_type);
	else
		fprintf(r->out, "%d,%d,%u,%u,", row->tid, row->tgid, row->cpu, row->core_type);
	if (row->set >= 0)
		fprintf(r->out, "%d", row->set);
	fprintf(r->out, ",%" PRIu64 ",%" PRIu64 ",%d,%d,%d", row->run_ns, row->hw_ns, row->merged,
		row->widened, row->disturbed);
	for (unsigned int i = 0; i < csv->nr_columns; i++)
		print_count(r->out, row, csv->columns[i]);
	for (unsigned int i = 0; i < row->nr_virts; i++) {
		fputc(',', r->out);
		if (row->virts[i].known)
			fprintf(r->out, "%" PRIu64, row->virts[i].value);
	}
	for (unsigned int i = 0; i < row->nr_metrics; i++) {
		fputc(',', r->out);
		if (row->metrics[i].known)
			fprintf(r->out, "%.15g", row->metrics[i].value);
	}
	end_line(r);
	return 0;
}

/* -A: print one line for each event, virtual counter and metric. */
static void print_totals(const struct report *r, const struct outcome *end)
{
	char text[48];
	double value;
	bool exact;

	(void)end;
	fputs("expid,coretype,counter,event,counted,coverage,extrapolated,exact", r->out);
	end_header(r);
	for (unsigned int i = 0; i < r->sets->nr; i++) {
		const struct pmctrack_evset *set = r->sets->set[i];

		for (unsigned int j = 0; j < pmctrack_evset__nr(set); j++) {
			struct total total = totals_of(r->totals, i, j);

			fprintf(r->out, "%u,%d,pmc%u", i, pmctrack_evset__core_type(set),
				pmctrack_evset__counter(set, j));
			print_name(r->out, pmctrack_evset__name(set, j));
			fprintf(r->out, ",%" PRIu64 ",%.15g,", total.counted, total.coverage);
			if (total.known)
				total_text(&total, text, sizeof(text));
			fprintf(r->out, "%s,%d", total.known ? text : "", total.exact);
			end_line(r);
		}
	}
	for (unsigned int i = 0; i < PMCTRACK_MAX_VIRT; i++) {
		struct virt_total total;

		if (!(r->sets->virts >> i & 1))
			continue;
		total = totals_virt(r->totals, i);
		fprintf(r->out, ",,virt%u", i);
		print_name(r->out, r->sets->virt[i].name);
		if (total.known)
			virt_total_text(&total, text, sizeof(text));
		fprintf(r->out, ",%s,,,%d", total.known ? text : "", total.exact);
		end_line(r);
	}
	for (unsigned int i = 0; i < r->metrics->nr; i++) {
		bool known = totals_metric(r->totals, &r->metrics->of[i], &value, &exact);

		fputs(",,", r->out);
		print_name(r->out, r->metrics->of[i].name);
		/* A metric is either exact or an estimate, so one of the two columns is empty. */
		if (known && exact)
			fprintf(r->out, ",%.15g,1,,1", value);
		else if (known)
			fprintf(r->out, ",,,%.15g,0", value);
		else
			fputs(",,,,0", r->out);
		end_line(r);
	}
}

const struct writer writer_csv = {
	.name = "csv",
	.state_size = sizeof(struct csv),
	.check = check,
	.begin = begin,
	.row = print_row,
	.totals = print_totals,
};
