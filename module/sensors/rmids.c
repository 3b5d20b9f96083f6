// SPDX-License-Identifier: GPL-2.0-only
/* Chooses the RMID of an application. */
#include <linux/export.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include "rmids.h"

/**
 * pmct_rmids_init() - make all RMIDs free
 * @r: the RMIDs
 * @nr: RMIDs are below this; at most PMCT_MAX_RMIDS
 * @policy: which of the free RMIDs is taken
 * @waits: all RMIDs are free again only after pmct_rmids_clean(), not only those that linger
 */
void pmct_rmids_init(struct pmct_rmids *r, unsigned int nr, enum pmct_rmid_policy policy,
		     bool waits)
{
	unsigned int rmid;

	*r = (struct pmct_rmids) { .policy = policy, .waits = waits, .nr = nr, .random = 1 };
	for (rmid = 1; rmid < nr; rmid++)
		r->free[r->nr_free++] = rmid;
}
EXPORT_SYMBOL_GPL(pmct_rmids_init);

/* Marsaglia's xorshift; any generator will do. */
static u32 pmct_rmids_random(struct pmct_rmids *r)
{
	r->random ^= r->random << 13;
	r->random ^= r->random >> 17;
	r->random ^= r->random << 5;
	return r->random;
}

static unsigned int pmct_rmids_remove(u16 *list, unsigned int *nr, unsigned int i)
{
	unsigned int rmid = list[i];

	memmove(&list[i], &list[i + 1], (--*nr - i) * sizeof(*list));
	return rmid;
}

static unsigned int pmct_rmids_take(struct pmct_rmids *r)
{
	unsigned int i = 0;

	if (!r->nr_free)
		return 0;
	if (r->policy == PMCT_RMID_LIFO)
		i = r->nr_free - 1;
	else if (r->policy == PMCT_RMID_RANDOM)
		i = pmct_rmids_random(r) % r->nr_free;
	return pmct_rmids_remove(r->free, &r->nr_free, i);
}

/**
 * pmct_rmids_get() - get an RMID for a thread: that of its process, or a new one
 * @r: the RMIDs
 * @tgid: process of the thread
 *
 * Return: the RMID, or 0 if there is none.
 */
unsigned int pmct_rmids_get(struct pmct_rmids *r, pid_t tgid)
{
	unsigned int rmid;

	for (rmid = 1; rmid < r->nr; rmid++) {
		if (r->app[rmid].threads && r->app[rmid].tgid == tgid)
			break;
	}
	if (rmid == r->nr)
		rmid = pmct_rmids_take(r);
	if (!rmid) {
		r->refused++;
		return 0;
	}
	r->app[rmid].tgid = tgid;
	r->app[rmid].threads++;
	return rmid;
}
EXPORT_SYMBOL_GPL(pmct_rmids_get);

/**
 * pmct_rmids_put() - a thread does not need its RMID any more
 * @r: the RMIDs
 * @rmid: from pmct_rmids_get(); 0: nothing happens
 * @lingers: a CPU may still have the RMID
 */
void pmct_rmids_put(struct pmct_rmids *r, unsigned int rmid, bool lingers)
{
	struct pmct_rmid_app *app = &r->app[rmid];

	if (!rmid)
		return;
	app->lingers |= lingers;
	if (--app->threads)
		return;
	lingers = app->lingers;
	app->lingers = false;
	if (r->waits || lingers)
		r->stale[r->nr_stale++] = rmid;
	else
		r->free[r->nr_free++] = rmid;
}
EXPORT_SYMBOL_GPL(pmct_rmids_put);

/**
 * pmct_rmids_clean() - the lines of an RMID are gone
 * @r: the RMIDs
 * @rmid: an RMID that was given back; nothing happens if it is free already
 */
void pmct_rmids_clean(struct pmct_rmids *r, unsigned int rmid)
{
	unsigned int i;

	for (i = 0; i < r->nr_stale; i++) {
		if (r->stale[i] != rmid)
			continue;
		pmct_rmids_remove(r->stale, &r->nr_stale, i);
		r->free[r->nr_free++] = rmid;
		return;
	}
}
EXPORT_SYMBOL_GPL(pmct_rmids_clean);

/* The lines of an RMID are still there. Look at the other RMIDs first. */
void pmct_rmids_requeue(struct pmct_rmids *r, unsigned int rmid)
{
	unsigned int i;

	for (i = 0; i < r->nr_stale; i++) {
		if (r->stale[i] != rmid)
			continue;
		pmct_rmids_remove(r->stale, &r->nr_stale, i);
		r->stale[r->nr_stale++] = rmid;
		return;
	}
}
EXPORT_SYMBOL_GPL(pmct_rmids_requeue);
