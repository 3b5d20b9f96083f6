// SPDX-License-Identifier: GPL-2.0-only
/* What kernel modules that act for a scheduler ask; see <pmctrack/client.h>. */
#include <linux/errno.h>
#include <linux/export.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/pid.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/seq_file.h>
#include <linux/string.h>
#include <pmctrack/client.h>

#include "client.h"
#include "cpu.h"
#include "mmon_call.h"
#include "owner.h"
#include "sched_mode.h"
#include "tie.h"

/* Protects pmct_clients. Outside of all locks of monitoring modules. */
static DEFINE_MUTEX(pmct_client_mutex);
static LIST_HEAD(pmct_clients);

/**
 * pmct_client_register() - some scheduler may want threads to be monitored
 * @client: who acts for it
 *
 * Context: process context, may sleep.
 * Return: 0 or -ENOMEM.
 */
int pmct_client_register(struct pmct_client *client)
{
	int err = 0;

	mutex_lock(&pmct_client_mutex);
	if (list_empty(&pmct_clients))
		err = pmct_sched_mode_arm();
	if (!err)
		list_add_tail(&client->node, &pmct_clients);
	mutex_unlock(&pmct_client_mutex);
	return err;
}
EXPORT_SYMBOL_GPL(pmct_client_register);

/**
 * pmct_client_unregister() - it asks no more
 * @client: registered before
 *
 * What it wanted of threads ends with the last client of the machine, on kernels without the
 * patch. With the patch, threads are wanted until somebody says otherwise, or they end.
 *
 * Context: process context, may sleep.
 */
void pmct_client_unregister(struct pmct_client *client)
{
	mutex_lock(&pmct_client_mutex);
	list_del(&client->node);
	if (list_empty(&pmct_clients))
		pmct_sched_mode_disarm();
	mutex_unlock(&pmct_client_mutex);
}
EXPORT_SYMBOL_GPL(pmct_client_unregister);

/**
 * pmct_client_metric() - a metric of a thread
 * @task: the thread; the caller keeps it from being freed
 * @key: enum pmct_metric
 * @value: where it goes, with its age and confidence; undefined on failure
 *
 * Context: any, NMI included. It takes no lock and waits for nobody.
 * Return: 0. -EINVAL: there is no such metric. -ENODATA: it has no value yet, the active
 * monitoring module has none, or the thread is not monitored. -EAGAIN: it was published
 * again and again meanwhile; the next call will do.
 */
int pmct_client_metric(struct task_struct *task, int key, struct pmct_metric_value *value)
{
	const struct pmct_ctx *ctx;
	int err = key < 0 || key >= PMCT_NR_METRICS ? -EINVAL : -ENODATA;

	rcu_read_lock();
	ctx = pmct_tie_ctx(task);
	if (ctx)
		err = pmct_mmon_read(ctx, key, value);
	rcu_read_unlock();
	return err;
}
EXPORT_SYMBOL_GPL(pmct_client_metric);

/**
 * pmct_client_metrics() - several metrics of a thread at once
 * @task: the thread; the caller keeps it from being freed
 * @keys: enum pmct_metric, of each
 * @nr: how many
 * @values: where they go; the error of each is that of pmct_client_metric()
 *
 * Context: any, NMI included. It takes no lock and waits for nobody.
 * Return: how many have a value.
 */
int pmct_client_metrics(struct task_struct *task, const u32 *keys, unsigned int nr,
			struct pmct_metric_value *values)
{
	int found;

	rcu_read_lock();
	found = pmct_mmon_read_all(pmct_tie_ctx(task), keys, nr, values);
	rcu_read_unlock();
	return found;
}
EXPORT_SYMBOL_GPL(pmct_client_metrics);

/**
 * pmct_client_monitor() - a scheduler wants metrics of a thread, or no more
 * @task: the thread; the caller keeps it from being freed
 * @on: it does
 *
 * The thread is counted with the event sets of the active monitoring module from its next tick
 * on, unless a user's session has it. Its children are not.
 *
 * There is one wish for each thread, whatever client has it: the last call counts.
 *
 * Context: any but NMI; the runqueue lock may be held.
 * Return: 0. -EINVAL: it is an idle thread. -ESRCH: the thread ends, or is not complete yet (a
 * thread is when it runs for the first time). -ENOSPC: too many are monitored. -ENODEV: no client
 * is registered. The last two are for kernels without the patch.
 */
int pmct_client_monitor(struct task_struct *task, bool on)
{
	bool complete;

	if (is_idle_task(task))
		return -EINVAL;
	/* If its creation fails, nobody hears of its end. */
	rcu_read_lock();
	complete = pid_task(task_pid(task), PIDTYPE_PID) == task;
	rcu_read_unlock();
	if (on && !complete)
		return -ESRCH;
	return pmct_hooks->want(task, on);
}
EXPORT_SYMBOL_GPL(pmct_client_monitor);

/**
 * pmct_client_cpu_type() - the core type of a CPU
 * @cpu: the CPU
 *
 * Context: any.
 * Return: its index below pmct_client_nr_types(). -EINVAL: there is no such CPU, or nobody
 * knows what it is.
 */
int pmct_client_cpu_type(int cpu)
{
	unsigned int i;

	if (cpu < 0 || cpu >= nr_cpu_ids)
		return -EINVAL;
	for (i = 0; i < pmct_backend->nr_core_types(); i++) {
		if (cpumask_test_cpu(cpu, &pmct_backend->core_type(i)->cpus))
			return i;
	}
	return -EINVAL;
}
EXPORT_SYMBOL_GPL(pmct_client_cpu_type);

/**
 * pmct_client_nr_types() - how many core types the machine has, in the order of /proc/pmc/info
 *
 * Context: any.
 * Return: their number, at least 1.
 */
unsigned int pmct_client_nr_types(void)
{
	return pmct_backend->nr_core_types();
}
EXPORT_SYMBOL_GPL(pmct_client_nr_types);

/**
 * pmct_client_type_name() - the name of a core type, as /proc/pmc/info has it
 * @type: its index
 * @name: where it goes, and is cut off
 * @size: of @name
 *
 * Context: any.
 * Return: its length. -EINVAL: there is no such type, or @size is 0.
 */
int pmct_client_type_name(unsigned int type, char *name, size_t size)
{
	if (type >= pmct_backend->nr_core_types() || !size)
		return -EINVAL;
	return scnprintf(name, size, "%s", pmct_backend->core_type(type)->name);
}
EXPORT_SYMBOL_GPL(pmct_client_type_name);

/**
 * pmct_client_module() - the name of the active monitoring module
 * @name: where it goes, and is cut off
 * @size: of @name
 *
 * Context: any but NMI.
 * Return: its length; 0: none is active. -EINVAL: @size is 0.
 */
int pmct_client_module(char *name, size_t size)
{
	const struct monitoring_module *mm;
	int len;

	if (!size)
		return -EINVAL;
	rcu_read_lock();
	mm = rcu_dereference(pmct_mmon);
	len = scnprintf(name, size, "%s", mm ? mm->name : "");
	rcu_read_unlock();
	return len;
}
EXPORT_SYMBOL_GPL(pmct_client_module);

/* A line of /proc/pmc/info. */
void pmct_client_show(struct seq_file *m)
{
	const struct pmct_client *client;

	mutex_lock(&pmct_client_mutex);
	seq_puts(m, "scheduler_clients:");
	list_for_each_entry(client, &pmct_clients, node)
		seq_printf(m, " %s", client->name);
	seq_puts(m, list_empty(&pmct_clients) ? " none\n" : "\n");
	mutex_unlock(&pmct_client_mutex);
}
