// SPDX-License-Identifier: GPL-2.0-only
/*
 * The interface for people: /proc/pmc/info (read), /proc/pmc/config, /proc/pmc/mmon_manager and
 * /proc/pmc/mmon_model (read, write), /proc/pmc/mmon_state (read, root only). See
 * Documentation/ABI/procfs-pmc.
 */
#include <linux/capability.h>
#include <linux/module.h>
#include <linux/proc_fs.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "client.h"
#include "config.h"
#include "event_names.h"
#include "mmon_select.h"
#include "owner.h"
#include "procfs.h"
#include "session.h"
#include "tie.h"

/* Caches of a simulated machine. For other machines, /sys has more than the module knows. */
static void pmct_info_caches(struct seq_file *m)
{
	int (*domain)(int cpu) = pmct_backend->cache_domain;
	unsigned int cpu, other, first;

	if (!domain)
		return;
	seq_puts(m, "caches:");
	for_each_possible_cpu(cpu) {
		first = cpumask_first(cpu_possible_mask);
		while (domain(first) != domain(cpu))
			first = cpumask_next(first, cpu_possible_mask);
		if (first != cpu)
			continue;
		seq_printf(m, " %u", cpu);
		for (other = cpu + 1; other < nr_cpu_ids; other++) {
			if (cpu_possible(other) && domain(other) == domain(cpu))
				seq_printf(m, ",%u", other);
		}
	}
	seq_putc(m, '\n');
}

/* The events that monitoring modules can name: those of users without what only libpfm4 knows. */
static void pmct_info_events(struct seq_file *m, unsigned int core_type)
{
	const struct pmct_event_table *table = pmct_backend->events;
	unsigned int i;

	seq_puts(m, "events:");
	for (i = 0; table && i < table->nr_names; i++) {
		if (pmct_event_names_has(pmct_backend, core_type, &table->names[i]))
			seq_printf(m, " %s", table->names[i].name);
	}
	seq_putc(m, '\n');
}

static int pmct_info_show(struct seq_file *m, void *v)
{
	unsigned int i;

	seq_printf(m, "version: %s\n", THIS_MODULE->version ?: "");
	seq_printf(m, "abi: %d\n", PMCTRACK_ABI_VERSION);
	seq_printf(m, "hooks: %s\n", pmct_hooks->name);
	pmct_client_show(m);
	seq_printf(m, "backend: %s\n", pmct_backend->name);
	seq_printf(m, "sessions: %u\n", pmct_owner_users());
	seq_printf(m, "counters_owned_by: %s\n",
		   pmct_owner_users() && pmct_backend->owns_counters ? "pmctrack" : "perf");
	seq_printf(m, "sampling_resolution_ns: %lu\n", TICK_NSEC);
	pmct_info_caches(m);
	for (i = 0; i < pmct_backend->nr_core_types(); i++) {
		const struct pmct_core_type *type = pmct_backend->core_type(i);

		seq_printf(m, "\ncoretype: %u\n", i);
		seq_printf(m, "pmu: %s\n", type->name);
		seq_printf(m, "model: %s\n", type->model);
		seq_printf(m, "cpus: %*pbl\n", cpumask_pr_args(&type->cpus));
		seq_printf(m, "counters: %u (%#x)\n", hweight32(type->counters), type->counters);
		seq_printf(m, "fixed_counters: %u (%#x)\n", hweight32(type->fixed), type->fixed);
		seq_printf(m, "counter_bits: %u\n", type->width);
		pmct_info_events(m, i);
	}
	return 0;
}

static int pmct_config_file_show(struct seq_file *m, void *v)
{
	pmct_config_show(m);
	return 0;
}

static int pmct_config_open(struct inode *inode, struct file *file)
{
	return single_open(file, pmct_config_file_show, NULL);
}

/* Get what an administrator wrote, as a string. Returns 0 or a negative errno. */
static int pmct_get_line(char *buf, size_t size, const char __user *ubuf, size_t len)
{
	if (!capable(CAP_SYS_ADMIN))
		return -EPERM;
	if (len >= size)
		return -E2BIG;
	if (copy_from_user(buf, ubuf, len))
		return -EFAULT;
	buf[len] = '\0';
	return 0;
}

