// SPDX-License-Identifier: GPL-2.0-or-later
/* Make the event sets and virtual counters of the command line. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "complain.h"
#include "exit_status.h"
#include "metric.h"
#include "options.h"
#include "sets.h"

/*
 * Appends the set of a raw string, or as many sets as the mnemonics need. Returns their
 * number or a negative errno.
 */
static int parse_one(struct sets *sets, const struct pmctrack_ctl *ctl, const struct options *o,
		     const char *events)
{
	struct pmctrack_evset **next = sets->set + sets->nr;

	if (!o->raw)
		return pmctrack_evset__parse_list(ctl, events, o->strict ? PMCTRACK_EVSET_STRICT : 0,
						  next, MAX_SETS - sets->nr);
	/* There is room, because struct options has at most MAX_SETS of them. */
	*next = pmctrack_evset__parse_raw(ctl, events);
	return *next ? 1 : -errno;
}

static int add(struct sets *sets, const struct pmctrack_ctl *ctl, const struct options *o,
	       const char *events)
{
	int nr = parse_one(sets, ctl, o, events);

	if (nr < 0) {
		complain("%s", pmctrack_error());
		return STATUS_FAILED;
	}
	sets->nr += (unsigned int)nr;
	return 0;
}

/*
 * Add the sets to count without -c: the events of the metrics. Without metrics: with -V, the
 * sets of the monitoring module, if it has any; otherwise instr,cycles.
 */
static int add_default(struct sets *sets, const struct pmctrack_ctl *ctl, const struct options *o,
		       const struct metrics *metrics)
{
	char *events;
	int status, nr;

	if (sets->virts && !metrics->nr) {
		nr = pmctrack_evset__parse_mmon(ctl, sets->set, MAX_SETS);
		if (nr > 0) {
			sets->of_mmon = true;
			sets->nr = (unsigned int)nr;
			return 0;
		}
	}
	events = metrics->nr ? metrics_events(metrics) : strdup("instr,cycles");
	status = events ? add(sets, ctl, o, events) : STATUS_FAILED;
	free(events);
	return status;
}

static int parse_virts(struct sets *sets, const struct pmctrack_ctl *ctl, const struct options *o)
{
	if (!o->virts)
		return 0;
	if (pmctrack_ctl__parse_virts(ctl, o->virts, &sets->virts)) {
		complain("%s", pmctrack_error());
		return STATUS_FAILED;
	}
	for (unsigned int i = 0; i < pmctrack_ctl__nr_virts(ctl); i++) {
		struct pmctrack_virt_info info = { .sz = sizeof(info) };

		if (!(sets->virts >> i & 1) || pmctrack_ctl__virt_info(ctl, i, &info))
			continue;
		sets->virt[i].name = strdup(info.name);
		sets->virt[i].unit = strdup(info.unit);
		sets->virt[i].gauge = info.gauge;
		if (!sets->virt[i].name || !sets->virt[i].unit) {
			complain("no memory");
			return STATUS_FAILED;
		}
	}
	return 0;
}

static bool is_counted(const struct sets *sets, const char *name)
{
	if (strcmp(name, "run_ns") == 0 || strcmp(name, "hw_ns") == 0)
		return true;
	for (unsigned int i = 0; i < PMCTRACK_MAX_VIRT; i++) {
		if (sets->virt[i].name && strcmp(sets->virt[i].name, name) == 0)
			return true;
	}
	for (unsigned int i = 0; i < sets->nr; i++) {
		if (pmctrack_evset__find(sets->set[i], name) >= 0)
			return true;
	}
	return false;
}

static int check_metrics(const struct sets *sets, const struct metrics *metrics)
{
	for (unsigned int i = 0; i < metrics->nr; i++) {
		for (unsigned int j = 0; j < metrics->of[i].nr_ops; j++) {
			const char *name = metrics->of[i].ops[j].name;

			if (!name || is_counted(sets, name))
				continue;
			complain("-m %s: '%s' is not counted; add it to -c, or leave -c out",
				 metrics->of[i].name, name);
			return STATUS_USAGE;
		}
	}
	return 0;
}

int sets_parse(struct sets *sets, const struct pmctrack_ctl *ctl, const struct options *o,
	       const struct metrics *metrics)
{
	int status;

	sets->nr_core_types = pmctrack_ctl__nr_pmus(ctl);
	sets->simulated = strcmp(pmctrack_ctl__backend(ctl), "sim") == 0;
	status = parse_virts(sets, ctl, o);
	if (!status && !o->nr_events)
		status = add_default(sets, ctl, o, metrics);
	for (unsigned int i = 0; !status && i < o->nr_events; i++)
		status = add(sets, ctl, o, o->events[i]);
	return status ? status : check_metrics(sets, metrics);
}

void sets_tell_turns(const struct sets *sets, const struct options *o)
{
	unsigned int most = o->nr_events ? o->nr_events : 1;

	if (!sets->of_mmon && sets->nr > most * (o->raw ? 1 : sets->nr_core_types))
		complain("note: more events than counters: they are in %u event sets, which take turns; --strict refuses that",
			 sets->nr);
}

void sets_free(struct sets *sets)
{
	for (unsigned int i = 0; i < sets->nr; i++)
		pmctrack_evset__free(sets->set[i]);
	for (unsigned int i = 0; i < PMCTRACK_MAX_VIRT; i++) {
		free(sets->virt[i].name);
		free(sets->virt[i].unit);
	}
}
