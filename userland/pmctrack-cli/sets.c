// SPDX-License-Identifier: GPL-2.0-or-later
/* What is counted: the event sets of the command line. */
#include <errno.h>
#include <string.h>

#include "cli.h"

/* A set of a raw string, or as many as the mnemonics need; their number or a negative errno. */
static int parse_one(struct sets *sets, const struct pmctrack_ctl *ctl, const struct options *o,
		     const char *events)
{
	struct pmctrack_evset **next = sets->set + sets->nr;

	if (!o->raw)
		return pmctrack_evset__parse_list(ctl, events, o->strict ? PMCTRACK_EVSET_STRICT : 0,
						  next, MAX_SETS - sets->nr);
	/* There is room: options hold no more of them. */
	*next = pmctrack_evset__parse_raw(ctl, events);
	return *next ? 1 : -errno;
}

/* 0, or an exit status, the reason printed. */
int sets_parse(struct sets *sets, const struct pmctrack_ctl *ctl, const struct options *o)
{
	sets->nr_core_types = pmctrack_ctl__nr_pmus(ctl);
	for (unsigned int i = 0; i < o->nr_events; i++) {
		int nr = parse_one(sets, ctl, o, o->events[i]);

		if (nr < 0) {
			complain("%s", pmctrack_error());
			return EXIT_SELF;
		}
		sets->nr += (unsigned int)nr;
	}
	if (sets->nr > o->nr_events * (o->raw ? 1 : sets->nr_core_types))
		complain("note: more events than counters: they are in %u event sets, which take turns; --strict refuses that",
			 sets->nr);
	return 0;
}

void sets_free(struct sets *sets)
{
	for (unsigned int i = 0; i < sets->nr; i++)
		pmctrack_evset__free(sets->set[i]);
}
