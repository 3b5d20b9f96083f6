/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Threads that come and go: where they begin, and their slots. A part of layer.bpf.h. */
#ifndef SCHEDULERS_THREADS_BPF_H
#define SCHEDULERS_THREADS_BPF_H

/*
 * A new thread stands where its creator stands: a chain of threads, each of which creates the next
 * one and ends, would otherwise always be first.
 */
static void inherit(struct task_data *d)
{
	struct task_struct *creator = bpf_get_current_task_btf();
	const struct task_data *c = data_of(creator);

	if (!c)
		return;
	d->queue = c->queue;
	d->vtime = c->vtime;
	if (c->began_ns)
		d->vtime += (bpf_ktime_get_ns() - c->began_ns) * 100 / weight_of(creator, c);
	if (ahead_of_clock(d) < 0)
		d->vtime = clock_of(d);
}

SEC("struct_ops/init_task")
s32 BPF_PROG(amp_init_task, struct task_struct *p, struct scx_init_task_args *args)
{
	struct task_data *d = bpf_task_storage_get(&task_datas, p, 0, BPF_LOCAL_STORAGE_GET_F_CREATE);

	if (!d)
		return -ENOMEM;
	d->slot = AMP_THREADS;
	d->vtime = clocks[0];
	if (args->fork)
		inherit(d);
	d->group = bpf_core_field_exists(args->cgroup) ? slot_of(args->cgroup) : AMP_GROUPS;
	return 0;
}

SEC("struct_ops/enable")
void BPF_PROG(amp_enable, struct task_struct *p)
{
	struct task_data *d = data_of(p);
	struct amp_thread *t;
	u32 slot;

	if (!d || (p->flags & PF_KTHREAD))
		return;
	if (bpf_map_pop_elem(&free_slots, &slot) || slot >= AMP_THREADS) {
		__sync_fetch_and_add(&stats.unmanaged, 1);
		return;
	}
	t = &threads[slot];
	t->pid = p->pid;
	t->tgid = p->tgid;
	t->weight = p->scx.weight;
	t->cpu = -1;
	t->rank = amp.ranks - 1;
	t->score = 0;
	t->demand = 0;
	t->takes_part = false;
	t->looked_ns = 0;
	t->slept_ns = bpf_ktime_get_ns();
	__builtin_memset(t->known_ns, 0, sizeof(t->known_ns));
	t->asked_ns = 0;
	t->counted = 0;
	t->traffic = 0;
	t->phase = 0;
	t->wants_training = false;
	t->rate = 1000;
	t->pays_ns = 0;
	t->ran_ns = 0;
	t->seen_ns = 0;
	t->fixed = is_fixed(p, p->cpus_ptr);
	/* The thread begins with the mean progress: it has no debt, and is owed nothing. */
	t->progress_ns = survey.mean;
	forget(t);
	__builtin_memset(t->time_ns, 0, sizeof(t->time_ns));
	bpf_probe_read_kernel_str(t->comm, sizeof(t->comm), p->comm);
	forget_training(slot);
	t->state = AMP_BLOCKED;
	note_slot(slot);
	d->slot = slot;
	if (policy_asks && bpf_ksym_exists(pmcs_monitor))
		pmcs_monitor(p, true);
}

SEC("struct_ops/disable")
void BPF_PROG(amp_disable, struct task_struct *p)
{
	struct task_data *d = data_of(p);
	struct amp_thread *t = thread_of(d);
	u32 slot, tgid;

	if (!d || !t)
		return;
	/* Another process may get this process ID, and must not begin with this one's progress. */
	tgid = t->tgid;
	if (t->pid == tgid)
		bpf_map_delete_elem(&processes, &tgid);
	t->state = AMP_FREE;
	slot = d->slot;
	d->slot = AMP_THREADS;
	bpf_map_push_elem(&free_slots, &slot, 0);
	if (policy_asks && bpf_ksym_exists(pmcs_monitor))
		pmcs_monitor(p, false);
}

SEC("struct_ops/set_cpumask")
void BPF_PROG(amp_set_cpumask, struct task_struct *p, const struct cpumask *mask)
{
	struct amp_thread *t = thread_of(data_of(p));

	if (t)
		t->fixed = is_fixed(p, mask);
}

#endif /* SCHEDULERS_THREADS_BPF_H */
