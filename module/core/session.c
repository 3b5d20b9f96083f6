// SPDX-License-Identifier: GPL-2.0-only
/* Sessions: a file descriptor that monitors threads and delivers records. */
#include <linux/anon_inodes.h>
#include <linux/capability.h>
#include <linux/fs.h>
#include <linux/log2.h>
#include <linux/module.h>
#include <linux/nsproxy.h>
#include <linux/pid.h>
#include <linux/poll.h>
#include <linux/sched/task.h>
#include <linux/slab.h>

#include "core.h"
#include "hooks.h"
#include "mmon.h"

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

static int pmct_session_refuse_unprivileged(const struct pmct_session *s, struct pmct_msg *msg)
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
		err = pmct_session_refuse_unprivileged(s, msg);
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

	err = pmct_session_allowed(s) ? pmct_sets_init(s, params, msg) :
					pmct_session_refuse_unprivileged(s, msg);
	if (err)
		goto err_sets;
	if (params->flags & PMCTRACK_SESSION_USER_READ)
		err = pmct_user_read_check(s, params, msg);
	if (!err)
		err = pmct_session_init_ring(s, params, msg);
	if (err)
		goto err_sets;
	err = pmct_backend_get(msg);
	if (err)
		goto err_ring;
	err = pmct_session_enlist(s, msg);
	if (err)
		goto err_backend;
	s->pid_ns = get_pid_ns(task_active_pid_ns(current));
	return s;

err_backend:
	pmct_backend_put();
err_ring:
	pmct_ring_destroy(&s->ring);
err_sets:
	pmct_sets_release(s);
	pmct_sets_free(s);
	kfree(s);
	return ERR_PTR(err);
}

/*
 * Monitor nobody any more, and give back the counters. Each thread or CPU that
 * was counted leaves a last record of @kind, none if that is PMCTRACK_RECORD_PAD.
 */
static void pmct_session_end(struct pmct_session *s, enum pmctrack_record_kind kind)
{
	/* The kernel's own is ended by who may be attaching threads to another one. */
	mutex_lock_nested(&s->end_mutex, s->ring.size ? 0 : SINGLE_DEPTH_NESTING);
	if (!s->ended) {
		if (kind == PMCTRACK_RECORD_REVOKED)
			WRITE_ONCE(s->ring.ctl->ended, PMCTRACK_ENDED_REVOKED);
		if (s->flags & PMCTRACK_SESSION_SYSTEM)
			pmct_syswide_stop(s, kind != PMCTRACK_RECORD_PAD);
		pmct_ctx_detach_all(s, kind);
		pmct_sets_release(s);
		pmct_backend_put();
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
	pmct_sets_free(s);
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

/* No thread is left, and hence no record will follow those seen after this. */
static bool pmct_session_over(const struct pmct_session *s)
{
	/* Pairs with pmct_set_nr_threads(). */
	return !smp_load_acquire(&s->nr_threads);
}

static ssize_t pmct_session_read(struct file *file, char __user *buf, size_t len, loff_t *pos)
{
	struct pmct_session *s = file->private_data;
	ssize_t done;
	bool over;

	for (;;) {
		over = pmct_session_over(s);
		if (mutex_lock_interruptible(&s->read_mutex))
			return -ERESTARTSYS;
		done = pmct_ring_read(&s->ring, buf, len);
		mutex_unlock(&s->read_mutex);
		if (done || over)
			return done;
		if (file->f_flags & O_NONBLOCK)
			return -EAGAIN;
		if (wait_event_interruptible(s->wait, pmct_ring_used(&s->ring) ||
					     pmct_session_over(s)))
			return -ERESTARTSYS;
	}
}

static __poll_t pmct_session_poll(struct file *file, poll_table *wait)
{
	struct pmct_session *s = file->private_data;
	__poll_t events = 0;

	poll_wait(file, &s->wait, wait);
	if (pmct_session_over(s))
		events |= EPOLLHUP;
	if (pmct_ring_used(&s->ring))
		events |= EPOLLIN | EPOLLRDNORM;
	return events;
}

static long pmct_user_read_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	switch (cmd) {
	case PMCTRACK_IOC_START:
		return pmct_count_start_user_read(file->private_data);
	case PMCTRACK_IOC_STOP:
		return pmct_count_stop_user_read(file->private_data);
	}
	return -ENOTTY;
}

static long pmct_session_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	switch (cmd) {
	case PMCTRACK_IOC_START:
		return pmct_count_start(file->private_data);
	case PMCTRACK_IOC_STOP:
		return pmct_count_stop(file->private_data);
	}
	return -ENOTTY;
}

static int pmct_session_mmap(struct file *file, struct vm_area_struct *vma)
{
	struct pmct_session *s = file->private_data;

	return pmct_ring_mmap(&s->ring, vma);
}

static int pmct_session_release(struct inode *inode, struct file *file)
{
	pmct_session_destroy(file->private_data);
	return 0;
}

