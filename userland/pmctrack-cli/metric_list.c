// SPDX-License-Identifier: GPL-2.0-or-later
/* -m list: the ready metrics that can be counted on this machine, and why others cannot. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "complain.h"
#include "metric.h"
#include "metric_list.h"
#include "sets.h"

struct listing {
	FILE *out;
	const struct pmctrack_ctl *ctl;	/* NULL: it is not known what can be counted */
	bool countable;		/* print metrics that can be counted; false: the others */
	unsigned int nr;	/* number of metrics that were not printed */
};

/* True if all events of a metric can be counted at once. If not, pmctrack_error() says why. */
static bool is_countable(const struct pmctrack_ctl *ctl, const struct metric *metric)
{
	const struct metrics one = { .of = (struct metric *)metric, .nr = 1 };
	struct pmctrack_evset *sets[MAX_SETS];
	char *events = metrics_events(&one);
	int nr = -ENOMEM;

	if (events)
		nr = pmctrack_evset__parse_list(ctl, events, PMCTRACK_EVSET_STRICT, sets, MAX_SETS);
	free(events);
	for (int i = 0; i < nr; i++)
		pmctrack_evset__free(sets[i]);
	return nr > 0;
}

static int print_ready(const char *name, const char *formula, const char *desc, void *arg)
{
	struct listing *l = arg;
	struct metric metric;
	char *text, why[100];
	bool countable = true;
	int err;

	if (asprintf(&text, "%s=%s", name, formula) < 0)
		return -ENOMEM;
	err = metric_parse(&metric, text, why, sizeof(why));
	free(text);
	if (err) {
		complain("-m %s=%s: %s", name, formula, why);
		return err;
	}
	if (l->ctl)
		countable = is_countable(l->ctl, &metric);
	metric_free(&metric);
	if (countable != l->countable)
		l->nr++;
	/* Print the error up to the semicolon, because remedies follow it. */
	else if (!countable)
		fprintf(l->out, "%-18s %-36s %.*s\n", name, formula,
			(int)strcspn(pmctrack_error(), ";"), pmctrack_error());
	else
		fprintf(l->out, "%-18s %-36s %s\n", name, formula, desc);
	return 0;
}

/* Two passes: metrics that cannot be counted here are printed last, with a heading. */
int metrics_print(FILE *out, const struct pmctrack_ctl *ctl)
{
	struct listing l = { .out = out, .ctl = ctl, .countable = true };
	int err = metrics_each_ready(print_ready, &l);

	if (err || !l.nr)
		return err;
	fputs("\nNot on this machine:\n", out);
	l.countable = false;
	return metrics_each_ready(print_ready, &l);
}

/* The function for -m list. */
int metrics_list(void)
{
	struct pmctrack_ctl *ctl = pmctrack_ctl__open();
	int err;

	if (!ctl)
		complain("note: which of these can be counted here is not known: %s", pmctrack_error());
	err = metrics_print(stdout, ctl);
	pmctrack_ctl__close(ctl);
	return err;
}
