// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Profiles are read strictly: a key that nobody knows, or that is missing, is an error, because
 * a misspelt one would silently be another program. What values may be is checked by the kernel.
 */
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <json-c/json.h>

#include "complain.h"
#include "program.h"

#define MOST_INSTR	(1ULL << 50)

/**
 * struct place - where in a file a value is, for messages
 * @path: the file
 * @within: "phase 2 ", or ""
 */
struct place {
	const char *path;
	char within[32];
};

/* A number of an object, as described by its key. */
struct field {
	const char *key;
	size_t offset;
};

#define PHASE(_member)	{ #_member, offsetof(struct pmct_sim_phase, _member) }
static const struct field phase_fields[] = {
	PHASE(ilp), PHASE(mlp), PHASE(front_end), PHASE(branches), PHASE(cond_branches),
	PHASE(branch_misses), PHASE(l1d), PHASE(l1d_misses), PHASE(itlb_misses), PHASE(dtlb_misses),
	PHASE(write_backs), PHASE(energy), PHASE(wander),
};

#define NR_PHASE_FIELDS	(sizeof(phase_fields) / sizeof(phase_fields[0]))

static int refuse(const struct place *at, const char *key, const char *why)
{
	complain("%s: %s'%s' %s; see simapp(1), \"Profiles\"", at->path, at->within, key, why);
	return -EINVAL;
}

/* The member @key of @object: NULL after a message. */
static struct json_object *member(const struct place *at, struct json_object *object,
				  const char *key, enum json_type type)
{
	struct json_object *value;

	if (!json_object_object_get_ex(object, key, &value)) {
		refuse(at, key, "is missing");
		return NULL;
	}
	if (json_object_is_type(value, type))
		return value;
	refuse(at, key, type == json_type_int ? "must be a whole number" :
			type == json_type_array ? "must be a list" :
			type == json_type_boolean ? "must be true or false" : "must be a text");
	return NULL;
}

static int number(const struct place *at, struct json_object *object, const char *key,
		  uint64_t most, uint64_t *result)
{
	struct json_object *value = member(at, object, key, json_type_int);
	int64_t n;

	if (!value)
		return -EINVAL;
	n = json_object_get_int64(value);
	if (n < 0 || (uint64_t)n > most)
		return refuse(at, key, "is out of range");
	*result = (uint64_t)n;
	return 0;
}

static int text(const struct place *at, struct json_object *object, const char *key, char *result,
		size_t size)
{
	struct json_object *value = member(at, object, key, json_type_string);

	if (!value)
		return -EINVAL;
	if ((size_t)json_object_get_string_len(value) >= size)
		return refuse(at, key, "is too long");
	strcpy(result, json_object_get_string(value));
	return 0;
}

/* Are these all the keys of @object? */
static int only(const struct place *at, struct json_object *object, const char *const *known)
{
	unsigned int i;

	json_object_object_foreach(object, key, value) {
		(void)value;
		for (i = 0; known[i] && strcmp(known[i], key); i++)
			;
		if (!known[i])
			return refuse(at, key, "is unknown");
	}
	return 0;
}

/* [[KiB, misses per million], ...] */
static int read_curve(const struct place *at, struct json_object *phase, const char *key,
		      struct pmct_sim_curve *c)
{
	struct json_object *points = member(at, phase, key, json_type_array);
	size_t i, nr;

	if (!points)
		return -EINVAL;
	nr = json_object_array_length(points);
	if (!nr || nr > PMCT_SIM_POINTS)
		return refuse(at, key, "must have 1 to 6 points");
	for (i = 0; i < nr; i++) {
		struct json_object *point = json_object_array_get_idx(points, i);
		int64_t kib, ppm;

		if (!json_object_is_type(point, json_type_array) || json_object_array_length(point) != 2)
			return refuse(at, key, "must be a list of pairs [KiB, misses per million accesses]");
		kib = json_object_get_int64(json_object_array_get_idx(point, 0));
		ppm = json_object_get_int64(json_object_array_get_idx(point, 1));
		if (kib < 0 || kib > UINT32_MAX || ppm < 0 || ppm > 1000000)
			return refuse(at, key, "has a point that is out of range");
		c->kib[i] = (uint32_t)kib;
		c->ppm[i] = (uint32_t)ppm;
	}
	c->nr = (uint32_t)nr;
	return 0;
}

