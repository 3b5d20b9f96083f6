// SPDX-License-Identifier: GPL-2.0-only
/* Sessions: creation, end, revocation. */
#include <linux/capability.h>
#include <linux/log2.h>
#include <linux/nsproxy.h>
#include <linux/pid.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/slab.h>

#include "config.h"
#include "detach.h"
#include "owner.h"
#include "refs.h"
#include "session.h"
#include "syswide.h"
#include "user_read.h"

/* Limit of the ring of each CPU, if the user names no size. */
#define PMCT_RING_DEFAULT_CPU	(64U << 10)

static DEFINE_MUTEX(pmct_sessions_mutex);
static LIST_HEAD(pmct_sessions);

static void pmct_session_wake(struct irq_work *work)
{
	struct pmct_session *s = container_of(work, struct pmct_session, wake);

	wake_up_all(&s->wait);
}

/* True if only one thread, and hence only one CPU at a time, can write records. */
static bool pmct_session_is_of_one_thread(const struct pmct_session *s)
{
	return !(s->flags & (PMCTRACK_SESSION_THREADS | PMCTRACK_SESSION_CHILDREN |
			     PMCTRACK_SESSION_SYSTEM | PMCTRACK_SESSION_ATTACH));
}

/* Size of each of @nr rings, if the user names no size. */
static u32 pmct_session_default_ring(unsigned int nr)
{
	u32 size = READ_ONCE(pmct_config.ring_default);

	return nr > 1 ? min(size, PMCT_RING_DEFAULT_CPU) : size;
}

/* If the user names no size, a session takes at most half of the memory that the user may lock. */
static u32 pmct_session_modest_ring(unsigned int nr, u32 size)
{
	unsigned long most = capable(CAP_IPC_LOCK) ? ULONG_MAX : rlimit(RLIMIT_MEMLOCK) / 2;

	while (size > PMCT_RING_MIN && pmct_rings_bytes(nr, size) > most)
		size /= 2;
	return size;
}

static int pmct_session_init_rings(struct pmct_session *s,
				   const struct pmct_session_params *params,
				   struct pmct_msg *msg)
{
	unsigned int nr = pmct_session_is_of_one_thread(s) ? 1 : nr_cpu_ids;
	u32 wanted = params->ring_size ?: pmct_session_default_ring(nr);
	u32 size = params->ring_size ?: pmct_session_modest_ring(nr, wanted);
	u32 max = s->privileged ? PMCT_RING_MAX : READ_ONCE(pmct_config.ring_max);
	int err;

	if (params->no_ring)
		return pmct_rings_init_unread(&s->rings);
	if (!is_power_of_2(size) || size < PMCT_RING_MIN || size > max)
		return pmct_refuse(msg, -EINVAL,
				   "ring buffer of %u bytes: must be a power of two from %lu to %u",
				   size, PMCT_RING_MIN, max);
	s->ring_wanted = wanted;
	err = pmct_rings_init(&s->rings, nr, size);
	/* If the user named no size, use smaller rings. The reply has the actual size. */
	while (err == -ENOMEM && !params->ring_size && size > PMCT_RING_MIN) {
		size /= 2;
		err = pmct_rings_init(&s->rings, nr, size);
	}
	if (err)
		return pmct_refuse(msg, err,
				   "no memory for a ring buffer of %u bytes for each of %u CPUs, %lu KiB in all: raise ulimit -l or memory.max, end other sessions%s",
				   size, nr, pmct_rings_bytes(nr, size) >> 10,
				   size > PMCT_RING_MIN ? ", or ask for smaller ones" : "");
	return 0;
}

/* Set up the event sets, and what ends an interval: the clock, or the events of each set. */
static int pmct_session_init_sets(struct pmct_session *s,
				  const struct pmct_session_params *params,
				  struct pmct_msg *msg)
{
	int err = pmct_sets_init(&s->sets, params->raw, params->nr_raw, s->privileged, msg);

	if (err)
		return err;
	if (s->sets.by_events)
		s->period = 0;
	else if (s->sets.rotates && !s->period &&
		 params->flags & (PMCTRACK_SESSION_ATTACH | PMCTRACK_SESSION_SYSTEM |
				  PMCTRACK_SESSION_ON_EXEC))
		return pmct_refuse(msg, -EINVAL,
				   "several event sets take turns at the end of a sampling period, and there is none");
	s->needs_tick = s->period || s->sets.wraps;
	return 0;
}

/* True if /proc/pmc/config allows a session like @s at present. */
static bool pmct_session_allowed(const struct pmct_session *s)
{
	switch (READ_ONCE(pmct_config.unprivileged)) {
	case PMCT_UNPRIVILEGED_ALL:
		return true;
	case PMCT_UNPRIVILEGED_HOST:
		return s->privileged || !s->contained;
	}
	return s->privileged;
}

int pmct_session_refuse_unprivileged(struct pmct_msg *msg)
{
	if (READ_ONCE(pmct_config.unprivileged) == PMCT_UNPRIVILEGED_HOST)
		return pmct_refuse(msg, -EACCES,
				   "counting from a container needs CAP_PERFMON on the host, or unprivileged=2 in /proc/pmc/config");
	return pmct_refuse(msg, -EACCES,
			   "counting needs CAP_PERFMON: the administrator has set unprivileged=0 in /proc/pmc/config");
}

