// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "program.h"
#include "strict.h"

#define MOST_INSTR	(1ULL << 50)
/*
 * Instructions of a part of a round, and of all rounds and threads. Counters can hold a hundred
 * times as much.
 */
#define MOST_PART	(1ULL << 42)
#define MOST_WORK	(1ULL << 56)

#define PHASE(_member)	{ #_member, offsetof(struct pmct_sim_phase, _member) }
static const struct strict_field phase_fields[] = {
	PHASE(ilp), PHASE(mlp), PHASE(front_end), PHASE(branches), PHASE(cond_branches),
	PHASE(branch_misses), PHASE(l1d), PHASE(l1d_misses), PHASE(itlb_misses), PHASE(dtlb_misses),
	PHASE(write_backs), PHASE(energy), PHASE(wander),
	PHASE(code), PHASE(blocks),
};

#define NR_PHASE_FIELDS	(sizeof(phase_fields) / sizeof(phase_fields[0]))

/* Read a curve: [[KiB, misses per million], ...] */
static int read_curve(const struct strict_place *at, struct json_object *phase, const char *key,
		      struct pmct_sim_curve *c)
{
	struct json_object *points = strict_member(at, phase, key, json_type_array);
	size_t i, nr;

	if (!points)
		return -EINVAL;
	nr = json_object_array_length(points);
	if (!nr || nr > PMCT_SIM_POINTS)
		return strict_refuse(at, key, "must have 1 to 6 points");
	for (i = 0; i < nr; i++) {
		struct json_object *point = json_object_array_get_idx(points, i);
		int64_t kib, ppm;

		if (!json_object_is_type(point, json_type_array) || json_object_array_length(point) != 2)
			return strict_refuse(at, key, "must be a list of pairs [KiB, misses per million accesses]");
		if (!json_object_is_type(json_object_array_get_idx(point, 0), json_type_int) ||
		    !json_object_is_type(json_object_array_get_idx(point, 1), json_type_int))
			return strict_refuse(at, key, "has a point that is not of whole numbers");
		kib = json_object_get_int64(json_object_array_get_idx(point, 0));
		ppm = json_object_get_int64(json_object_array_get_idx(point, 1));
		if (kib < 0 || kib > UINT32_MAX || ppm < 0 || ppm > 1000000)
			return strict_refuse(at, key, "has a point that is out of range");
		c->kib[i] = (uint32_t)kib;
		c->ppm[i] = (uint32_t)ppm;
	}
	c->nr = (uint32_t)nr;
	return 0;
}

static int read_phase(const struct strict_place *at, struct json_object *object,
		      struct pmct_sim_phase *p)
{
	static const char *const others[] = { "instr", "l2", "llc", NULL };
	uint64_t instr;
	int err;

	err = strict_fields(at, object, phase_fields, NR_PHASE_FIELDS, others, p);
	if (!err)
		err = strict_number(at, object, "instr", MOST_INSTR, &instr);
	if (err)
		return err;
	p->instr = instr;
	err = read_curve(at, object, "l2", &p->l2);
	return err ? err : read_curve(at, object, "llc", &p->llc);
}

static int read_phases(struct strict_place *at, struct json_object *object,
		       struct pmct_sim_profile *profile)
{
	size_t i, nr;
	struct json_object *phases = strict_list(at, object, "phases", PMCT_SIM_PHASES, &nr);
	int err;

	if (!phases)
		return -EINVAL;
	for (i = 0; i < nr; i++) {
		struct json_object *phase = strict_entry(at, phases, "phase", i, 1);

		err = read_phase(at, phase, &profile->phase[i]);
		if (err)
			return err;
	}
	profile->nr_phases = (__u32)nr;
	return 0;
}

static int read_program(struct strict_place *at, struct json_object *object, struct program *p)
{
	static const char *const known[] = { "name", "description", "threads", "rounds", "serial",
					     "parallel", "imbalance", "spins", "phases", NULL };
	struct json_object *spins;
	uint64_t threads, imbalance;
	int err;

	err = strict_fields(at, object, NULL, 0, known, NULL);
	if (err || (err = strict_text(at, object, "name", p->profile.name, sizeof(p->profile.name))) ||
	    (err = strict_text(at, object, "description", p->description, sizeof(p->description))) ||
	    (err = strict_number(at, object, "threads", PROGRAM_THREADS, &threads)) ||
	    (err = strict_number(at, object, "rounds", UINT32_MAX, &p->rounds)) ||
	    (err = strict_number(at, object, "serial", MOST_PART, &p->serial)) ||
	    (err = strict_number(at, object, "parallel", MOST_PART, &p->parallel)) ||
	    (err = strict_number(at, object, "imbalance", 100, &imbalance)))
		return err;
	spins = strict_member(at, object, "spins", json_type_boolean);
	if (!spins)
		return -EINVAL;
	p->threads = (unsigned int)threads;
	p->imbalance = (unsigned int)imbalance;
	p->spins = json_object_get_boolean(spins);
	if (!p->threads)
		return strict_refuse(at, "threads", "must be 1 to 64");
	if (!p->rounds)
		return strict_refuse(at, "rounds", "must be 1 at least");
	if (p->rounds > MOST_WORK / (p->serial + p->parallel * p->threads + 1))
		return strict_refuse(at, "rounds", "times the instructions of a round are too many");
	if (!p->serial && !p->parallel)
		return strict_refuse(at, "serial", "and 'parallel' are both 0: there is nothing to do");
	return read_phases(at, object, &p->profile);
}

int program_read(struct program *p, const char *path)
{
	struct strict_place at = { .path = path, .section = "Profiles" };
	struct json_object *object = strict_file(path);
	int err;

	memset(p, 0, sizeof(*p));
	if (!object)
		return -EINVAL;
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
