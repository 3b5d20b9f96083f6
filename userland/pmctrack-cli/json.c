// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * JSON Lines: one object on each line; each line is complete when it is written. The
 * first object has the type "header", the last one "total", and those between have
 * "sample" (pmctrack-json(5)).
 */
#include <stdlib.h>

#include <json-c/json.h>

#include "metric.h"
#include "options.h"
#include "row.h"
#include "sets.h"
#include "totals.h"
#include "utf8.h"
#include "writer.h"

#define SCHEMA_VERSION	1

static void add(struct json_object *to, const char *key, struct json_object *value)
{
	json_object_object_add(to, key, value);
}

static void add_u64(struct json_object *to, const char *key, uint64_t value)
{
	add(to, key, json_object_new_uint64(value));
}

static struct json_object *new_string(const char *text)
{
	char *mended = utf8_mended(text);
	struct json_object *o = json_object_new_string(mended ? mended : "?");

	free(mended);
	return o;
}

static void add_string(struct json_object *to, const char *key, const char *value)
{
	add(to, key, new_string(value));
}

static void add_double(struct json_object *to, const char *key, double value)
{
	add(to, key, json_object_new_double(value));
}

static void print(const struct report *r, struct json_object *line)
{
	fprintf(r->out, "%s\n", json_object_to_json_string_ext(line, JSON_C_TO_STRING_PLAIN |
							       JSON_C_TO_STRING_NOSLASHESCAPE));
	json_object_put(line);
}

static struct json_object *new_line(const char *type)
{
	struct json_object *line = json_object_new_object();

	add_string(line, "type", type);
	return line;
}

static struct json_object *describe_units(void)
{
	struct json_object *units = json_object_new_object();

	add_string(units, "time_ns", "ns, CLOCK_MONOTONIC, end of the interval");
	add_string(units, "run_ns", "ns that the thread ran in the interval; of a CPU: its length");
	add_string(units, "hw_ns", "ns of these in which the set was counted");
	add_string(units, "counts", "events in hw_ns, exact");
	add_string(units, "coverage", "part of the time, 0 to 1");
	add_string(units, "extrapolated", "events in all the time, exact unless estimate is true");
	return units;
}

static struct json_object *describe_sets(const struct sets *sets)
{
	struct json_object *all = json_object_new_array();

	for (unsigned int i = 0; i < sets->nr; i++) {
		const struct pmctrack_evset *set = sets->set[i];
		struct json_object *o = json_object_new_object();
		struct json_object *events = json_object_new_array();

		add(o, "set", json_object_new_int((int)i));
		if (pmctrack_evset__core_type(set) >= 0)
			add(o, "coretype", json_object_new_int(pmctrack_evset__core_type(set)));
		for (unsigned int j = 0; j < pmctrack_evset__nr(set); j++) {
			struct json_object *event = json_object_new_object();

			add_string(event, "name", pmctrack_evset__name(set, j));
			add_u64(event, "counter", pmctrack_evset__counter(set, j));
			json_object_array_add(events, event);
		}
		add(o, "events", events);
		json_object_array_add(all, o);
	}
	return all;
}

static struct json_object *describe_virts(const struct sets *sets)
{
	struct json_object *all = json_object_new_array();

	for (unsigned int i = 0; i < PMCTRACK_MAX_VIRT; i++) {
		struct json_object *o;

		if (!(sets->virts >> i & 1))
			continue;
		o = json_object_new_object();
		add_string(o, "name", sets->virt[i].name);
		add_string(o, "unit", sets->virt[i].unit);
		add(o, "gauge", json_object_new_boolean(sets->virt[i].gauge));
		json_object_array_add(all, o);
	}
	return all;
}

static struct json_object *describe_metrics(const struct metrics *metrics)
{
	struct json_object *all = json_object_new_array();

