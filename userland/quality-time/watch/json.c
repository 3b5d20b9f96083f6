// SPDX-License-Identifier: GPL-2.0-or-later
#include "watch/json.h"

#include <stdlib.h>

#include "utf8.h"

static const struct { const char *key, *text; } units[] = {
	{ "cpu_ns", "ns, CPU time of all threads" },
	{ "explained_ns", "ns, the part of cpu_ns that quality_time_ns is about" },
	{ "quality_time_ns", "ns that this would have taken alone, an estimate from samples alone" },
	{ "quality", "quality_time_ns / explained_ns" },
	{ "waited_ns", "ns in run queues, sum of all threads (schedstat); null: this kernel does not know" },
	{ "throttled_us", "us, of the control group and those above it, by cpu.max (cpu.stat)" },
	{ "stolen_ms", "ms, of all CPUs, by the hypervisor (/proc/stat)" },
	{ "sample_age_ms", "ms, age of the oldest of the last samples alone" },
};

struct json_object *json_new_line(const char *type)
{
	struct json_object *line = json_object_new_object();

	json_add_text(line, "type", type);
	return line;
}

void json_print(FILE *out, struct json_object *line)
{
	fprintf(out, "%s\n", json_object_to_json_string_ext(line, JSON_C_TO_STRING_PLAIN |
							    JSON_C_TO_STRING_NOSLASHESCAPE));
	json_object_put(line);
}

struct json_object *json_rounded(double value)
{
	char text[32];

	snprintf(text, sizeof(text), "%.3f", value);
	return json_object_new_double_s(value, text);
}

void json_add(struct json_object *to, const char *key, struct json_object *value)
{
	json_object_object_add(to, key, value);
}

void json_add_u64(struct json_object *to, const char *key, uint64_t value)
{
	json_add(to, key, json_object_new_uint64(value));
}

void json_add_text(struct json_object *to, const char *key, const char *text)
{
	char *mended = text ? utf8_mended(text) : NULL;

	json_add(to, key, mended ? json_object_new_string(mended) : NULL);
	free(mended);
}

void json_add_sum(struct json_object *to, const struct sum *s)
{
	double quality, waited;

	json_add_u64(to, "cpu_ns", s->cpu_ns);
	json_add_u64(to, "explained_ns", s->explained_ns);
	json_add_u64(to, "quality_time_ns", s->quality_ns);
	json_add(to, "quality", sum_quality(s, &quality) ? json_rounded(quality) : NULL);
	json_add(to, "waited_ns", sum_waited(s, &waited) ? json_object_new_uint64(s->waited_ns) : NULL);
}

void json_add_units(struct json_object *to)
{
	struct json_object *all = json_object_new_object();

	for (unsigned int i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		json_add_text(all, units[i].key, units[i].text);
	json_add(to, "units", all);
}
