// SPDX-License-Identifier: GPL-2.0-only
/* Requests of kernel modules that act for a scheduler; see <pmctrack/client.h>. */
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

/* Protects pmct_clients. Taken before all locks of monitoring modules. */
static DEFINE_MUTEX(pmct_client_mutex);
static LIST_HEAD(pmct_clients);

/**
 * pmct_client_register() - register a client of a scheduler
 * @client: the kernel module that acts for the scheduler
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
 * pmct_client_unregister() - unregister a client
 * @client: the client, registered before
 *
 * On kernels without the patch, requests for monitoring end with the last client of the machine.
 * With the patch, they stay until another call withdraws them, or the threads end.
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
 * @value: result, with its age and confidence; undefined on failure
 *
 * Context: any, NMI included. It takes no lock and does not wait.
 * Return: 0. -EINVAL: there is no such metric. -ENODATA: the metric has no value yet, the active
 * monitoring module does not have it, or the thread is not monitored. -EAGAIN: the metric was
 * published several times during the read; the next call will succeed.
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
 * @keys: the metrics, enum pmct_metric
 * @nr: number of @keys
 * @values: results; the error of each is that of pmct_client_metric()
 *
 * Context: any, NMI included. It takes no lock and does not wait.
 * Return: number of metrics that have a value.
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
 * pmct_client_monitor() - request metrics of a thread, or withdraw the request
 * @task: the thread; the caller keeps it from being freed
 * @on: true: request, false: withdraw
 *
 * The thread is counted with the event sets of the active monitoring module from its next tick on,
 * unless a user's session has it. Children of the thread are not counted.
 *
 * A thread has one request only: the last call counts, whatever client makes it.
 *
 * Context: any but NMI; the runqueue lock may be held.
 * Return: 0. -EINVAL: it is an idle thread. -ESRCH: the thread ends, or is not complete yet (a
 * thread is complete when it runs for the first time). -ENOSPC: too many threads are monitored.
 * -ENODEV: no client is registered. The last two are for kernels without the patch.
 */
int pmct_client_monitor(struct task_struct *task, bool on)
{
	bool complete;

	if (is_idle_task(task))
		return -EINVAL;
	/* If the creation of the thread fails, its end is not reported. */
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
 * Return: its index below pmct_client_nr_types(). -EINVAL: there is no such CPU, or its type is not
 * known.
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
 * pmct_client_nr_types() - the number of core types, which are in the order of /proc/pmc/info
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
 * @type: index of the core type
 * @name: result, cut off if it is too long
 * @size: bytes of @name
 *
 * Context: any.
 * Return: length of the name. -EINVAL: there is no such type, or @size is 0.
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
 * @name: result, cut off if it is too long
 * @size: bytes of @name
 *
 * Context: any but NMI.
 * Return: length of the name; 0: no module is active. -EINVAL: @size is 0.
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

/* Print a line of /proc/pmc/info. */
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