	for (unsigned int i = 0; i < metrics->nr; i++) {
		struct json_object *o = json_object_new_object();

		add_string(o, "name", metrics->of[i].name);
		add_string(o, "formula", metrics->of[i].formula);
		json_object_array_add(all, o);
	}
	return all;
}

static void describe_target(const struct options *o, struct json_object *line)
{
	struct json_object *list = json_object_new_array();

	if (o->argv) {
		for (char **arg = o->argv; *arg; arg++)
			json_object_array_add(list, new_string(*arg));
		add(line, "command", list);
	} else if (o->nr_processes) {
		for (unsigned int i = 0; i < o->nr_processes; i++)
			json_object_array_add(list, json_object_new_int(o->processes[i]));
		add(line, "processes", list);
	} else {
		json_object_put(list);
	}
	if (o->system)
		add(line, "system", json_object_new_boolean(1));
	if (o->cgroup)
		add_string(line, "cgroup", o->cgroup);
}

static void print_header(const struct report *r, void *state)
{
	struct json_object *line = new_line("header");

	(void)state;
	add_string(line, "schema", "pmctrack");
	add(line, "version", json_object_new_int(SCHEMA_VERSION));
	if (r->sets->simulated)
		add(line, "simulated", json_object_new_boolean(true));
	describe_target(r->o, line);
	add_u64(line, "period_ns", r->period_ns);
	add(line, "sets", describe_sets(r->sets));
	add(line, "virtual", describe_virts(r->sets));
	add(line, "metrics", describe_metrics(r->metrics));
	add(line, "units", describe_units());
	print(r, line);
}

static struct json_object *counts_of(const struct row *row)
{
	struct json_object *o = json_object_new_object();

	for (unsigned int i = 0; i < row->nr_counts; i++) {
		if (row->counts[i].name)
			add_u64(o, row->counts[i].name, row->counts[i].value);
	}
	return o;
}

static struct json_object *virts_of(const struct row *row)
{
	struct json_object *o = json_object_new_object();

	for (unsigned int i = 0; i < row->nr_virts; i++)
		add(o, row->virts[i].name, row->virts[i].known ?
		    json_object_new_uint64(row->virts[i].value) : NULL);
	return o;
}

static struct json_object *metrics_of(const struct row *row)
{
	struct json_object *o = json_object_new_object();

	for (unsigned int i = 0; i < row->nr_metrics; i++)
		add(o, row->metrics[i].name, row->metrics[i].known ?
		    json_object_new_double(row->metrics[i].value) : NULL);
	return o;
}

/* Add a flag; a flag that is not set is left out. */
static void add_flag(struct json_object *to, const char *key, bool value)
{
	if (value)
		add(to, key, json_object_new_boolean(1));
}

static int print_row(const struct report *r, void *state, const struct row *row)
{
	struct json_object *line = new_line("sample");

	(void)state;
	add_u64(line, "nsample", row->nr);
	add_string(line, "kind", row->kind);
	if (!r->o->system) {
		add(line, "pid", json_object_new_int(row->tid));
		add(line, "tgid", json_object_new_int(row->tgid));
	}
	add_u64(line, "cpu", row->cpu);
	add_u64(line, "coretype", row->core_type);
	add(line, "set", row->set >= 0 ? json_object_new_int(row->set) : NULL);
	add_u64(line, "time_ns", row->time_ns);
	add_u64(line, "run_ns", row->run_ns);
	add_u64(line, "hw_ns", row->hw_ns);
	add(line, "counts", counts_of(row));
	if (row->nr_virts)
		add(line, "virtual", virts_of(row));
	if (row->nr_metrics)
		add(line, "metrics", metrics_of(row));
	add_flag(line, "merged", row->merged);
	add_flag(line, "widened", row->widened);
	add_flag(line, "disturbed", row->disturbed);
	print(r, line);
	return 0;
}

static struct json_object *event_totals(const struct report *r)
{
	struct json_object *all = json_object_new_array();

