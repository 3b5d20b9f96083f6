// SPDX-License-Identifier: GPL-2.0-or-later
/* Totals for people (--summary). Each says how it was obtained. */
#include <inttypes.h>
#include <string.h>

#include "metric.h"
#include "options.h"
#include "sets.h"
#include "totals.h"
#include "writer.h"

/* "1,234,567" */
static void group_digits(char *text, size_t size, const char *mark, double value)
{
	char digits[48];
	size_t len, n = 0;

	snprintf(digits, sizeof(digits), "%.0f", value);
	len = strlen(digits);
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
	char number[64] = "not counted", how[64] = "";

	if (total.complete) {
		group_digits(number, sizeof(number), "", (double)total.counted);
	} else if (total.coverage > 0) {
		group_digits(number, sizeof(number), "~", total.estimate);
		snprintf(how, sizeof(how), "extrapolated from %.1f%% of the time",
			 total.coverage > 0.999 ? 99.9 : 100 * total.coverage);
	}
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

static int print_summary(const struct report *r, void *state, const struct outcome *end)
{
	double value;
	bool exact;

	(void)state;
	print_whose(r);
	for (unsigned int i = 0; i < r->sets->nr; i++) {
		for (unsigned int j = 0; j < pmctrack_evset__nr(r->sets->set[i]); j++)
			print_event(r, i, j);
	}
	for (unsigned int i = 0; i < PMCTRACK_MAX_VIRT; i++) {
		if (!(r->sets->virts >> i & 1))
			continue;
		if (totals_virt(r->totals, i, &value))
			fprintf(r->out, "%24.15g  %-24s %s%s\n", value, r->sets->virt[i].name,
				r->sets->virt[i].unit, r->sets->virt[i].gauge ? ", mean" : "");
		else
			fprintf(r->out, "%24s  %s\n", "no value", r->sets->virt[i].name);
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
	return 0;
}

/* There are no rows, and no mappings of events to counters. */
const struct writer writer_summary = {
	.end = print_summary,
};
