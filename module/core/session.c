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
#include "evset.h"
#include "hooks.h"

static void pmct_session_wake(struct irq_work *work)
{
	struct pmct_session *s = container_of(work, struct pmct_session, wake);

	wake_up_all(&s->wait);
}

/* Add @spec to the sets of @core_type. */
static int pmct_session_add_set(struct pmct_session *s, const struct pmct_evset_spec *spec,
				unsigned int core_type, struct pmct_msg *msg)
{
	unsigned int index = s->nr_sets[core_type];
	struct pmct_hwset *set;
	int err;

	if (index == PMCTRACK_MAX_SETS)
		return pmct_refuse(msg, -E2BIG, "core type %u: more than %d event sets",
				   core_type, PMCTRACK_MAX_SETS);
	set = &s->sets[core_type][index];
	err = pmct_evset_build(pmct_backend, spec, core_type, set, msg);
	if (err)
		return err;
	set->index = index;
	s->nr_sets[core_type]++;
	s->nr_counters = max(s->nr_counters, set->nr);
	return 0;
}

static int pmct_session_add_raw(struct pmct_session *s, const char *raw, struct pmct_msg *msg)
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
			err = pmct_session_add_set(s, spec, i, msg);
	}
	kfree(spec);
	return err;
}

/* What ends an interval: the clock, or the events of each set. Not both. */
static int pmct_session_check_sets(struct pmct_session *s,
				   const struct pmct_session_params *params,
				   struct pmct_msg *msg)
{
	unsigned int type, i, most = 0, ebs = 0, all = 0;

	for (type = 0; type < ARRAY_SIZE(s->sets); type++) {
		most = max_t(unsigned int, most, s->nr_sets[type]);
		all += s->nr_sets[type];
		for (i = 0; i < s->nr_sets[type]; i++)
			ebs += !!s->sets[type][i].ebs;
	}
	if (ebs && ebs < all)
		return pmct_refuse(msg, -EINVAL,
				   "some event sets sample by events (ebs) and others do not: it must be all or none");
	s->rotates = most > 1;
	if (ebs)
		s->period = 0;
	else if (most > 1 && !s->period && params->nr_pids)
		return pmct_refuse(msg, -EINVAL,
				   "several event sets take turns at the end of a sampling period, and there is none");
	return 0;
}

static int pmct_session_init_sets(struct pmct_session *s,
				  const struct pmct_session_params *params,
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
		err = pmct_session_add_raw(s, params->raw[i], msg);
		if (err)
			return err;
	}
	return pmct_session_check_sets(s, params, msg);
}

static void pmct_session_free_sets(struct pmct_session *s)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(s->sets); i++)
		kfree(s->sets[i]);
}

static int pmct_session_init_ring(struct pmct_session *s,
				  const struct pmct_session_params *params,
				  struct pmct_msg *msg)
{
	u32 size = params->ring_size ?: READ_ONCE(pmct_config.ring_default);
	u32 max = s->privileged ? PMCT_RING_MAX : READ_ONCE(pmct_config.ring_max);
	int err;

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
	raw_spin_lock_init(&s->lock);
	INIT_LIST_HEAD(&s->threads);
	mutex_init(&s->read_mutex);
	init_waitqueue_head(&s->wait);
	init_irq_work(&s->wake, pmct_session_wake);

	err = pmct_session_init_sets(s, params, msg);
	if (err)
		goto err_sets;
	err = pmct_session_init_ring(s, params, msg);
	if (err)
		goto err_sets;
	err = pmct_backend_get(msg);
	if (err)
		goto err_ring;
	s->pid_ns = get_pid_ns(task_active_pid_ns(current));
	return s;

err_ring:
	pmct_ring_destroy(&s->ring);
err_sets:
	pmct_session_free_sets(s);
	kfree(s);
	return ERR_PTR(err);
}

/**
 * pmct_session_destroy() - end a session
 * @s: the session; nobody else refers to it but its threads
 *
 * Context: process context, sleeps.
 */
void pmct_session_destroy(struct pmct_session *s)
{
	pmct_ctx_detach_all(s, false);
	pmct_backend_put();
	/* After the last hook: nobody queues it any more. */
	irq_work_sync(&s->wake);
	pmct_ring_destroy(&s->ring);
	put_pid_ns(s->pid_ns);
	pmct_session_free_sets(s);
	kfree(s);
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

	if (cmd != PMCTRACK_IOC_DETACH)
		return -ENOTTY;
	if (mutex_lock_interruptible(&s->read_mutex))
		return -ERESTARTSYS;
	pmct_ctx_detach_all(s, true);
	mutex_unlock(&s->read_mutex);
	wake_up_all(&s->wait);
	return 0;
}

static const struct file_operations pmct_session_fops = {
	.owner		= THIS_MODULE,
	.read		= pmct_session_read,
	.poll		= pmct_session_poll,
	.unlocked_ioctl	= pmct_session_ioctl,
	.compat_ioctl	= pmct_session_ioctl,
	.mmap		= pmct_session_mmap,
	.release	= pmct_session_release,
	.llseek		= noop_llseek,
};

/* Of running processes, which do not start and stop themselves. */
static const struct file_operations pmct_attached_fops = {
	.owner		= THIS_MODULE,
	.read		= pmct_session_read,
	.poll		= pmct_session_poll,
	.unlocked_ioctl	= pmct_attached_ioctl,
	.compat_ioctl	= pmct_attached_ioctl,
	.mmap		= pmct_session_mmap,
	.release	= pmct_session_release,
	.llseek		= noop_llseek,
};

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

	if (!pmct_hooks_may_count()) {
		pmct_refuse(msg, -EACCES,
			    "kernel.perf_event_paranoid is above 2: counting needs CAP_PERFMON; run as root or lower it with sysctl");
		return ERR_PTR(-EACCES);
	}
	s = pmct_session_create(params, msg);
	if (IS_ERR(s))
		return ERR_CAST(s);
	err = pmct_attach(s, params, msg);
	if (err) {
		pmct_session_destroy(s);
		return ERR_PTR(err);
	}
	if (params->nr_pids && !(params->flags & PMCTRACK_SESSION_ON_EXEC))
		fops = &pmct_attached_fops;
	file = anon_inode_getfile("[pmctrack]", fops, s, O_RDWR | O_CLOEXEC);
	if (IS_ERR(file))
		pmct_session_destroy(s);
	return file;
}
