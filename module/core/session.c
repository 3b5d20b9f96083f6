// SPDX-License-Identifier: GPL-2.0-only
/* Sessions: made, ended, revoked. */
#include <linux/capability.h>
#include <linux/log2.h>
#include <linux/nsproxy.h>
#include <linux/pid.h>
#include <linux/sched/task.h>
#include <linux/slab.h>

#include "config.h"
#include "ctx.h"
#include "owner.h"
#include "session.h"
#include "syswide.h"
#include "user_read.h"

static DEFINE_MUTEX(pmct_sessions_mutex);
static LIST_HEAD(pmct_sessions);

static void pmct_session_wake(struct irq_work *work)
{
	struct pmct_session *s = container_of(work, struct pmct_session, wake);

	wake_up_all(&s->wait);
}

static int pmct_session_init_ring(struct pmct_session *s,
				  const struct pmct_session_params *params,
				  struct pmct_msg *msg)
{
	u32 size = params->ring_size ?: READ_ONCE(pmct_config.ring_default);
	u32 max = s->privileged ? PMCT_RING_MAX : READ_ONCE(pmct_config.ring_max);
	int err;

	if (params->no_ring)
		return pmct_ring_init_unread(&s->ring);
	if (!is_power_of_2(size) || size < PMCT_RING_MIN || size > max)
		return pmct_refuse(msg, -EINVAL,
				   "ring buffer of %u bytes: must be a power of two from %lu to %u",
				   size, PMCT_RING_MIN, max);
	err = pmct_ring_init(&s->ring, size);
	if (err)
		return pmct_refuse(msg, err,
				   "no memory for a ring buffer of %u bytes (see ulimit -l); ask for a smaller one",
				   size);
	return 0;
}

/* The event sets, and what ends an interval: the clock, or the events of each set. */
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

/* May a session like @s be open, as /proc/pmc/config has it now? */
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

/* In the list, pmct_sessions_revoke() finds it; so the setting is looked at once more. */
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
 * @msg: on failure, why
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
		err = pmct_session_init_ring(s, params, msg);
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
	pmct_ring_destroy(&s->ring);
err_sets:
	pmct_sets_release(&s->sets);
	pmct_sets_free(&s->sets);
	kfree(s);
	return ERR_PTR(err);
}

/*
 * Monitor nobody any more, and give back the counters. Each thread or CPU that
 * was counted leaves a last record of @kind, none if that is PMCTRACK_RECORD_PAD.
 */
void pmct_session_end(struct pmct_session *s, enum pmctrack_record_kind kind)
{
	/* The kernel's own is ended by who may be attaching threads to another one. */
	mutex_lock_nested(&s->end_mutex, s->ring.size ? 0 : SINGLE_DEPTH_NESTING);
	if (!s->ended) {
		if (kind == PMCTRACK_RECORD_REVOKED)
			WRITE_ONCE(s->ring.ctl->ended, PMCTRACK_ENDED_REVOKED);
		if (s->flags & PMCTRACK_SESSION_SYSTEM)
			pmct_syswide_stop(s, kind != PMCTRACK_RECORD_PAD);
		pmct_ctx_detach_all(s, kind);
		pmct_sets_release(&s->sets);
		pmct_owner_put();
		s->ended = true;
	}
	mutex_unlock(&s->end_mutex);
}

/* A session that is open and not allowed any more, with a reference; or NULL. */
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
 * They stay open, and their readers find what was counted, last records of kind
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
 * @s: the session; what others do with it at this time ends with their references
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

/* A reference less to a session that has ended. Process context, may sleep. */
void pmct_session_put(struct pmct_session *s)
{
	if (!refcount_dec_and_test(&s->refs))
		return;
	/* After the last hook: nobody queues it any more. */
	irq_work_sync(&s->wake);
	pmct_ring_destroy(&s->ring);
	put_pid_ns(s->pid_ns);
	pmct_sets_free(&s->sets);
	kfree(s);
}

/* Call @fn for all threads and CPUs that are monitored, with interrupts disabled. */
void pmct_session_each_ctx(void (*fn)(const struct monitoring_module *mm, struct pmct_ctx *ctx),
			   const struct monitoring_module *mm)
{
	struct pmct_session *s;
	struct pmct_ctx *ctx;

	mutex_lock(&pmct_sessions_mutex);
	list_for_each_entry(s, &pmct_sessions, node) {
		raw_spin_lock_irq(&s->lock);
		list_for_each_entry(ctx, &s->threads, node)
			fn(mm, ctx);
		raw_spin_unlock_irq(&s->lock);
	}
	mutex_unlock(&pmct_sessions_mutex);
}
