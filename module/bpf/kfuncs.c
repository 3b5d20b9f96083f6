// SPDX-License-Identifier: GPL-2.0-only
/*
 * Functions for BPF programs, above all policies of sched_ext: see <pmctrack/pmcs.bpf.h>.
 *
 * They are in a kernel module of their own, because kfuncs need BTF, and a module whose BTF does
 * not match the running kernel is not loaded. pmctrack.ko needs no BTF, so it can be loaded in any
 * case.
 *
 * A program that uses a kfunc holds this module, and with it pmctrack.ko.
 */
#include <linux/bpf.h>
#include <linux/btf.h>
#include <linux/btf_ids.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/module.h>
#include <pmctrack/client.h>
#include <pmctrack/pmcs_types.h>

/* The constants for BPF programs have other names, but the same values. */
#define SAME(_pmcs, _pmct)	static_assert((int)(_pmcs) == (int)(_pmct))
#define SAME_METRIC(_name)	SAME(PMCS_##_name, PMCT_METRIC_##_name)
SAME_METRIC(IPC);
SAME_METRIC(LLC_MPKI);
SAME_METRIC(SPEEDUP_FACTOR);
SAME_METRIC(EF);
SAME_METRIC(EDP);
SAME_METRIC(POWER);
SAME_METRIC(ENERGY);
SAME_METRIC(LLC_OCCUPANCY);
SAME_METRIC(MEM_BW_TOTAL);
SAME_METRIC(MEM_BW_LOCAL);
SAME_METRIC(QUALITY);
SAME_METRIC(QUALITY_TIME);
SAME_METRIC(PROGRESS);
SAME_METRIC(SLOWDOWN);
SAME_METRIC(SPEEDUP_FACTOR_2);
SAME_METRIC(SPEEDUP_FACTOR_3);
SAME_METRIC(EF_2);
SAME_METRIC(EF_3);
SAME_METRIC(PHASE);
SAME_METRIC(TRAFFIC);
SAME_METRIC(TRAINING);
SAME(PMCS_STALE, PMCT_STALE);
SAME(PMCS_EXTRAPOLATED, PMCT_EXTRAPOLATED);
SAME(PMCS_ESTIMATED, PMCT_ESTIMATED);
SAME(PMCS_MEASURED, PMCT_MEASURED);

/* Also the structures are the same, so nothing needs to be copied. */
static_assert(sizeof(struct pmcs_value) == sizeof(struct pmct_metric_value));
static_assert(offsetof(struct pmcs_value, value) == offsetof(struct pmct_metric_value, value));
static_assert(offsetof(struct pmcs_value, age_ms) == offsetof(struct pmct_metric_value, age_ms));
static_assert(offsetof(struct pmcs_value, confidence) ==
	      offsetof(struct pmct_metric_value, confidence));
static_assert(offsetof(struct pmcs_value, error) == offsetof(struct pmct_metric_value, error));

__bpf_kfunc_start_defs();

__bpf_kfunc int pmcs_metric(struct task_struct *p, u32 key, struct pmcs_value *value)
{
	int err = pmct_client_metric(p, key, (struct pmct_metric_value *)value);

	if (unlikely(err))
		*value = (struct pmcs_value){};
	value->error = err;
	return err;
}

__bpf_kfunc int pmcs_metrics(struct task_struct *p, const u32 *keys, u32 keys__sz,
			     struct pmcs_value *values, u32 values__sz)
{
	u32 nr = keys__sz / sizeof(*keys);

	if (!nr || nr > PMCS_BATCH || keys__sz != nr * sizeof(*keys) ||
	    values__sz != nr * sizeof(*values))
		return -EINVAL;
	return pmct_client_metrics(p, keys, nr, (struct pmct_metric_value *)values);
}

__bpf_kfunc int pmcs_monitor(struct task_struct *p, bool on)
{
	return pmct_client_monitor(p, on);
}

__bpf_kfunc int pmcs_core_type(s32 cpu)
{
	return pmct_client_cpu_type(cpu);
}

__bpf_kfunc int pmcs_nr_core_types(void)
{
	return pmct_client_nr_types();
}

__bpf_kfunc int pmcs_core_type_name(u32 type, char *name, u32 name__sz)
{
	return pmct_client_type_name(type, name, name__sz);
}

__bpf_kfunc int pmcs_module(char *name, u32 name__sz)
{
	return pmct_client_module(name, name__sz);
}

__bpf_kfunc_end_defs();

BTF_KFUNCS_START(pmcs_ids)
BTF_ID_FLAGS(func, pmcs_metric, KF_RCU)
BTF_ID_FLAGS(func, pmcs_metrics, KF_RCU)
BTF_ID_FLAGS(func, pmcs_monitor, KF_RCU)
BTF_ID_FLAGS(func, pmcs_core_type)
BTF_ID_FLAGS(func, pmcs_nr_core_types)
BTF_ID_FLAGS(func, pmcs_core_type_name)
BTF_ID_FLAGS(func, pmcs_module)
BTF_KFUNCS_END(pmcs_ids)

/*
 * Programs of the other types need CAP_PERFMON or more in any case. The kernel calls this only for
 * functions of this module's BTF, which are all in pmcs_ids. @kfunc_id cannot be looked up there,
 * because the kernel has relocated its own copy.
 */
static int pmcs_filter(const struct bpf_prog *prog, u32 kfunc_id)
{
	return prog->type == BPF_PROG_TYPE_SYSCALL && !perfmon_capable() ? -EACCES : 0;
}

static const struct btf_kfunc_id_set pmcs_set = {
	.owner	= THIS_MODULE,
	.set	= &pmcs_ids,
	.filter	= pmcs_filter,
};

static struct pmct_client pmcs_client = { .name = "bpf" };

static int __init pmcs_init(void)
{
	static const enum bpf_prog_type types[] = {
		BPF_PROG_TYPE_STRUCT_OPS, BPF_PROG_TYPE_TRACING, BPF_PROG_TYPE_SYSCALL,
	};
	unsigned int i;
	int err = 0;

	/* Without BTF, registering would succeed, but the kfuncs would not exist. */
	if (!THIS_MODULE->btf_data_size) {
		pr_err("pmctrack_bpf: this module was built without BTF, so BPF programs cannot find its functions: build it again while this kernel runs, with pahole installed\n");
		return -EOPNOTSUPP;
	}
	for (i = 0; !err && i < ARRAY_SIZE(types); i++)
		err = register_btf_kfunc_id_set(types[i], &pmcs_set);
	if (err) {
		pr_err("pmctrack_bpf: the kernel does not take functions for BPF programs (error %d)\n",
		       err);
		return err;
	}
	return pmct_client_register(&pmcs_client);
}

/* No program uses the functions any more, because each such program holds the module. */
static void __exit pmcs_exit(void)
{
	pmct_client_unregister(&pmcs_client);
}

module_init(pmcs_init);
module_exit(pmcs_exit);

MODULE_DESCRIPTION("PMCTrack: metrics for BPF programs");
MODULE_AUTHOR("PMCTrack developers");
MODULE_LICENSE("GPL");
MODULE_VERSION(PMCT_VERSION);