static int read_phase(const struct place *at, struct json_object *object, struct pmct_sim_phase *p)
{
	const char *known[NR_PHASE_FIELDS + 4] = { "instr", "l2", "llc" };
	uint64_t value;
	unsigned int i;
	int err;

	for (i = 0; i < NR_PHASE_FIELDS; i++)
		known[3 + i] = phase_fields[i].key;
	err = only(at, object, known);
	if (!err)
		err = number(at, object, "instr", MOST_INSTR, &value);
	if (err)
		return err;
	p->instr = value;
	for (i = 0; i < NR_PHASE_FIELDS; i++) {
		err = number(at, object, phase_fields[i].key, UINT32_MAX, &value);
		if (err)
			return err;
		*(__u32 *)((char *)p + phase_fields[i].offset) = (__u32)value;
	}
	err = read_curve(at, object, "l2", &p->l2);
	return err ? err : read_curve(at, object, "llc", &p->llc);
}

static int read_phases(struct place *at, struct json_object *object, struct pmct_sim_profile *profile)
{
	struct json_object *phases = member(at, object, "phases", json_type_array);
	size_t i, nr;
	int err;

	if (!phases)
		return -EINVAL;
	nr = json_object_array_length(phases);
	if (!nr || nr > PMCT_SIM_PHASES)
		return refuse(at, "phases", "must have 1 to 16 phases");
	for (i = 0; i < nr; i++) {
		struct json_object *phase = json_object_array_get_idx(phases, i);

		snprintf(at->within, sizeof(at->within), "phase %zu: ", i + 1);
		if (!json_object_is_type(phase, json_type_object))
			return refuse(at, "phases", "must be a list of objects");
		err = read_phase(at, phase, &profile->phase[i]);
		if (err)
			return err;
	}
	profile->nr_phases = (__u32)nr;
	return 0;
}

static int read_program(struct place *at, struct json_object *object, struct program *p)
{
	static const char *const known[] = { "name", "description", "threads", "rounds", "serial",
					     "parallel", "imbalance", "spins", "phases", NULL };
	struct json_object *spins;
	uint64_t threads, imbalance;
	int err;

	if (!json_object_is_type(object, json_type_object)) {
		complain("%s: a profile is a JSON object; see simapp(1), \"Profiles\"", at->path);
		return -EINVAL;
	}
	err = only(at, object, known);
	if (err || (err = text(at, object, "name", p->profile.name, sizeof(p->profile.name))) ||
	    (err = text(at, object, "description", p->description, sizeof(p->description))) ||
	    (err = number(at, object, "threads", PROGRAM_THREADS, &threads)) ||
	    (err = number(at, object, "rounds", UINT32_MAX, &p->rounds)) ||
	    (err = number(at, object, "serial", MOST_INSTR, &p->serial)) ||
	    (err = number(at, object, "parallel", MOST_INSTR, &p->parallel)) ||
	    (err = number(at, object, "imbalance", 100, &imbalance)))
		return err;
	spins = member(at, object, "spins", json_type_boolean);
	if (!spins)
		return -EINVAL;
	p->threads = (unsigned int)threads;
	p->imbalance = (unsigned int)imbalance;
	p->spins = json_object_get_boolean(spins);
	if (!p->threads)
		return refuse(at, "threads", "must be 1 to 64");
	if (!p->rounds)
		return refuse(at, "rounds", "must be 1 at least");
	if (!p->serial && !p->parallel)
		return refuse(at, "serial", "and 'parallel' are both 0: there is nothing to do");
	return read_phases(at, object, &p->profile);
}

int program_read(struct program *p, const char *path)
{
	struct place at = { .path = path };
	struct json_object *object;
	int err;

	memset(p, 0, sizeof(*p));
	object = json_object_from_file(path);
	if (!object) {
		/* Its text ends with a line feed. */
		complain("cannot read %s: %.*s", path, (int)strcspn(json_util_get_last_err(), "\n"),
			 json_util_get_last_err());
		return -EINVAL;
	}
	err = read_program(&at, object, p);
	json_object_put(object);
	return err;
}

uint64_t program_parallel(const struct program *p, unsigned int thread)
{
	int64_t mean = (int64_t)p->parallel, last = (int64_t)p->threads - 1;

	if (!last)
		return p->parallel;
	return (uint64_t)(mean + mean * (2 * (int64_t)thread - last) / last * p->imbalance / 100);
}