static long pmct_attached_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	struct pmct_session *s = file->private_data;

	if (cmd == PMCTRACK_IOC_ATTACH && s->flags & PMCTRACK_SESSION_ATTACH)
		return pmct_attach_ioctl(s, (struct pmctrack_attach __user *)arg);
	if (cmd != PMCTRACK_IOC_DETACH)
		return -ENOTTY;
	pmct_session_end(s, PMCTRACK_RECORD_DETACH);
	wake_up_all(&s->wait);
	return 0;
}

/* Sessions differ in what their ioctls are. */
#define PMCT_SESSION_FOPS(_ioctl)		\
	.owner		= THIS_MODULE,		\
	.read		= pmct_session_read,	\
	.poll		= pmct_session_poll,	\
	.unlocked_ioctl	= (_ioctl),		\
	.compat_ioctl	= compat_ptr_ioctl,	\
	.mmap		= pmct_session_mmap,	\
	.release	= pmct_session_release,	\
	.llseek		= noop_llseek

static const struct file_operations pmct_session_fops = {
	PMCT_SESSION_FOPS(pmct_session_ioctl),
};

/* Of threads that read their counters themselves. */
static const struct file_operations pmct_user_read_fops = {
	PMCT_SESSION_FOPS(pmct_user_read_ioctl),
};

/* Of running processes and of CPUs, which do not start and stop themselves. */
static const struct file_operations pmct_attached_fops = {
	PMCT_SESSION_FOPS(pmct_attached_ioctl),
};

/* The virtual counters, and maybe the event sets, of the active monitoring module. */
static int pmct_session_use_mmon(const struct monitoring_module *mm,
				 struct pmct_session_params *params, struct pmct_msg *msg)
{
	unsigned int i;

	if (!pmct_mmon_name_ok(params->mm_name))
		return pmct_refuse(msg, -EINVAL, "not the name of a monitoring module");
	if (!mm || strcmp(mm->name, params->mm_name))
		return pmct_refuse(msg, -ENOENT,
				   "monitoring module %s is not active; see /proc/pmc/mmon_manager",
				   params->mm_name);
	if (params->virt >> mm->nr_virt)
		return pmct_refuse(msg, -EINVAL, "monitoring module %s has %u virtual counters",
				   mm->name, mm->nr_virt);
	if (!params->nr_raw) {
		if (!mm->nr_raw)
			return pmct_refuse(msg, -EINVAL,
					   "monitoring module %s has no event sets of its own: name events to count",
					   mm->name);
		memcpy(params->raw, mm->raw, mm->nr_raw * sizeof(*mm->raw));
		params->nr_raw = mm->nr_raw;
		return 0;
	}
	for (i = 0; i < mm->nr_virt; i++) {
		if (params->virt >> i & 1 && mm->virt[i].needs_sets)
			return pmct_refuse(msg, -EINVAL,
					   "virtual counter %s is made of the counts of module %s's own events: name no others",
					   mm->virt[i].name, mm->name);
	}
	return 0;
}

static struct pmct_session *pmct_session_create_with_mmon(struct pmct_session_params *params,
							  struct pmct_msg *msg)
{
	const struct monitoring_module *mm;
	bool mm_sets = !params->nr_raw;
	struct pmct_session *s;
	int err;

	if (!params->mm_name)
		return pmct_session_create(params, msg);
	pmct_mmon_lock();
	mm = pmct_mmon_active();
	err = pmct_session_use_mmon(mm, params, msg);
	s = err ? ERR_PTR(err) : pmct_session_create(params, msg);
	if (!IS_ERR(s)) {
		s->mm_gen = mm->gen;
		s->mm_sets = mm_sets;
		s->virt = params->virt;
	}
	pmct_mmon_unlock();
	return s;
}

/**
 * pmct_session_open() - create a session and attach its target
 * @params: what to count, and whom
 * @msg: on failure, why
 *
 * Context: process context of the user, may sleep.
 * Return: a file, whose release ends the session; or ERR_PTR.
 */
struct file *pmct_session_open(struct pmct_session_params *params, struct pmct_msg *msg)
{
	const struct file_operations *fops = &pmct_session_fops;
	struct pmct_session *s;
	struct file *file;
	int err;

	if (!pmct_hooks->may_count()) {
		pmct_refuse(msg, -EACCES,
			    "kernel.perf_event_paranoid is above 2: counting needs CAP_PERFMON; run as root or lower it with sysctl");
		return ERR_PTR(-EACCES);
	}
	s = pmct_session_create_with_mmon(params, msg);
	if (IS_ERR(s))
		return ERR_CAST(s);
	mutex_lock(&s->end_mutex);
	err = s->ended ? pmct_session_refuse_unprivileged(s, msg) : pmct_attach(s, params, msg);
	mutex_unlock(&s->end_mutex);
	if (err) {
		pmct_session_destroy(s);
		return ERR_PTR(err);
	}
	if (params->flags & (PMCTRACK_SESSION_ATTACH | PMCTRACK_SESSION_SYSTEM))
		fops = &pmct_attached_fops;
	else if (params->flags & PMCTRACK_SESSION_USER_READ)
		fops = &pmct_user_read_fops;
	file = anon_inode_getfile("[pmctrack]", fops, s, O_RDWR | O_CLOEXEC);
	if (IS_ERR(file))
		pmct_session_destroy(s);
	return file;
}
