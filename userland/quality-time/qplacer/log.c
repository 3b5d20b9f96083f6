// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "complain.h"
#include "cpu_list.h"
#include "qplacer/log.h"
#include "watch/json.h"

#define SCHEMA_VERSION	1
/* Number of rejected states that the text names. */
#define OTHERS		3

static bool json;

/* Print the applications of each cache, as in "mcf[12] art[13]", with bars between caches. */
static void print_state(const struct apps *a, const struct placement *where)
{
	for (unsigned int c = 0; c < a->topology->nr; c++) {
		bool any = false;

		fputs(c ? " |" : "{", stdout);
		for (unsigned int i = 0; i < ANNEAL_APPS; i++) {
			if (!a->of[i].pid || where->cache[i] != c)
				continue;
			printf(" %s[%d]", a->of[i].name, a->of[i].pid);
			any = true;
		}
		if (!any)
			fputs(" -", stdout);
	}
	fputs(" }", stdout);
}

static struct json_object *state_object(const struct apps *a, const struct placement *where)
{
	struct json_object *caches = json_object_new_array();

	for (unsigned int c = 0; c < a->topology->nr; c++) {
		struct json_object *pids = json_object_new_array();

		for (unsigned int i = 0; i < ANNEAL_APPS; i++) {
			if (a->of[i].pid && where->cache[i] == c)
				json_object_array_add(pids, json_object_new_int(a->of[i].pid));
		}
		json_object_array_add(caches, pids);
	}
	return caches;
}

static void begin_json(const struct apps *a)
{
	struct json_object *line = json_new_line("header"), *caches = json_object_new_array();
	char list[1024];

	json_add_u64(line, "schema", SCHEMA_VERSION);
	json_add_text(line, "version", VERSION);
	for (unsigned int c = 0; c < a->topology->nr; c++) {
		cpu_list_print(list, sizeof(list), &a->topology->cpus[c]);
		json_object_array_add(caches, json_object_new_string(list));
	}
	json_add(line, "caches", caches);
	json_add(line, "lambda", json_rounded(a->o->params.lambda));
	json_add(line, "damping", json_rounded(a->o->params.damping));
	json_add_u64(line, "seed", a->o->params.seed);
	json_add(line, "dry_run", json_object_new_boolean(a->o->dry_run));
	json_print(stdout, line);
}

void log_begin(const struct apps *a, bool as_json)
{
	char list[1024];

	json = as_json;
	if (json) {
		begin_json(a);
		return;
	}
	printf("# CPUs that share a cache:");
	for (unsigned int c = 0; c < a->topology->nr; c++) {
		cpu_list_print(list, sizeof(list), &a->topology->cpus[c]);
		printf(" %s", list);
	}
	printf("; seed %llu%s\n", (unsigned long long)a->o->params.seed,
	       a->o->dry_run ? "; nothing is done (--dry-run)" : "");
}

void log_placed(const struct apps *a, const struct placement *where, double elapsed_s)
{
	struct json_object *line, *programs;

	if (!json) {
		printf("%8.1f s  placed ", elapsed_s);
		print_state(a, where);
		puts("");
		return;
	}
	line = json_new_line("placed");
	programs = json_object_new_array();
	json_add(line, "elapsed_s", json_rounded(elapsed_s));
	json_add(line, "state", state_object(a, where));
	for (unsigned int i = 0; i < ANNEAL_APPS; i++) {
		struct json_object *of;

		if (!a->of[i].pid)
			continue;
		of = json_object_new_object();
		json_add_u64(of, "pid", (uint64_t)a->of[i].pid);
		json_add_text(of, "name", a->of[i].name);
		json_add_u64(of, "cpus", a->of[i].cpus);
		json_object_array_add(programs, of);
	}
	json_add(line, "programs", programs);
	json_print(stdout, line);
}

static void decision_json(const struct apps *a, const struct decision *d, double elapsed_s, double t_ms)
{
	struct json_object *line = json_new_line("decision"), *candidates = json_object_new_array();
	struct json_object *quality = json_object_new_object();
	char pid[16];

	json_add(line, "elapsed_s", json_rounded(elapsed_s));
	json_add(line, "since_move_ms", json_rounded(t_ms));
	for (unsigned int i = 0; i < ANNEAL_APPS; i++) {
		if (!a->of[i].pid)
			continue;
		snprintf(pid, sizeof(pid), "%d", a->of[i].pid);
		json_add(quality, pid, a->of[i].quality < 0 ? NULL : json_rounded(a->of[i].quality));
	}
	json_add(line, "quality_percent", quality);
	for (unsigned int i = 0; i < d->nr; i++) {
		struct json_object *of = json_object_new_object();

		json_add(of, "state", state_object(a, &d->candidate[i].where));
		json_add(of, "energy", json_rounded(d->candidate[i].energy));
		json_add(of, "probability", json_rounded(d->candidate[i].probability));
		json_object_array_add(candidates, of);
	}
	json_add(line, "candidates", candidates);
	json_add_u64(line, "chosen", d->chosen);
	json_add(line, "all_states", json_object_new_boolean(d->all));
	json_print(stdout, line);
}

/* The most likely candidate that is neither chosen, nor printed, nor the present state; 0: none. */
static unsigned int likeliest(const struct decision *d, uint64_t *printed)
{
	unsigned int best = 0;

	for (unsigned int i = 1; i < d->nr && i < 64; i++) {
		if (i != d->chosen && !(*printed >> i & 1) &&
		    (!best || d->candidate[i].probability > d->candidate[best].probability))
			best = i;
	}
	*printed |= 1ULL << best;
	return best;
}

void log_decision(const struct apps *a, const struct decision *d, double elapsed_s, double t_ms)
{
	const struct candidate *now = &d->candidate[0], *next = &d->candidate[d->chosen];
	uint64_t printed = 0;
	unsigned int other;

	if (json) {
		decision_json(a, d, elapsed_s, t_ms);
		return;
	}
	if (!d->chosen)
		return;
	printf("%8.1f s  %s ", elapsed_s, a->o->dry_run ? "would move to" : "moves to");
	print_state(a, &next->where);
	printf("  E %.1f, P %.3f\n", next->energy, next->probability);
	printf("            from    ");
	print_state(a, &now->where);
	printf("  E %.1f, P(stay) %.3f, %.1f s after the last move\n", now->energy, now->probability,
	       t_ms / 1000);
	for (int n = 0; n < OTHERS && (other = likeliest(d, &printed)); n++) {
		printf("            not     ");
		print_state(a, &d->candidate[other].where);
		printf("  E %.1f, P %.3f\n", d->candidate[other].energy, d->candidate[other].probability);
	}
}

void log_left_alone(const struct app *app, int err)
{
	const char *why = err == -EXDEV ? "somebody else has changed which CPUs it may use, or it gives its threads CPUs itself" :
			  err == -EPERM ? "it is another user's" :
			  err == -EINVAL ? "it may not use the CPUs of that cache" :
			  err == -ENOSPC ? "there are too many processes" : strerror(-err);

	complain("%s[%d] is left alone: %s", app->name, app->pid, why);
}
