// SPDX-License-Identifier: GPL-2.0-or-later
/* Totals for people (--summary), each with how it was obtained. */
#include <inttypes.h>
#include <string.h>

#include "metric.h"
#include "options.h"
#include "output.h"

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

static void print_event(const struct output *w, unsigned int i, unsigned int j)
{
	const struct pmctrack_evset *set = w->sets->set[i];
	struct total total = totals_of(&w->totals, i, j);
	char number[64] = "not counted", how[64] = "";

	if (total.complete) {
		group_digits(number, sizeof(number), "", (double)total.counted);
	} else if (total.coverage > 0) {
		group_digits(number, sizeof(number), "~", total.estimate);
		snprintf(how, sizeof(how), "extrapolated from %.1f%% of the time",
			 total.coverage > 0.999 ? 99.9 : 100 * total.coverage);
	}
	fprintf(w->out, "%24s  %-24s", number, pmctrack_evset__name(set, j));
	if (w->sets->nr_core_types > 1 && pmctrack_evset__core_type(set) >= 0)
		fprintf(w->out, " core type %d", pmctrack_evset__core_type(set));
	fprintf(w->out, " %s\n", how);
}

static void print_whose(const struct output *w)
{
	fputs("\nCounters of ", w->out);
	if (w->o->argv) {
		for (char **arg = w->o->argv; *arg; arg++)
			fprintf(w->out, "%s%s", arg == w->o->argv ? "" : " ", *arg);
	} else if (w->o->nr_processes) {
		fputs("processes", w->out);
		for (unsigned int i = 0; i < w->o->nr_processes; i++)
			fprintf(w->out, " %d", w->o->processes[i]);
	}
	if (w->o->cgroup)
		fprintf(w->out, "%scgroup %s", w->o->argv ? ", in " : "", w->o->cgroup);
	else if (w->o->system)
		fprintf(w->out, "%sall CPUs", w->o->argv ? ", on " : "");
	fputs("\n\n", w->out);
}

void summary_print(const struct output *w, const struct outcome *end)
{
	double value;
	bool exact;

	print_whose(w);
	for (unsigned int i = 0; i < w->sets->nr; i++) {
		for (unsigned int j = 0; j < pmctrack_evset__nr(w->sets->set[i]); j++)
			print_event(w, i, j);
	}
	for (unsigned int i = 0; i < PMCTRACK_MAX_VIRT; i++) {
		if (!(w->sets->virts >> i & 1))
			continue;
		if (totals_virt(&w->totals, i, &value))
			fprintf(w->out, "%24.15g  %-24s %s%s\n", value, w->sets->virt[i].name,
				w->sets->virt[i].unit, w->sets->virt[i].gauge ? ", mean" : "");
		else
			fprintf(w->out, "%24s  %s\n", "no value", w->sets->virt[i].name);
	}
	for (unsigned int i = 0; i < w->metrics->nr; i++) {
		const struct metric *m = &w->metrics->of[i];
		char number[32] = "no value";

		if (totals_metric(&w->totals, m, &value, &exact))
			snprintf(number, sizeof(number), "%s%.6g", exact ? "" : "~", value);
		fprintf(w->out, "%24s  %-24s %s\n", number, m->name, m->formula);
	}
	fprintf(w->out, "\n%24.6f  seconds elapsed\n", end->elapsed_s);
	fprintf(w->out, "%24.6f  seconds on CPUs\n", totals_run_s(&w->totals));
	if (end->has_times)
		fprintf(w->out, "%24.6f  seconds user\n%24.6f  seconds system\n", end->user_s,
			end->system_s);
}
