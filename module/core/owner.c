// SPDX-License-Identifier: GPL-2.0-only
/*
 * The backend in use, and the owner of the counters: the module while a session is open, else perf.
 */
#include <linux/mutex.h>

#include "owner.h"

const struct pmct_backend *pmct_backend __read_mostly;

static bool (*pmct_owner_overflow)(void) __read_mostly;
static DEFINE_MUTEX(pmct_owner_mutex);
unsigned int pmct_owner_refs __read_mostly;

/* Used before there is a backend. */
u64 pmct_owner_read_nothing(const struct pmct_hwset *set, u64 *values)
{
	return 0;
}

DEFINE_STATIC_CALL(pmct_owner_read, pmct_owner_read_nothing);

/* Use @backend from now on. Nothing may be counted now. Process context, may sleep. */
void pmct_owner_use(const struct pmct_backend *backend)
{
	pmct_backend = backend;
	static_call_update(pmct_owner_read, backend ? backend->read : pmct_owner_read_nothing);
}

/**
 * pmct_owner_init() - use a backend that has been probed
 * @backend: the backend
 * @overflow: called for each counter interrupt while the counters are ours, in a hot context
 *	(struct pmct_backend)
 *
 * Context: process context, may sleep.
 */
void pmct_owner_init(const struct pmct_backend *backend, bool (*overflow)(void))
{
	pmct_owner_use(backend);
	pmct_owner_overflow = overflow;
}

/* Undo pmct_owner_init(). No CPU calls the backend any more. Process context, may sleep. */
void pmct_owner_exit(void)
{
	if (pmct_backend->exit)
		pmct_backend->exit();
	pmct_owner_use(NULL);
}

/**
 * pmct_owner_get() - get the counters for a session
 * @msg: on failure, the reason
 *
 * Context: process context, may sleep.
 * Return: 0, or -EBUSY if other software has the counters.
 */
int pmct_owner_get(struct pmct_msg *msg)
{
	int err = 0;

	mutex_lock(&pmct_owner_mutex);
	if (!pmct_owner_refs)
		err = pmct_backend->claim(pmct_owner_overflow, msg);
	if (!err)
		WRITE_ONCE(pmct_owner_refs, pmct_owner_refs + 1);
	mutex_unlock(&pmct_owner_mutex);
	return err;
}

/*
 * Undo pmct_owner_get(). With the last session, perf gets the counters back; no CPU counts any
 * more.
 */
void pmct_owner_put(void)
{
	mutex_lock(&pmct_owner_mutex);
	WRITE_ONCE(pmct_owner_refs, pmct_owner_refs - 1);
	if (!pmct_owner_refs)
		pmct_backend->release();
	mutex_unlock(&pmct_owner_mutex);
}

