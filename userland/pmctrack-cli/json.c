// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * JSON Lines: an object a line, each complete when it is written. The first has
 * the type "header", the last "total", those between are "sample"
 * (pmctrack-json(5)).
 */
#include <json-c/json.h>

#include "metric.h"
#include "options.h"
#include "output.h"

#define SCHEMA_VERSION	1

static void add(struct json_object *to, const char *key, struct json_object *value)
{
	json_object_object_add(to, key, value);
}

static void add_u64(struct json_object *to, const char *key, uint64_t value)
{
	add(to, key, json_object_new_uint64(value));
}

static void add_string(struct json_object *to, const char *key, const char *value)
{
	add(to, key, json_object_new_string(value));
}

static void add_double(struct json_object *to, const char *key, double value)
{
	add(to, key, json_object_new_double(value));
}

static void print(const struct output *w, struct json_object *line)
{
	fprintf(w->out, "%s\n", json_object_to_json_string_ext(line, JSON_C_TO_STRING_PLAIN |
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
	add_string(units, "run_ns", "ns that the thread ran in the interval");
	add_string(units, "hw_ns", "ns of these in which the set was counted");
	add_string(units, "counts", "events in hw_ns, exact");
	add_string(units, "coverage", "part of the time, 0 to 1");
	add_string(units, "extrapolated", "events, an estimate if coverage is below 1");
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
			json_object_array_add(list, json_object_new_string(*arg));
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

void json_begin(const struct output *w)
{
	struct json_object *line = new_line("header");

	add_string(line, "schema", "pmctrack");
	add(line, "version", json_object_new_int(SCHEMA_VERSION));
	describe_target(w->o, line);
	add_u64(line, "period_ns", w->period_ns);
	add(line, "sets", describe_sets(w->sets));
	add(line, "virtual", describe_virts(w->sets));
	add(line, "metrics", describe_metrics(w->metrics));
	add(line, "units", describe_units());
	print(w, line);
}

static struct json_object *virts_of(const struct output *w, const struct pmctrack_record *rec)
{
	struct json_object *o = json_object_new_object();
	uint64_t value;

	for (unsigned int i = 0; i < PMCTRACK_MAX_VIRT; i++) {
		if (w->sets->virts >> i & 1)
			add(o, w->sets->virt[i].name, pmctrack_record__virt(rec, i, &value) ? NULL :
			    json_object_new_uint64(value));
	}
	return o;
}

static struct json_object *metrics_of(const struct output *w, const struct pmctrack_record *rec)
{
	struct json_object *o = json_object_new_object();
	double value;

	for (unsigned int i = 0; i < w->metrics->nr; i++)
		add(o, w->metrics->of[i].name, row_metric(w, rec, &w->metrics->of[i], &value) ?
		    json_object_new_double(value) : NULL);
	return o;
}

void json_row(const struct output *w, const struct pmctrack_record *rec)
{
	int set = pmctrack_evset__of_record(w->sets->set, w->sets->nr, rec);
	struct json_object *line = new_line("sample");
	struct json_object *counts = json_object_new_object();

	add_u64(line, "nsample", w->totals.nr);
	add_string(line, "kind", kind_name(rec->kind));
	if (!w->o->system) {
		add(line, "pid", json_object_new_int(rec->tid));
		add(line, "tgid", json_object_new_int(rec->tgid));
	}
	add_u64(line, "cpu", rec->cpu);
	add_u64(line, "coretype", rec->core_type);
	add(line, "set", set >= 0 ? json_object_new_int(set) : NULL);
	add_u64(line, "time_ns", rec->time_ns);
	add_u64(line, "run_ns", rec->run_ns);
	add_u64(line, "hw_ns", rec->hw_ns);
	for (unsigned int j = 0; set >= 0 && j < rec->nr_counts; j++)
		add_u64(counts, pmctrack_evset__name(w->sets->set[set], j), rec->counts[j]);
	add(line, "counts", counts);
	if (w->sets->virts)
		add(line, "virtual", virts_of(w, rec));
	if (w->metrics->nr)
		add(line, "metrics", metrics_of(w, rec));
	if (rec->flags & PMCTRACK_RECORD_F_MERGED)
		add(line, "merged", json_object_new_boolean(1));
	if (rec->flags & PMCTRACK_RECORD_F_WIDENED)
		add(line, "widened", json_object_new_boolean(1));
	if (rec->flags & PMCTRACK_RECORD_F_DISTURBED)
		add(line, "disturbed", json_object_new_boolean(1));
	print(w, line);
}

static struct json_object *event_totals(const struct output *w)
{
	struct json_object *all = json_object_new_array();

	for (unsigned int i = 0; i < w->sets->nr; i++) {
		for (unsigned int j = 0; j < pmctrack_evset__nr(w->sets->set[i]); j++) {
			struct total total = totals_of(&w->totals, i, j);
			struct json_object *o = json_object_new_object();

			add(o, "set", json_object_new_int((int)i));
			add_string(o, "name", pmctrack_evset__name(w->sets->set[i], j));
			add_u64(o, "counted", total.counted);
			add_double(o, "coverage", total.coverage);
			add(o, "extrapolated", total.complete ? json_object_new_uint64(total.counted) :
			    total.coverage > 0 ? json_object_new_double(total.estimate) : NULL);
			json_object_array_add(all, o);
		}
	}
	return all;
}

static struct json_object *virt_totals(const struct output *w)
{
	struct json_object *all = json_object_new_object();
	double value;

	for (unsigned int i = 0; i < PMCTRACK_MAX_VIRT; i++) {
		if (w->sets->virts >> i & 1)
			add(all, w->sets->virt[i].name, totals_virt(&w->totals, i, &value) ?
			    json_object_new_double(value) : NULL);
	}
	return all;
}

static struct json_object *metric_totals(const struct output *w)
{
	struct json_object *all = json_object_new_object();

	for (unsigned int i = 0; i < w->metrics->nr; i++) {
		struct json_object *o = json_object_new_object();
		double value;
		bool exact, known = totals_metric(&w->totals, &w->metrics->of[i], &value, &exact);

		add(o, "value", known ? json_object_new_double(value) : NULL);
		add(o, "estimate", json_object_new_boolean(!exact));
		add(all, w->metrics->of[i].name, o);
	}
	return all;
}

void json_end(const struct output *w, const struct outcome *end)
{
	struct json_object *line = new_line("total");

	add_u64(line, "samples", w->totals.nr);
	add_double(line, "elapsed_s", end->elapsed_s);
	add_double(line, "run_s", totals_run_s(&w->totals));
	if (end->has_times) {
		add_double(line, "user_s", end->user_s);
		add_double(line, "system_s", end->system_s);
	}
	add(line, "events", event_totals(w));
	if (w->sets->virts)
		add(line, "virtual", virt_totals(w));
	if (w->metrics->nr)
		add(line, "metrics", metric_totals(w));
	add_u64(line, "merged_samples", w->totals.merged);
	add_u64(line, "widened_samples", w->totals.widened);
	add_u64(line, "disturbed_samples", w->totals.disturbed);
	add_u64(line, "lost_samples", end->stats.lost);
	add_u64(line, "skipped_threads", end->stats.skipped_threads);
	add_u64(line, "setuid_threads", w->totals.setuid);
	add_u64(line, "threads_left", end->stats.threads);
	print(w, line);
}