/* Each write has one "name=value". */
static ssize_t pmct_config_write(struct file *file, const char __user *ubuf, size_t len,
				 loff_t *pos)
{
	char buf[64];
	char *value;
	u32 number;
	int err;

	err = pmct_get_line(buf, sizeof(buf), ubuf, len);
	if (err)
		return err;
	value = strchr(strim(buf), '=');
	if (!value)
		return -EINVAL;
	*value++ = '\0';
	if (kstrtou32(value, 0, &number))
		return -EINVAL;
	err = pmct_config_set(strim(buf), number);
	if (err)
		return err;
	/* End sessions that the setting "unprivileged" does not allow any more. */
	pmct_sessions_revoke();
	return len;
}

static const struct proc_ops pmct_config_ops = {
	.proc_open	= pmct_config_open,
	.proc_read	= seq_read,
	.proc_lseek	= seq_lseek,
	.proc_release	= single_release,
	.proc_write	= pmct_config_write,
};

static int pmct_mmon_manager_show(struct seq_file *m, void *v)
{
	pmct_mmon_show(m);
	return 0;
}

static int pmct_mmon_manager_open(struct inode *inode, struct file *file)
{
	return single_open(file, pmct_mmon_manager_show, NULL);
}

/* The text is the name of a monitoring module, or "none". */
static ssize_t pmct_mmon_manager_write(struct file *file, const char __user *ubuf, size_t len,
				       loff_t *pos)
{
	char buf[64];
	int err;

	err = pmct_get_line(buf, sizeof(buf), ubuf, len);
	if (!err)
		err = pmct_mmon_select(strim(buf));
	return err ?: len;
}

static const struct proc_ops pmct_mmon_manager_ops = {
	.proc_open	= pmct_mmon_manager_open,
	.proc_read	= seq_read,
	.proc_lseek	= seq_lseek,
	.proc_release	= single_release,
	.proc_write	= pmct_mmon_manager_write,
};

/* Limit of the size of a model, in bytes. */
#define PMCT_MODEL_BYTES	65536

static int pmct_mmon_model_show(struct seq_file *m, void *v)
{
	pmct_mmon_show_models(m);
	return 0;
}

static int pmct_mmon_model_open(struct inode *inode, struct file *file)
{
	return single_open(file, pmct_mmon_model_show, NULL);
}

/* One write() has a whole model, as cat does it. */
static ssize_t pmct_mmon_model_write(struct file *file, const char __user *ubuf, size_t len,
				     loff_t *pos)
{
	char *text;
	int err;

	if (!capable(CAP_SYS_ADMIN))
		return -EPERM;
	if (len > PMCT_MODEL_BYTES)
		return -E2BIG;
	text = kvmalloc(len + 1, GFP_KERNEL_ACCOUNT);
	if (!text)
		return -ENOMEM;
	err = copy_from_user(text, ubuf, len) ? -EFAULT : 0;
	text[len] = '\0';
	if (!err)
		err = pmct_mmon_load_model(text);
	kvfree(text);
	return err ?: len;
}

static const struct proc_ops pmct_mmon_model_ops = {
	.proc_open	= pmct_mmon_model_open,
	.proc_read	= seq_read,
	.proc_lseek	= seq_lseek,
	.proc_release	= single_release,
	.proc_write	= pmct_mmon_model_write,
};

static int pmct_mmon_state_show(struct seq_file *m, void *v)
{
	pmct_mmon_show_state(m);
	return 0;
}

int pmct_procfs_init(void)
{
	struct proc_dir_entry *dir = proc_mkdir("pmc", NULL);

	if (!dir)
		return -ENOMEM;
	if (!proc_create_single("info", 0444, dir, pmct_info_show) ||
	    !proc_create("config", 0644, dir, &pmct_config_ops) ||
	    !proc_create("mmon_manager", 0644, dir, &pmct_mmon_manager_ops) ||
	    !proc_create("mmon_model", 0644, dir, &pmct_mmon_model_ops) ||
	    /*
	     * For root only, because it can show what others do: the energy that the machine takes.
	     */
	    !proc_create_single("mmon_state", 0400, dir, pmct_mmon_state_show)) {
		remove_proc_subtree("pmc", NULL);
		return -ENOMEM;
	}
	return 0;
}

void pmct_procfs_exit(void)
{
	remove_proc_subtree("pmc", NULL);
}
