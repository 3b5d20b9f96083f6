// SPDX-License-Identifier: GPL-2.0-only
/* Kernel threads of a CPU that never sleep, for tests of schedulers. */
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/sched.h>

#define MOST	8

static unsigned int cpu;
module_param(cpu, uint, 0444);
MODULE_PARM_DESC(cpu, "the CPU");

static unsigned int threads = 1;
module_param(threads, uint, 0444);
MODULE_PARM_DESC(threads, "number of threads, 1 to 8");

static struct task_struct *busy[MOST];

static int compute(void *unused)
{
	while (!kthread_should_stop())
		cond_resched();
	return 0;
}

static void stop_threads(void)
{
	unsigned int i;

	for (i = 0; i < MOST && busy[i]; i++)
		kthread_stop(busy[i]);
}

static int __init busy_init(void)
{
	unsigned int i;

	if (!threads || threads > MOST || cpu >= nr_cpu_ids || !cpu_online(cpu))
		return -EINVAL;
	for (i = 0; i < threads; i++) {
		struct task_struct *task;

		task = kthread_create_on_cpu(compute, NULL, cpu, "pmct_busy/%u");
		if (IS_ERR(task)) {
			stop_threads();
			return PTR_ERR(task);
		}
		busy[i] = task;
		wake_up_process(task);
	}
	return 0;
}
module_init(busy_init);

static void __exit busy_exit(void)
{
	stop_threads();
}
module_exit(busy_exit);

MODULE_DESCRIPTION("Kernel threads that never sleep");
MODULE_LICENSE("GPL");
