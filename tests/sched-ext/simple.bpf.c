// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The least that a policy does: one queue for all, in the order of weighted CPU time, and the
 * kernel's own choice of idle CPUs. What the policies of pmctrack-sched cost is compared with it.
 */
#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#define QUEUE	0
#define SLICE	(5 * 1000000ULL)

u64 clock_now;

SEC("struct_ops/select_cpu")
s32 BPF_PROG(simple_select_cpu, struct task_struct *p, s32 prev_cpu, u64 wake_flags)
{
	bool idle = false;
	s32 cpu = scx_bpf_select_cpu_dfl(p, prev_cpu, wake_flags, &idle);

	if (idle)
		scx_bpf_dsq_insert(p, SCX_DSQ_LOCAL, SLICE, 0);
	return cpu;
}

SEC("struct_ops/enqueue")
void BPF_PROG(simple_enqueue, struct task_struct *p, u64 flags)
{
	u64 vtime = p->scx.dsq_vtime;

	if ((s64)(vtime - (clock_now - SLICE)) < 0)
		vtime = clock_now - SLICE;
	scx_bpf_dsq_insert_vtime(p, QUEUE, SLICE, vtime, flags);
}

SEC("struct_ops/dispatch")
void BPF_PROG(simple_dispatch, s32 cpu, struct task_struct *prev)
{
	scx_bpf_dsq_move_to_local(QUEUE);
}

SEC("struct_ops/running")
void BPF_PROG(simple_running, struct task_struct *p)
{
	if ((s64)(p->scx.dsq_vtime - clock_now) > 0)
		clock_now = p->scx.dsq_vtime;
}

SEC("struct_ops/stopping")
void BPF_PROG(simple_stopping, struct task_struct *p, bool runnable)
{
	u64 vtime = p->scx.dsq_vtime + (SLICE - p->scx.slice) * 100 / p->scx.weight;

	if (bpf_ksym_exists(scx_bpf_task_set_dsq_vtime))
		scx_bpf_task_set_dsq_vtime(p, vtime);
	else
		p->scx.dsq_vtime = vtime;
}

SEC("struct_ops/enable")
void BPF_PROG(simple_enable, struct task_struct *p)
{
	if (bpf_ksym_exists(scx_bpf_task_set_dsq_vtime))
		scx_bpf_task_set_dsq_vtime(p, clock_now);
	else
		p->scx.dsq_vtime = clock_now;
}

SEC("struct_ops.s/init")
s32 BPF_PROG(simple_init)
{
	return scx_bpf_create_dsq(QUEUE, -1);
}

SEC(".struct_ops.link")
struct sched_ext_ops simple = {
	.select_cpu	= (void *)simple_select_cpu,
	.enqueue	= (void *)simple_enqueue,
	.dispatch	= (void *)simple_dispatch,
	.running	= (void *)simple_running,
	.stopping	= (void *)simple_stopping,
	.enable		= (void *)simple_enable,
	.init		= (void *)simple_init,
	.name		= "simple",
};

char _license[] SEC("license") = "GPL";
