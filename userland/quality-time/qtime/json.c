// SPDX-License-Identifier: GPL-2.0-or-later
/* JSON Lines, see qtime(1). */
#include "qtime/writer.h"
#include "watch/json.h"

#define SCHEMA_VERSION	1

static void begin(FILE *out)
{
	struct json_object *line = json_new_line("header");

	json_add_u64(line, "schema", SCHEMA_VERSION);
	json_add_text(line, "version", VERSION);
	json_add_units(line);
	json_print(out, line);
}

static void add_state(struct json_object *line, const struct state *s, uint64_t age_ms)
{
	const struct elsewhere *e = &s->elsewhere;

	json_add(line, "elapsed_s", json_rounded(s->elapsed_s));
	json_add_u64(line, "processes", s->processes);
	json_add(line, "sample_age_ms", s->all.explained_ns ? json_object_new_uint64(age_ms) : NULL);
	json_add(line, "throttled_us", e->has_throttled ? json_object_new_uint64(e->throttled_us) : NULL);
	json_add(line, "stolen_ms", e->has_stolen ? json_object_new_uint64(e->stolen_ms) : NULL);
}

static void interval(FILE *out, const struct state *s)
{
	struct json_object *line = json_new_line("interval");

	json_add_sum(line, &s->interval);
	add_state(line, s, s->sample_age_ms);
	json_print(out, line);
}

static void end(FILE *out, const struct state *s, const char *title)
{
	struct json_object *line = json_new_line("total");
	struct json_object *programs = json_object_new_array();

	json_add_text(line, "of", title);
	json_add(line, "whole", json_object_new_boolean(s->whole));
	json_add_sum(line, &s->all);
	add_state(line, s, s->oldest_ms);
	json_add(line, "hold_us", s->has_sampling ? json_object_new_uint64(s->hold_us) : NULL);
	json_add(line, "budget_milli", s->has_sampling ? json_object_new_uint64(s->budget) : NULL);
	for (unsigned int i = 0; i < s->programs->nr; i++) {
		const struct program_sum *of = &s->programs->of[i];
		struct json_object *program = json_object_new_object();

		json_add_text(program, "name", of->name);
		json_add_u64(program, "processes", of->processes);
		json_add_sum(program, &of->sum);
		json_object_array_add(programs, program);
	}
	json_add(line, "programs", programs);
	json_print(out, line);
}

const struct writer writer_json = { .begin = begin, .interval = interval, .end = end };
