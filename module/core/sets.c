// SPDX-License-Identifier: GPL-2.0-only
/* The event sets of a session: from raw strings to what each core type counts. */
#include <linux/slab.h>

#include "core.h"
#include "evset.h"

/* Events that show what other threads do are for those who may see all of them. */
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

/* Add @spec to the sets of @core_type. */
static int pmct_sets_add_to(struct pmct_session *s, const struct pmct_evset_spec *spec,
			    unsigned int core_type, struct pmct_msg *msg)
{
	unsigned int index = s->nr_sets[core_type];
	struct pmct_hwset *set;
	int err;

	if (index == PMCTRACK_MAX_SETS)
		return pmct_refuse(msg, -E2BIG, "core type %u: more than %d event sets",
				   core_type, PMCTRACK_MAX_SETS);
	if (!s->privileged) {
		err = pmct_sets_check_private(spec, pmct_backend->core_type(core_type), msg);
		if (err)
			return err;
	}
	set = &s->sets[core_type][index];
	err = pmct_evset_build(pmct_backend, spec, core_type, set, msg);
	if (!err && pmct_backend->prepare)
		err = pmct_backend->prepare(set, msg);
	if (err)
		return err;
	set->index = index;
	s->nr_sets[core_type]++;
	s->nr_counters = max(s->nr_counters, set->nr);
	return 0;
}

static int pmct_sets_add_raw(struct pmct_session *s, const char *raw, struct pmct_msg *msg)
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
	if (!err && pmct_evset_counts_kernel(spec) && !s->privileged)
		err = pmct_refuse(msg, -EACCES,
				  "counting in kernel mode needs CAP_PERFMON; drop os (or :k) or run as root");
	for (i = 0; !err && i < nr_types; i++) {
		if (spec->core_type == PMCT_ANY_CORE_TYPE || spec->core_type == i)
			err = pmct_sets_add_to(s, spec, i, msg);
	}
	kfree(spec);
	return err;
}

/* What ends an interval: the clock, or the events of each set. Not both. */
static int pmct_sets_check_turns(struct pmct_session *s,
				 const struct pmct_session_params *params,
				 struct pmct_msg *msg)
{
	unsigned int type, i, most = 0, ebs = 0, all = 0;

	for (type = 0; type < ARRAY_SIZE(s->sets); type++) {
		most = max_t(unsigned int, most, s->nr_sets[type]);
		all += s->nr_sets[type];
		for (i = 0; i < s->nr_sets[type]; i++) {
			ebs += !!s->sets[type][i].ebs;
			s->needs_tick |= s->sets[type][i].wraps;
		}
	}
	if (ebs && ebs < all)
		return pmct_refuse(msg, -EINVAL,
				   "some event sets sample by events (ebs) and others do not: it must be all or none");
	s->rotates = most > 1;
	s->needs_tick |= s->period && !ebs;
	if (ebs)
		s->period = 0;
	else if (most > 1 && !s->period &&
		 params->flags & (PMCTRACK_SESSION_ATTACH | PMCTRACK_SESSION_SYSTEM |
				  PMCTRACK_SESSION_ON_EXEC))
		return pmct_refuse(msg, -EINVAL,
				   "several event sets take turns at the end of a sampling period, and there is none");
	return 0;
}

/**
 * pmct_sets_init() - make the event sets of a session
 * @s: the session, whose period and privileges are known
 * @params: raw strings; why the sets take turns
 * @msg: on failure, why
 *
 * Context: process context, may sleep.
 * Return: 0, -EINVAL, -EOPNOTSUPP, -EACCES, -E2BIG or -ENOMEM; pmct_sets_release()
 * and pmct_sets_free() are for the caller in any case.
 */
int pmct_sets_init(struct pmct_session *s, const struct pmct_session_params *params,
		   struct pmct_msg *msg)
{
	unsigned int i;
	int err;

	for (i = 0; i < ARRAY_SIZE(s->sets); i++) {
		s->sets[i] = kcalloc(PMCTRACK_MAX_SETS, sizeof(*s->sets[i]),
				     GFP_KERNEL_ACCOUNT);
		if (!s->sets[i])
			return -ENOMEM;
		/* Until one is added, the first is empty. */
		s->sets[i][0].core_type = i;
	}
	if (!params->nr_raw)
		return pmct_refuse(msg, -EINVAL, "no event set given");
	for (i = 0; i < params->nr_raw; i++) {
		err = pmct_sets_add_raw(s, params->raw[i], msg);
		if (err)
			return err;
	}
	return pmct_sets_check_turns(s, params, msg);
}

/**
 * pmct_sets_release() - give back what the backend has of the sets
 * @s: the session; no CPU has one of its sets any more
 *
 * The sets stay, and are not counted again. Context: process context, may sleep.
 */
void pmct_sets_release(struct pmct_session *s)
{
	unsigned int type, i;

	for (type = 0; type < ARRAY_SIZE(s->sets); type++) {
		for (i = 0; pmct_backend->unprepare && i < s->nr_sets[type]; i++)
			pmct_backend->unprepare(&s->sets[type][i]);
	}
}

/* After pmct_sets_release(), or an error of pmct_sets_init(). */
void pmct_sets_free(struct pmct_session *s)
{
	unsigned int type;

	for (type = 0; type < ARRAY_SIZE(s->sets); type++)
		kfree(s->sets[type]);
}

/**
 * pmct_sets_check() - can this machine count these sets?
 * @raw: raw strings
 * @nr: their number
 * @msg: on failure, why
 *
 * Context: process context, may sleep.
 * Return: as pmct_sets_init().
 */
int pmct_sets_check(const char *const *raw, unsigned int nr, struct pmct_msg *msg)
{
	struct pmct_session *s = kzalloc(sizeof(*s), GFP_KERNEL);
	struct pmct_session_params *params = kzalloc(sizeof(*params), GFP_KERNEL);
	int err = -ENOMEM;

	if (s && params) {
		s->privileged = true;
		memcpy(params->raw, raw, nr * sizeof(*raw));
		params->nr_raw = nr;
		err = pmct_sets_init(s, params, msg);
		pmct_sets_release(s);
		pmct_sets_free(s);
	}
	kfree(params);
	kfree(s);
	return err;
}
