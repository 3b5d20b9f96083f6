// SPDX-License-Identifier: GPL-2.0-only
/*
 * For the guest tests: a monitoring module that reports which calls it gets, and does what a
 * scheduler would do, through /proc/pmc_test:
 *
 *	read	calls of each kind since the module was loaded, one a line
 *	write	"sched PID 0|1" sets scheduler mode of a thread; "metric PID KEY"
 *		asks for a metric: the next reads show "metric: VALUE" or an errno
 */
#include <linux/atomic.h>
#include <linux/pid.h>
#include <linux/proc_fs.h>
#include <linux/sched/task.h>
#include <linux/seq_file.h>
#include <linux/uaccess.h>
#include <pmctrack/client.h>
#include <pmctrack/mmon.h>
#ifdef CONFIG_PMCTRACK
#include <linux/pmctrack.h>
#endif

static unsigned int nr_sets = 1;
module_param(nr_sets, uint, 0444);
MODULE_PARM_DESC(nr_sets, "event sets: 0, 1 or 2");

static bool stay;
module_param(stay, bool, 0644);
MODULE_PARM_DESC(stay, "event sets do not take turns");

static char *event;
module_param(event, charp, 0444);
MODULE_PARM_DESC(event, "one more event of the first set, which the PMU may not have");

/* Instructions are the first count in both sets, on all PMUs. */
enum { INSTR, KERNEL, EVENT, NR_EVENTS };
static const char *test_events[NR_EVENTS] = { [INSTR] = "instr", [KERNEL] = "instr:k" };
static char test_first_set[64] = "instr";
static const char *const test_sets[] = { test_first_set, "instr,instr:k" };

/* 1 for each sample; instructions; switches out; ticks; sample->ip; the last not in each sample. */
enum { VIRT_SAMPLES, VIRT_INSTR, VIRT_SWITCHES, VIRT_TICKS, VIRT_IP, VIRT_ODD };

#define TEST_VIRT(_name, ...)	{ .name = _name, .unit = "", .description = "test", __VA_ARGS__ }

static const struct pmct_vcounter test_virt[] = {
	[VIRT_SAMPLES] = TEST_VIRT("samples"),
	[VIRT_INSTR] = TEST_VIRT("seen", .needs_sets = true),
	[VIRT_SWITCHES] = TEST_VIRT("switches"),
	[VIRT_TICKS] = TEST_VIRT("ticks"),
	[VIRT_IP] = TEST_VIRT("ip", .gauge = true),
	[VIRT_ODD] = TEST_VIRT("odd"),
};

struct test_thread {
	u64 instr;
	u64 samples;
	u32 switches;
	u32 ticks;
	bool in;
};

static struct {
	atomic_t enters, inherits, exits, execs, samples, bad;
} test_stats;

static u64 test_metric;
static int test_metric_err;

static int test_enable(struct monitoring_module *self)
{
	if (!nr_sets)
		return 0;
	test_events[EVENT] = event;
	if (event)
		scnprintf(test_first_set, sizeof(test_first_set), "instr,%s", event);
	return configure_performance_counters_set(self, test_sets, nr_sets);
}

static void test_on_enter(struct pmct_ctx *ctx, const struct pmct_ctx *parent)
{
	const struct test_thread *t = pmct_mmon_data(ctx);

	atomic_inc(&test_stats.enters);
	if (parent)
		atomic_inc(&test_stats.inherits);
	if (t->instr || t->samples || t->switches || t->ticks)
		atomic_inc(&test_stats.bad);
}

static void test_on_exec(struct pmct_ctx *ctx)
{
	atomic_inc(&test_stats.execs);
}

static void test_on_switch_in(struct pmct_ctx *ctx, int cpu)
{
	struct test_thread *t = pmct_mmon_data(ctx);

	if (t->in || cpu != smp_processor_id())
		atomic_inc(&test_stats.bad);
	t->in = true;
}

static void test_on_switch_out(struct pmct_ctx *ctx, int cpu)
{
	struct test_thread *t = pmct_mmon_data(ctx);

	t->in = false;
	t->switches++;
}

static void test_on_tick(struct pmct_ctx *ctx, int cpu)
{
	struct test_thread *t = pmct_mmon_data(ctx);

	if (pmct_mmon_task(ctx) != current)
		atomic_inc(&test_stats.bad);
	t->ticks++;
}