	for (unsigned int i = 0; i < r->sets->nr; i++) {
		for (unsigned int j = 0; j < pmctrack_evset__nr(r->sets->set[i]); j++) {
			struct total total = totals_of(r->totals, i, j);
			struct json_object *o = json_object_new_object();

			add(o, "set", json_object_new_int((int)i));
			add_string(o, "name", pmctrack_evset__name(r->sets->set[i], j));
			add_u64(o, "counted", total.counted);
			add_double(o, "coverage", total.coverage);
			add(o, "extrapolated", !total.known ? NULL : total.extrapolated ?
			    json_object_new_double(total.estimate) :
			    json_object_new_uint64(total.counted));
			add(o, "estimate", json_object_new_boolean(!total.exact));
			json_object_array_add(all, o);
		}
	}
	return all;
}

static void add_virt_totals(const struct report *r, struct json_object *line)
{
	struct json_object *values = json_object_new_object(), *estimates = json_object_new_object();

	for (unsigned int i = 0; i < PMCTRACK_MAX_VIRT; i++) {
		const char *name = r->sets->virt[i].name;
		struct virt_total total;

		if (!(r->sets->virts >> i & 1))
			continue;
		total = totals_virt(r->totals, i);
		add(values, name, !total.known ? NULL : total.is_mean ?
		    json_object_new_double(total.mean) : json_object_new_uint64(total.sum));
		add(estimates, name, json_object_new_boolean(!total.exact));
	}
	add(line, "virtual", values);
	add(line, "virtual_estimates", estimates);
}

static struct json_object *metric_totals(const struct report *r)
{
	struct json_object *all = json_object_new_object();

	for (unsigned int i = 0; i < r->metrics->nr; i++) {
		struct json_object *o = json_object_new_object();
		double value;
		bool exact, known = totals_metric(r->totals, &r->metrics->of[i], &value, &exact);

		add(o, "value", known ? json_object_new_double(value) : NULL);
		add(o, "estimate", json_object_new_boolean(!exact));
		add(all, r->metrics->of[i].name, o);
	}
	return all;
}

static int print_end(const struct report *r, void *state, const struct outcome *end)
{
	struct json_object *line = new_line("total");
	const uint64_t *missed = r->totals->missed;

	(void)state;
	add_u64(line, "samples", r->totals->nr);
	add_double(line, "elapsed_s", end->elapsed_s);
	add_double(line, "run_s", totals_run_s(r->totals));
	if (end->has_times) {
		add_double(line, "user_s", end->user_s);
		add_double(line, "system_s", end->system_s);
	}
	add(line, "events", event_totals(r));
	if (r->sets->virts)
		add_virt_totals(r, line);
	if (r->metrics->nr)
		add(line, "metrics", metric_totals(r));
	add_u64(line, "merged_samples", r->totals->merged);
	add_u64(line, "widened_samples", r->totals->widened);
	add_u64(line, "disturbed_samples", r->totals->disturbed);
	add_u64(line, "lost_samples", missed[MISSED_LOST]);
	add_u64(line, "skipped_threads", missed[MISSED_SKIPPED]);
	add_u64(line, "setuid_threads", missed[MISSED_SETUID]);
	add_u64(line, "left_out_threads", missed[MISSED_LEFT_OUT]);
	add_u64(line, "taken_over_threads", missed[MISSED_TAKEN]);
	add_u64(line, "threads_left", missed[MISSED_RUNNING]);
	add_u64(line, "surplus_samples", missed[MISSED_SURPLUS]);
	add_double(line, "uncounted_s", (double)missed[MISSED_UNCOUNTED] / 1e9);
	add(line, "revoked", json_object_new_boolean(missed[MISSED_REVOKED] != 0));
	add(line, "estimate", json_object_new_boolean(!totals_whole(r->totals)));
	print(r, line);
	return 0;
}

const struct writer writer_json = {
	.name = "json",
	.begin = print_header,
	.row = print_row,
	.end = print_end,
};
