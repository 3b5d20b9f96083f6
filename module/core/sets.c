// SPDX-License-Identifier: GPL-2.0-only
/* Event sets of sessions: from raw strings to what each core type counts. */
#include <linux/slab.h>

#include "evset.h"
#include "owner.h"
#include "sets.h"

/* Refuse events that show other threads' work, unless the user may see all threads. */
static int pmct_sets_check_private(const struct pmct_evset_spec *spec,
				   const struct pmct_core_type *type, struct pmct_msg *msg)
{
	const char *others;
	unsigned int i;

	for (i = 0; pmct_backend->sees_others && i < spec->nr; i++) {
		others = pmct_backend->sees_others(type, &spec->event[i]);
		if (others)
			return pmct_refuse(msg, -EACCES,
					   "pmc%u counts for %s, too: that needs CAP_PERFMON; name another event or run as root",
					   spec->event[i].counter, others);
	}
	return 0;
}

/* True if @set is one of @sets. It is not dereferenced. */
bool pmct_sets_have(const struct pmct_sets *sets, const struct pmct_hwset *set)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(sets->of); i++) {
		if (set >= sets->of[i] && set < sets->of[i] + PMCTRACK_MAX_SETS)
			return set;
	}
	return false;
}

/* Add @spec to the sets of @core_type. */
static int pmct_sets_add_to(struct pmct_sets *sets, const struct pmct_evset_spec *spec,
			    unsigned int core_type, bool privileged, struct pmct_msg *msg)
{
	unsigned int index = sets->nr[core_type];
	struct pmct_hwset *set;
	int err;

	if (index == PMCTRACK_MAX_SETS)
		return pmct_refuse(msg, -E2BIG, "core type %u: more than %d event sets",
				   core_type, PMCTRACK_MAX_SETS);
	if (!privileged) {
		err = pmct_sets_check_private(spec, pmct_backend->core_type(core_type), msg);
		if (err)
			return err;
	}
	set = &sets->of[core_type][index];
	err = pmct_evset_build(pmct_backend, spec, core_type, set, msg);
	if (!err && pmct_backend->prepare)
		err = pmct_backend->prepare(set, msg);
	if (err)
		return err;
	set->index = index;
	sets->nr[core_type]++;
	sets->nr_counters = max(sets->nr_counters, set->nr);
	sets->rotates |= index > 0;
	sets->wraps |= set->wraps;
	return 0;
}

static int pmct_sets_add_raw(struct pmct_sets *sets, const char *raw, bool privileged,
			     struct pmct_msg *msg)
{
	unsigned int nr_types = pmct_backend->nr_core_types();
	struct pmct_evset_spec *spec;
	unsigned int i;
	int err;

	spec = kmalloc(sizeof(*spec), GFP_KERNEL);
	if (!spec)
		return -ENOMEM;
	err = pmct_evset_parse(raw, pmct_backend->keys, spec, msg);
	if (!err && spec->core_type >= (int)nr_types)
		err = pmct_refuse(msg, -EINVAL, "coretype=%d: this machine has core types 0 to %u",
				  spec->core_type, nr_types - 1);
	if (!err && pmct_evset_counts_kernel(spec) && !privileged)
		err = pmct_refuse(msg, -EACCES,
				  "counting in kernel mode needs CAP_PERFMON; drop os (or :k) or run as root");
	for (i = 0; !err && i < nr_types; i++) {
		if (spec->core_type == PMCT_ANY_CORE_TYPE || spec->core_type == i)
			err = pmct_sets_add_to(sets, spec, i, privileged, msg);
	}
	kfree(spec);
	return err;
}

/* Check that all sets end their intervals in the same way: by the clock, or by events. */
static int pmct_sets_check_sampling(struct pmct_sets *sets, struct pmct_msg *msg)
{
	unsigned int type, i, ebs = 0, all = 0;
	const struct pmct_hwset *set;

	for (type = 0; type < ARRAY_SIZE(sets->of); type++) {
		all += sets->nr[type];
		for (i = 0; i < sets->nr[type]; i++) {
			set = &sets->of[type][i];
			ebs += set->ebs && !set->addresses;
			sets->addresses |= set->addresses;
		}
	}
	if (ebs && ebs < all)
		return pmct_refuse(msg, -EINVAL,
				   "some event sets sample by events (ebs) and others do not: it must be all or none");
	sets->by_events = ebs;
	return 0;
}

/**
 * pmct_sets_init() - make event sets
 * @sets: all zero
 * @raw: raw strings
 * @nr: number of @raw
 * @privileged: the sets may count in kernel mode, and show other threads' work
 * @msg: on failure, the reason
 *
 * Context: process context, may sleep.
 * Return: 0, -EINVAL, -EOPNOTSUPP, -EACCES, -E2BIG or -ENOMEM. The caller has to
 * call pmct_sets_release() and pmct_sets_free() in any case.
 */
int pmct_sets_init(struct pmct_sets *sets, const char *const *raw, unsigned int nr,
		   bool privileged, struct pmct_msg *msg)
{
	unsigned int i;
	int err;

	for (i = 0; i < ARRAY_SIZE(sets->of); i++) {
		sets->of[i] = kcalloc(PMCTRACK_MAX_SETS, sizeof(*sets->of[i]),
				      GFP_KERNEL_ACCOUNT);
		if (!sets->of[i])
			return -ENOMEM;
		/* The first set stays empty until one is added. */
		sets->of[i][0].core_type = i;
	}
	if (!nr)
		return pmct_refuse(msg, -EINVAL, "no event set given");
	for (i = 0; i < nr; i++) {
		err = pmct_sets_add_raw(sets, raw[i], privileged, msg);
		if (err)
			return err;
	}
	return pmct_sets_check_sampling(sets, msg);
}

/**
 * pmct_sets_release() - release the backend's resources of the sets
 * @sets: the sets; no CPU has one of them on its hardware any more
 *
 * The sets stay, and are not counted again. Context: process context, may sleep.
 */
void pmct_sets_release(struct pmct_sets *sets)
{
	unsigned int type, i;

	if (!pmct_backend->unprepare)
		return;
	for (type = 0; type < ARRAY_SIZE(sets->of); type++) {
		for (i = 0; i < sets->nr[type]; i++)
			pmct_backend->unprepare(&sets->of[type][i]);
	}
}

/* Called after pmct_sets_release(), or after an error of pmct_sets_init(). */
void pmct_sets_free(struct pmct_sets *sets)
{
	unsigned int type;

	for (type = 0; type < ARRAY_SIZE(sets->of); type++)
		kfree(sets->of[type]);
}

/**
 * pmct_sets_check() - check that this machine can count event sets
 * @raw: raw strings
 * @nr: number of @raw
 * @msg: on failure, the reason
 *
 * Context: process context, may sleep.
 * Return: as pmct_sets_init() for a privileged user.
 */
int pmct_sets_check(const char *const *raw, unsigned int nr, struct pmct_msg *msg)
{
	struct pmct_sets sets = {};
	int err = pmct_sets_init(&sets, raw, nr, true, msg);

	pmct_sets_release(&sets);
	pmct_sets_free(&sets);
	return err;
}
