// SPDX-License-Identifier: GPL-2.0-only
/* The file of a session: opened for a request, read, mapped, started and stopped. */
#include <linux/anon_inodes.h>
#include <linux/fs.h>
#include <linux/module.h>
#include <linux/poll.h>

#include "attach.h"
#include "count.h"
#include "mmon_call.h"
#include "mmon_select.h"
#include "open.h"
#include "tie.h"

/* True if no thread is left, so that no record will follow those that are seen after this. */
static bool pmct_session_over(const struct pmct_session *s)
{
	/* Pairs with pmct_ctx_set_nr(). */
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
		done = pmct_rings_read(&s->rings, buf, len);
		mutex_unlock(&s->read_mutex);
		if (done || over)
			return done;
		if (file->f_flags & O_NONBLOCK)
			return -EAGAIN;
		if (wait_event_interruptible(s->wait, pmct_rings_filled(&s->rings) ||
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
	if (pmct_rings_filled(&s->rings))
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

	return pmct_rings_mmap(&s->rings, vma);
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

/* The kinds of sessions differ in their ioctls. */
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

/* For threads that read their counters themselves. */
static const struct file_operations pmct_user_read_fops = {
	PMCT_SESSION_FOPS(pmct_user_read_ioctl),
};

/* For running processes and for CPUs, which do not start and stop their own counting. */
static const struct file_operations pmct_attached_fops = {
	PMCT_SESSION_FOPS(pmct_attached_ioctl),
};

/* Use the virtual counters, and possibly the event sets, of the active monitoring module. */
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
	for (i = 0; i < mm->nr_virt; i++) {
		if (params->virt >> i & 1 && mm->virt[i].sees_others && params->cgroup >= 0)
			return pmct_refuse(msg, -EOPNOTSUPP,
					   "virtual counter %s is of whole CPUs: it cannot be had of a control group",
					   mm->virt[i].name);
		if (params->virt >> i & 1 && mm->virt[i].sees_others && !perfmon_capable())
			return pmct_refuse(msg, -EACCES,
					   "virtual counter %s shows what others do, too: that needs CAP_PERFMON",
					   mm->virt[i].name);
	}
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

/* Create a session with events that the user has named. */
static struct pmct_session *pmct_session_create_named(struct pmct_session_params *params,
						      struct pmct_msg *msg)
{
	struct pmct_session *s = pmct_session_create(params, msg);

	if (IS_ERR(s) || !s->sets.addresses)
		return s;
	pmct_session_destroy(s);
	pmct_refuse(msg, -EINVAL,
		    "ip: addresses of instructions are for monitoring modules; use ebs");
	return ERR_PTR(-EINVAL);
}

static struct pmct_session *pmct_session_create_with_mmon(struct pmct_session_params *params,
							  struct pmct_msg *msg)
{
	const struct monitoring_module *mm;
	bool mm_sets = !params->nr_raw;
	struct pmct_session *s;
	int err;

	if (!params->mm_name)
		return pmct_session_create_named(params, msg);
	pmct_mmon_lock();
	mm = pmct_mmon_active();
	err = pmct_session_use_mmon(mm, params, msg);
	if (err)
		s = ERR_PTR(err);
	else
		s = mm_sets ? pmct_session_create(params, msg) :
			      pmct_session_create_named(params, msg);
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
 * @params: what to count, and for which threads or CPUs
 * @msg: on failure, the reason
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
	err = s->ended ? pmct_session_refuse_unprivileged(msg) : pmct_attach(s, params, msg);
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
