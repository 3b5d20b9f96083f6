// SPDX-License-Identifier: GPL-2.0-or-later
/* Counts events of the PMU, and virtual counters of a monitoring module, by libpmctrack. */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <pmctrack/libpmctrack.h>

#include "complain.h"
#include "counter.h"

/* Period of records: a rate covers no less. */
#define PERIOD_NS 50000000
/* One event set for each type of core. */
#define MOST_SETS 8

/**
 * struct events - a session
 * @set: its event sets, @sets of them; 0: a virtual counter is counted
 * @virt: number of this virtual counter; -1: events are counted
 * @units: units taken from records so far
 * @told: the user was told what is missing
 */
struct events {
	struct counter counter;
	struct pmctrack_session *session;
	struct pmctrack_evset *set[MOST_SETS];
	int sets;
	int virt;
	uint64_t units;
	bool told;
};

static uint64_t units_of(const struct events *e, const struct pmctrack_record *rec)
{
	uint64_t value = 0;
	int of;

	if (e->virt >= 0)
		return pmctrack_record__virt(rec, (unsigned int)e->virt, &value) ? 0 : value;
	of = pmctrack_evset__of_record(e->set, (unsigned int)e->sets, rec);
	return of >= 0 && rec->nr_counts ? rec->counts[0] : 0;
}

/*
 * Returns the units in lost records. Their event counts are still known, but not their virtual
 * counters.
 */
static uint64_t lost_of(const struct events *e)
{
	uint64_t sum = 0;
	unsigned int type;

	for (type = 0; e->virt < 0 && type < PMCTRACK_MAX_CORE_TYPES; type++)
		sum += pmctrack_session__lost_count_of(e->session, type, 0, pmctrack_evset__counter(e->set[0], 0));
	return sum;
}

static void tell_missing(struct events *e, const struct pmctrack_session_stats *stats)
{
	if (e->told || (!stats->skipped_threads && !(e->virt >= 0 && stats->lost)))
		return;
	e->told = true;
	if (stats->skipped_threads)
		complain("%u threads are not counted: the kernel had no memory for them, or their creators may not be traced", stats->skipped_threads);
	else
		complain("the last units of threads that have ended are lost: the kernel's buffers were full");
}

static int read_events(struct counter *c, uint64_t *units)
{
	struct events *e = (struct events *)c;
	struct pmctrack_session_stats stats = {.sz = sizeof(stats)};
	const struct pmctrack_record *rec;
	int n;

	while ((n = pmctrack_session__next(e->session, &rec)) > 0)
		e->units += units_of(e, rec);
	*units = e->units + lost_of(e);
	if (!n) {
		pmctrack_session__stats(e->session, &stats);
		tell_missing(e, &stats);
		n = stats.revoked ? -ESHUTDOWN : 0;
	}
	return n;
}

static void close_events(struct counter *c)
{
	struct events *e = (struct events *)c;
	int i;

	pmctrack_session__close(e->session);
	for (i = 0; i < e->sets; i++)
		pmctrack_evset__free(e->set[i]);
	free(e);
}

/*
 * Returns 1 if there is such a virtual counter, 0 if there is none; -EINVAL: it cannot be added up.
 */
static int find_virt(struct events *e, const struct pmctrack_ctl *ctl, const char *name)
{
	struct pmctrack_virt_info info = {.sz = sizeof(info)};
	unsigned int i;

	for (i = 0; i < pmctrack_ctl__nr_virts(ctl); i++) {
		if (pmctrack_ctl__virt_info(ctl, i, &info) || strcmp(info.name, name))
			continue;
		if (info.gauge) {
			complain("-c %s: a state, which cannot be added up to a number of units", name);
			return -EINVAL;
		}
		e->virt = (int)i;
		return 1;
	}
	return 0;
}

static int find(struct events *e, const struct pmctrack_ctl *ctl, const char *name)
{
	int err = find_virt(e, ctl, name);

	if (err)
		return err < 0 ? err : 0;
	err = strchr(name, ',') ? -EINVAL : 0;
	if (err) {
		complain("-c %s: one event", name);
		return err;
	}
	e->sets = pmctrack_evset__parse_list(ctl, name, 0, e->set, MOST_SETS);
	err = e->sets < 0 ? e->sets : 0;
	if (err) {
		e->sets = 0;
		complain("-c %s: %s", name, pmctrack_error());
	}
	return err;
}

struct counter *events_open(const char *name, pid_t pid)
{
	struct events *e = calloc(1, sizeof(*e));
	struct pmctrack_session_opts opts = {
		.sz = sizeof(opts),
		.flags = PMCTRACK_SESSION_ON_EXEC | PMCTRACK_SESSION_THREADS | PMCTRACK_SESSION_CHILDREN,
		.pid = pid,
		.period_ns = PERIOD_NS,
	};
	struct pmctrack_ctl *ctl = pmctrack_ctl__open();

	if (!e || !ctl) {
		complain("-c %s: %s", name, ctl ? strerror(ENOMEM) : pmctrack_error());
		pmctrack_ctl__close(ctl);
		free(e);
		return NULL;
	}
	e->virt = -1;
	e->counter = (struct counter){read_events, close_events, "the event never happened"};
	if (!find(e, ctl, name)) {
		opts.virts = e->virt >= 0 ? 1U << e->virt : 0;
		e->session = pmctrack_session__open(ctl, e->set, (unsigned int)e->sets, &opts);
		if (!e->session)
			complain("-c %s: %s", name, pmctrack_error());
	}
	pmctrack_ctl__close(ctl);
	if (e->session)
		return &e->counter;
	close_events(&e->counter);
	return NULL;
}
