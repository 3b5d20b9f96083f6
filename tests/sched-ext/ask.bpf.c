// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Functions of pmctrack_bpf.ko, called by system call programs for their own thread. ask() calls
 * all and returns 0, or the line of the first answer that is not as it must be with two core types
 * and an active monitoring module.
 */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <pmctrack/pmcs.bpf.h>

#define EINVAL	22
#define CHECK(_condition)			\
	do {					\
		if (!(_condition))		\
			return __LINE__;	\
	} while (0)

SEC("call")
int ask(void *ctx)
{
	struct task_struct *p;
	unsigned int keys[2] = { PMCS_SPEEDUP_FACTOR, PMCS_IPC };
	struct pmcs_value values[2] = {};
	char name[PMCS_NAME] = {};
	int err;

	CHECK(pmcs_nr_core_types() == 2);
	CHECK(pmcs_core_type(0) == 0 || pmcs_core_type(0) == 1);
	CHECK(pmcs_core_type(-1) == -EINVAL);
	CHECK(pmcs_core_type(1 << 20) == -EINVAL);
	CHECK(pmcs_core_type_name(0, name, sizeof(name)) > 0 && name[0]);
	CHECK(pmcs_core_type_name(2, name, sizeof(name)) == -EINVAL);
	CHECK(pmcs_module(name, sizeof(name)) > 0 && name[0]);
	CHECK(pmcs_module(name, 2) == 1 && !name[1]);
	/* This one is for CAP_PERFMON by itself, so the others come first. */
	p = bpf_get_current_task_btf();
	CHECK(pmcs_metric(p, 999, &values[0]) == -EINVAL);
	CHECK(values[0].error == -EINVAL && !values[0].value);
	CHECK(pmcs_metrics(p, keys, sizeof(keys), values, sizeof(values[0])) == -EINVAL);
	CHECK(pmcs_metrics(p, keys, sizeof(keys), values, sizeof(values)) >= 0);
	err = pmcs_monitor(p, true);
	CHECK(!err);
	CHECK(!pmcs_monitor(p, true));
	CHECK(!pmcs_monitor(p, false));
	return 0;
}

/* The calling thread is watched from now on, until it ends. */
SEC("call")
int watch(void *ctx)
{
	return pmcs_monitor(bpf_get_current_task_btf(), true);
}

#define ROUNDS	1000

/*
 * Time of a call of pmcs_metric(), and above 16 bits that of one of pmcs_metrics() for four, in ns;
 * 0 if the calling thread has no IPC. What the loop itself takes is not in it.
 */
SEC("call")
int cost(void *ctx)
{
	struct task_struct *p = bpf_get_current_task_btf();
	unsigned int keys[4] = { PMCS_IPC, PMCS_IPC, PMCS_IPC, PMCS_IPC };
	struct pmcs_value values[4] = {};
	unsigned long long began, loop, one, four;
	int i;

	if (pmcs_metric(p, PMCS_IPC, &values[0]))
		return 0;
	began = bpf_ktime_get_ns();
	bpf_for(i, 0, ROUNDS)
		barrier_var(i);
	loop = bpf_ktime_get_ns() - began;
	began = bpf_ktime_get_ns();
	bpf_for(i, 0, ROUNDS)
		pmcs_metric(p, PMCS_IPC, &values[0]);
	one = bpf_ktime_get_ns() - began - loop;
	began = bpf_ktime_get_ns();
	bpf_for(i, 0, ROUNDS)
		pmcs_metrics(p, keys, sizeof(keys), values, sizeof(values));
	four = bpf_ktime_get_ns() - began - loop;
	return (four / ROUNDS) << 16 | (one / ROUNDS & 0xffff);
}

char _license[] SEC("license") = "GPL";
