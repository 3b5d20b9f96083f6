// SPDX-License-Identifier: GPL-2.0-or-later
/* Totals for people (--summary). Each total says how it was obtained. */
#include <string.h>

#include "losses.h"
#include "metric.h"
#include "options.h"
#include "sets.h"
#include "totals.h"
#include "writer.h"

/* Prints like "~1,234,567". */
static void group_digits(char *text, size_t size, const char *mark, const char *digits)
{
	size_t len = strlen(digits), n = 0;

	n += (size_t)snprintf(text, size, "%s", mark);
	for (size_t i = 0; i < len && n + 2 < size; i++) {
		if (i && (len - i) % 3 == 0)
			text[n++] = ',';
		text[n++] = digits[i];
	}
	text[n] = '\0';
}

static void print_event(const struct report *r, unsigned int i, unsigned int j)
{
	const struct pmctrack_evset *set = r->sets->set[i];
	struct total total = totals_of(r->totals, i, j);
	char digits[48], number[72] = "not counted", how[64] = "";

	total_text(&total, digits, sizeof(digits));
	if (total.known)
		group_digits(number, sizeof(number), total.mark, digits);
	if (total.extrapolated)
		snprintf(how, sizeof(how), "extrapolated from %.1f%% of the time",
			 total.coverage > 0.999 ? 99.9 : 100 * total.coverage);
	else if (total.known && !total.exact)
		strcpy(how, "at least");
	fprintf(r->out, "%24s  %-24s", number, pmctrack_evset__name(set, j));
	if (r->sets->nr_core_types > 1 && pmctrack_evset__core_type(set) >= 0)
		fprintf(r->out, " core type %d", pmctrack_evset__core_type(set));
	fprintf(r->out, " %s\n", how);
}

static void print_whose(const struct report *r)
{
	fputs("\nCounters of ", r->out);
	if (r->o->argv) {
		for (char **arg = r->o->argv; *arg; arg++)
			fprintf(r->out, "%s%s", arg == r->o->argv ? "" : " ", *arg);
	} else if (r->o->nr_processes) {
		fputs("processes", r->out);
		for (unsigned int i = 0; i < r->o->nr_processes; i++)
			fprintf(r->out, " %d", r->o->processes[i]);
	}
	if (r->o->cgroup)
		fprintf(r->out, "%scgroup %s", r->o->argv ? ", in " : "", r->o->cgroup);
	else if (r->o->system)
		fprintf(r->out, "%sall CPUs", r->o->argv ? ", on " : "");
	fputs("\n\n", r->out);
}

static void print_virt(const struct report *r, unsigned int i)
{
	const struct virtual_counter *virt = &r->sets->virt[i];
	struct virt_total total = totals_virt(r->totals, i);
	char text[48], number[56] = "no value";

	virt_total_text(&total, text, sizeof(text));
	if (total.known)
		snprintf(number, sizeof(number), "%s%s", total.mark, text);
	fprintf(r->out, "%24s  %-24s %s%s%s\n", number, virt->name, virt->unit,
		*virt->unit && total.is_mean ? ", " : "", total.is_mean ? "mean" : "");
}

static void print_summary(const struct report *r, const struct outcome *end)
{
	double value;
	bool exact;

	print_whose(r);
	for (unsigned int i = 0; i < r->sets->nr; i++) {
		for (unsigned int j = 0; j < pmctrack_evset__nr(r->sets->set[i]); j++)
			print_event(r, i, j);
	}
	for (unsigned int i = 0; i < PMCTRACK_MAX_VIRT; i++) {
		if (r->sets->virts >> i & 1)
			print_virt(r, i);
	}
	for (unsigned int i = 0; i < r->metrics->nr; i++) {
		const struct metric *m = &r->metrics->of[i];
		char number[32] = "no value";

		if (totals_metric(r->totals, m, &value, &exact))
			snprintf(number, sizeof(number), "%s%.6g", exact ? "" : "~", value);
		fprintf(r->out, "%24s  %-24s %s\n", number, m->name, m->formula);
	}
	fprintf(r->out, "\n%24.6f  seconds elapsed\n", end->elapsed_s);
	fprintf(r->out, "%24.6f  seconds on CPUs\n", totals_run_s(r->totals));
	if (end->has_times)
		fprintf(r->out, "%24.6f  seconds user\n%24.6f  seconds system\n", end->user_s,
			end->system_s);
	losses_print(r->out, r->totals);
}

/* This writer prints neither rows nor mappings of events to counters. */
const struct writer writer_summary = {
	.totals = print_summary,
};
