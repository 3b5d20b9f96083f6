// SPDX-License-Identifier: GPL-2.0-or-later
/* Make a row from a record: look up names, and compute values from counts. */
#include <errno.h>
#include <string.h>

#include "metric.h"
#include "row.h"
#include "sets.h"

static const char *kind_name(unsigned int kind)
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

/* The counts of a record and the events of a set are both in the order of the counters. */
static void add_counts(struct row *row, const struct pmctrack_record *rec,
		       const struct pmctrack_evset *set)
{
	uint32_t counters = rec->counters;

	for (unsigned int i = 0; i < rec->nr_counts && counters; i++) {
		row->counts[row->nr_counts++] = (struct row_count){
			.name = set && i < pmctrack_evset__nr(set) ? pmctrack_evset__name(set, i) : NULL,
			.counter = (unsigned int)__builtin_ctz(counters),
			.value = rec->counts[i],
		};
		counters &= counters - 1;
	}
}

static void add_virts(struct row *row, const struct pmctrack_record *rec, const struct sets *sets)
{
	for (unsigned int i = 0; i < PMCTRACK_MAX_VIRT; i++) {
		struct row_virt *virt = &row->virts[row->nr_virts];

		if (!(sets->virts >> i & 1))
			continue;
		*virt = (struct row_virt){ .index = i, .name = sets->virt[i].name };
		virt->known = pmctrack_record__virt(rec, i, &virt->value) == 0;
		row->nr_virts++;
	}
}

struct lookup {
	const struct row *row;
	const struct pmctrack_evset *set;	/* NULL: the row has no set */
};

static bool value_in_row(const char *name, double *value, void *arg)
{
	const struct lookup *l = arg;
	int at;

	if (strcmp(name, "run_ns") == 0 || strcmp(name, "hw_ns") == 0) {
		*value = (double)(*name == 'r' ? l->row->run_ns : l->row->hw_ns);
		return true;
	}
	for (unsigned int i = 0; i < l->row->nr_virts; i++) {
		if (strcmp(l->row->virts[i].name, name))
			continue;
		*value = (double)l->row->virts[i].value;
		return l->row->virts[i].known;
	}
	at = l->set ? pmctrack_evset__find(l->set, name) : -1;
	if (at < 0 || (unsigned int)at >= l->row->nr_counts)
		return false;
	*value = (double)l->row->counts[at].value;
	return true;
}

static void add_metrics(struct row *row, const struct metrics *metrics,
			const struct pmctrack_evset *set)
{
	struct lookup l = { .row = row, .set = set };

	for (unsigned int i = 0; i < metrics->nr && i < MAX_METRICS; i++) {
		struct row_metric *m = &row->metrics[row->nr_metrics++];

		m->name = metrics->of[i].name;
		m->known = metric_value(&metrics->of[i], value_in_row, &l, &m->value);
	}
}

/* Check the core type of a record, because it becomes the index of arrays. */
static bool knows_core_type(const struct sets *sets, unsigned int core_type)
{
	return core_type == PMCTRACK_MAX_CORE_TYPES ||
	       (core_type < PMCTRACK_MAX_CORE_TYPES && core_type < sets->nr_core_types);
}

int row_make(struct row *row, unsigned long nr, const struct pmctrack_record *rec,
	     const struct sets *sets, const struct metrics *metrics)
{
	int index = pmctrack_evset__of_record(sets->set, sets->nr, rec);
	const struct pmctrack_evset *set = index < 0 ? NULL : sets->set[index];

	if (!knows_core_type(sets, rec->core_type))
		return -ENOENT;
	row->nr = nr;
	row->kind = kind_name(rec->kind);
	row->time_ns = rec->time_ns;
	row->run_ns = rec->run_ns;
	row->hw_ns = rec->hw_ns;
	row->tid = rec->tid;
	row->tgid = rec->tgid;
	row->cpu = rec->cpu;
	row->core_type = rec->core_type;
	row->set = index < 0 ? -1 : index;
	row->merged = rec->flags & PMCTRACK_RECORD_F_MERGED;
	row->setuid = rec->flags & PMCTRACK_RECORD_F_SETUID;
	row->widened = rec->flags & PMCTRACK_RECORD_F_WIDENED;
	row->disturbed = rec->flags & PMCTRACK_RECORD_F_DISTURBED;
	row->revoked = rec->kind == PMCTRACK_RECORD_REVOKED;
	row->nr_counts = 0;
	row->nr_virts = 0;
	row->nr_metrics = 0;
	add_counts(row, rec, set);
	add_virts(row, rec, sets);
	if (metrics)
		add_metrics(row, metrics, set);
	return 0;
}