static void test_on_new_sample(struct pmct_ctx *ctx, struct pmct_sample *sample)
{
	struct test_thread *t = pmct_mmon_data(ctx);
	u64 instr;

	atomic_inc(&test_stats.samples);
	if (!pmct_sample_count(sample, INSTR, &instr)) {
		t->instr += instr;
		pmct_sample_virt(sample, VIRT_INSTR, instr);
		pmct_mmon_publish(ctx, PMCT_METRIC_PRIVATE, t->instr, PMCT_MEASURED);
	}
	pmct_sample_virt(sample, VIRT_SAMPLES, 1);
	pmct_sample_virt(sample, VIRT_SWITCHES, t->switches);
	pmct_sample_virt(sample, VIRT_TICKS, t->ticks);
	pmct_sample_virt(sample, VIRT_IP, sample->ip);
	if (t->samples++ % 2 == 0)
		pmct_sample_virt(sample, VIRT_ODD, t->samples);
	t->switches = 0;
	t->ticks = 0;
	if (stay)
		sample->next_set = sample->rec->set;
}

static void test_on_exit(struct pmct_ctx *ctx)
{
	atomic_inc(&test_stats.exits);
}

static struct monitoring_module test = {
	.name		= "test",
	.description	= "what a monitoring module is told",
	.owner		= THIS_MODULE,
	.events		= test_events,
	.nr_events	= NR_EVENTS,
	.virt		= test_virt,
	.nr_virt	= ARRAY_SIZE(test_virt),
	.period_ms	= 8,
	.enable		= test_enable,
	.on_enter	= test_on_enter,
	.on_exec	= test_on_exec,
	.on_switch_in	= test_on_switch_in,
	.on_switch_out	= test_on_switch_out,
	.on_tick	= test_on_tick,
	.on_new_sample	= test_on_new_sample,
	.on_exit	= test_on_exit,
};

static int test_show(struct seq_file *m, void *v)
{
	seq_printf(m, "enters: %d\n", atomic_read(&test_stats.enters));
	seq_printf(m, "inherits: %d\n", atomic_read(&test_stats.inherits));
	seq_printf(m, "exits: %d\n", atomic_read(&test_stats.exits));
	seq_printf(m, "execs: %d\n", atomic_read(&test_stats.execs));
	seq_printf(m, "samples: %d\n", atomic_read(&test_stats.samples));
	seq_printf(m, "bad: %d\n", atomic_read(&test_stats.bad));
	if (test_metric_err)
		seq_printf(m, "metric: %d\n", test_metric_err);
	else
		seq_printf(m, "metric: %llu\n", test_metric);
	return 0;
}

static int test_open(struct inode *inode, struct file *file)
{
	return single_open(file, test_show, NULL);
}

static bool class;
module_param(class, bool, 0444);
MODULE_PARM_DESC(class, "act as a scheduling class of a patched kernel, not as a scheduler's module");

static int test_schedule(struct task_struct *task, const char *what, int number)
{
	bool monitor = !strcmp(what, "sched");
	struct pmct_metric_value value = {};

#ifdef CONFIG_PMCTRACK
	if (class) {
		if (monitor)
			pmcs_set_prof(task, PMCS_PROF_SCHED, number);
		else
			test_metric_err = pmcs_get_current_metric_value(task, number, &test_metric);
		return 0;
	}
#endif
	if (monitor)
		return pmct_client_monitor(task, number);
	test_metric_err = pmct_client_metric(task, number, &value);
	test_metric = value.value;
	return 0;
}

static ssize_t test_write(struct file *file, const char __user *ubuf, size_t len, loff_t *pos)
{
	struct task_struct *task;
	struct pid *pid;
	char buf[64], what[16];
	int nr, number, err;

	if (len >= sizeof(buf))
		return -E2BIG;
	if (copy_from_user(buf, ubuf, len))
		return -EFAULT;
	buf[len] = '\0';
	if (sscanf(buf, "%15s %d %d", what, &nr, &number) != 3)
		return -EINVAL;
	pid = find_get_pid(nr);
	task = get_pid_task(pid, PIDTYPE_PID);
	put_pid(pid);
	if (!task)
		return -ESRCH;
	err = test_schedule(task, what, number);
	put_task_struct(task);
	return err ?: len;
}

static const struct proc_ops test_ops = {
	.proc_open	= test_open,
	.proc_read	= seq_read,
	.proc_lseek	= seq_lseek,
	.proc_release	= single_release,
	.proc_write	= test_write,
};

static struct pmct_client test_client = { .name = "test" };

static int __init test_init(void)
{
	int err = pmct_client_register(&test_client);

	if (err)
		return err;
	err = register_monitoring_module(&test);
	if (err)
		goto err_client;
	if (proc_create("pmc_test", 0600, NULL, &test_ops))
		return 0;
	err = -ENOMEM;
	unregister_monitoring_module(&test);
err_client:
	pmct_client_unregister(&test_client);
	return err;
}

static void __exit test_exit(void)
{
	remove_proc_entry("pmc_test", NULL);
	unregister_monitoring_module(&test);
	pmct_client_unregister(&test_client);
}

module_init(test_init);
module_exit(test_exit);

MODULE_ALIAS("pmctrack-mmon-test");
MODULE_DESCRIPTION("PMCTrack monitoring module for tests");
MODULE_AUTHOR("PMCTrack developers");
MODULE_LICENSE("GPL");