/* pmct_sessions_revoke() finds sessions only in the list, so the setting is checked again here. */
static int pmct_session_enlist(struct pmct_session *s, struct pmct_msg *msg)
{
	int err = 0;

	mutex_lock(&pmct_sessions_mutex);
	if (pmct_session_allowed(s))
		list_add_tail(&s->node, &pmct_sessions);
	else
		err = pmct_session_refuse_unprivileged(msg);
	mutex_unlock(&pmct_sessions_mutex);
	return err;
}

/**
 * pmct_session_create() - make a session without threads
 * @params: what to count and how
 * @msg: on failure, the reason
 *
 * Context: process context, may sleep.
 * Return: the session or ERR_PTR.
 */
struct pmct_session *pmct_session_create(struct pmct_session_params *params,
					 struct pmct_msg *msg)
{
	struct pmct_session *s;
	int err;

	s = kzalloc(sizeof(*s), GFP_KERNEL_ACCOUNT);
	if (!s)
		return ERR_PTR(-ENOMEM);
	s->period = nsecs_to_jiffies(params->period_ns + TICK_NSEC - 1);
	s->flags = params->flags;
	s->privileged = perfmon_capable();
	s->contained = params->contained;
	refcount_set(&s->refs, 1);
	mutex_init(&s->end_mutex);
	mutex_init(&s->walk_mutex);
	raw_spin_lock_init(&s->lock);
	INIT_LIST_HEAD(&s->threads);
	mutex_init(&s->read_mutex);
	init_waitqueue_head(&s->wait);
	init_irq_work(&s->wake, pmct_session_wake);

	err = pmct_session_allowed(s) ? pmct_session_init_sets(s, params, msg) :
					pmct_session_refuse_unprivileged(msg);
	if (err)
		goto err_sets;
	if (params->flags & PMCTRACK_SESSION_USER_READ)
		err = pmct_user_read_check(s, msg);
	if (!err)
		err = pmct_session_init_rings(s, params, msg);
	if (err)
		goto err_sets;
	err = pmct_owner_get(msg);
	if (err)
		goto err_ring;
	err = pmct_session_enlist(s, msg);
	if (err)
		goto err_backend;
	s->pid_ns = get_pid_ns(task_active_pid_ns(current));
	return s;

err_backend:
	pmct_owner_put();
err_ring:
	pmct_rings_destroy(&s->rings);
err_sets:
	pmct_sets_release(&s->sets);
	pmct_sets_free(&s->sets);
	kfree(s);
	return ERR_PTR(err);
}

/*
 * End the monitoring of all threads and CPUs, and give back the counters. Each thread or CPU that
 * was counted gets a last record of @kind, or none if that is PMCTRACK_RECORD_PAD.
 */
void pmct_session_end(struct pmct_session *s, enum pmctrack_record_kind kind)
{
	mutex_lock(&s->end_mutex);
	if (!s->ended) {
		if (kind == PMCTRACK_RECORD_REVOKED)
			WRITE_ONCE(s->rings.ctl->ended, PMCTRACK_ENDED_REVOKED);
		if (s->flags & PMCTRACK_SESSION_SYSTEM)
			pmct_syswide_stop(s, kind != PMCTRACK_RECORD_PAD);
		pmct_detach_all(s, kind);
		pmct_sets_release(&s->sets);
		pmct_owner_put();
		s->ended = true;
	}
	mutex_unlock(&s->end_mutex);
}

/* Get an open session that is not allowed any more, with a reference; or NULL. */
static struct pmct_session *pmct_session_to_revoke(void)
{
	struct pmct_session *s, *found = NULL;

	mutex_lock(&pmct_sessions_mutex);
	list_for_each_entry(s, &pmct_sessions, node) {
		if (s->revoked || pmct_session_allowed(s))
			continue;
		s->revoked = true;
		refcount_inc(&s->refs);
		found = s;
		break;
	}
	mutex_unlock(&pmct_sessions_mutex);
	return found;
}

/**
 * pmct_sessions_revoke() - end all sessions that /proc/pmc/config does not allow
 *
 * Their files stay open. Readers find what was counted, last records of kind
 * PMCTRACK_RECORD_REVOKED, and the reason in the control page.
 *
 * Context: process context, sleeps.
 */
void pmct_sessions_revoke(void)
{
	struct pmct_session *s;

	while ((s = pmct_session_to_revoke())) {
		pmct_session_end(s, PMCTRACK_RECORD_REVOKED);
		wake_up_all(&s->wait);
		pmct_session_put(s);
	}
}

/**
 * pmct_session_destroy() - end a session
 * @s: the session; other users of it at this time have references
 *
 * Context: process context, sleeps.
 */
void pmct_session_destroy(struct pmct_session *s)
{
	pmct_session_end(s, PMCTRACK_RECORD_PAD);
	mutex_lock(&pmct_sessions_mutex);
	list_del(&s->node);
	mutex_unlock(&pmct_sessions_mutex);
	pmct_session_put(s);
}

/* Call @fn for all threads and CPUs that are monitored, see pmct_detach_each(). */
void pmct_session_each_ctx(pmct_ctx_fn *fn, void *arg)
{
	struct pmct_session *s;

	mutex_lock(&pmct_sessions_mutex);
	list_for_each_entry(s, &pmct_sessions, node)
		pmct_detach_each(s, fn, arg);
	mutex_unlock(&pmct_sessions_mutex);
}
