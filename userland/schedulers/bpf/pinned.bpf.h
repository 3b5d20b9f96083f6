/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Threads that may run on one CPU only. Each CPU has a queue of its own for them, by the clock of
 * its core type. In the queue of the core type, each of the other CPUs would have to pass them at
 * every look, under a lock of that queue. A part of layer.bpf.h.
 */
#ifndef SCHEDULERS_PINNED_BPF_H
#define SCHEDULERS_PINNED_BPF_H

/* The only CPU of several where @p may run, or -1. */
static s32 only_cpu(const struct task_struct *p)
{
	u32 cpu;

	if (p->nr_cpus_allowed != 1 || (amp.ranks == 1 && amp.cpus[0] == 1))
		return -1;
	cpu = bpf_cpumask_first(p->cpus_ptr);
	return cpu < AMP_CPUS ? (s32)cpu : -1;
}

/*
 * Does the CPU have pinned threads that wait? Looking into a queue costs more than this. It is not
 * certain: the timer knows it late that they are gone, and look_at_pinned() that there are some,
 * if a CPU stands still while it puts one into the queue.
 */
static bool has_pinned(s32 cpu)
{
	return survey.pinned[cpu & (AMP_CPUS - 1)];
}

/*
 * The slice of a thread on @cpu, or of one that waits for @cpu only. Thousands may wait for it, and
 * none of them may wait for too long.
 */
static u64 pinned_slice(s32 cpu)
{
	u64 most = slice_of(rank_of_cpu(cpu)), slice = most;
	s32 queued;

	if (!has_pinned(cpu))
		return most;
	queued = scx_bpf_dsq_nr_queued(PINNED + cpu) + scx_bpf_dsq_nr_queued(URGENT + cpu);
	if (queued > 0)
		slice = WAIT_NS / 2 / queued;
	if (slice < SLICE_LEAST_NS)
		slice = SLICE_LEAST_NS;
	return slice < most ? slice : most;
}

/*
 * Find the first thread of @queue that may run on @cpu. Returns BEFORE or BEHIND, by its order
 * against @vtime, or NOBODY. If many threads at the head may not run there, it returns BEFORE, and
 * the kernel searches. Global, so that the verifier checks it once.
 */
__noinline int first_in(u64 queue, u32 cpu, u64 vtime)
{
	enum waiting who = NOBODY;
	struct task_struct *p;
	u32 looked = 0;

	bpf_for_each(scx_dsq, p, queue, 0) {
		if (bpf_cpumask_test_cpu(cpu, p->cpus_ptr)) {
			who = (s64)(p->scx.dsq_vtime - vtime) < 0 ? BEFORE : BEHIND;
			break;
		}
		if (++looked >= HEAD_LOOKS) {
			who = BEFORE;
			break;
		}
	}
	return who;
}

/* The same for all threads that wait for this CPU, which is of @rank. */
static enum waiting who_waits(u32 rank, s32 cpu, u64 vtime)
{
	int pinned = has_pinned(cpu) ? first_in(PINNED + cpu, cpu, vtime) : NOBODY, others;

	if (pinned == BEFORE)
		return BEFORE;
	others = first_in(rank, cpu, vtime);
	return others > pinned ? others : pinned;
}

/* Take the thread whose turn it is from the queues of this CPU and of its core type. */
static bool take_next(u32 rank, s32 cpu)
{
	struct task_struct *p;
	bool other_first = true;
	u64 vtime = 0;

	if (!has_pinned(cpu) || scx_bpf_dsq_nr_queued(PINNED + cpu) <= 0)
		return move_to_local(rank);
	bpf_for_each(scx_dsq, p, PINNED + cpu, 0) {
		vtime = p->scx.dsq_vtime;
		other_first = false;
		break;
	}
	if (other_first || first_in(rank, cpu, vtime) == BEFORE)
		return move_to_local(rank) || move_to_local(PINNED + cpu);
	return move_to_local(PINNED + cpu) || move_to_local(rank);
}

static bool take_if_any(u64 queue)
{
	return scx_bpf_dsq_nr_queued(queue) > 0 && move_to_local(queue);
}

/* Take a thread that has waited for long: of this CPU's own, and of all, in turns. */
static bool take_long_waiting(s32 cpu)
{
	u8 *turn = &survey.turn[cpu & (AMP_CPUS - 1)];

	if (!survey.urgent[cpu & (AMP_CPUS - 1)])
		return take_if_any(FORGOTTEN);
	*turn = !*turn;
	if (*turn)
		return take_if_any(URGENT + cpu) || take_if_any(FORGOTTEN);
	return take_if_any(FORGOTTEN) || take_if_any(URGENT + cpu);
}

static s32 prepare_pinned(void)
{
	s32 err = 0;
	u32 cpu;

	bpf_for(cpu, 0, AMP_CPUS) {
		if (err || cpu >= scx_bpf_nr_cpu_ids())
			break;
		err = scx_bpf_create_dsq(PINNED + cpu, -1);
		if (!err)
			err = scx_bpf_create_dsq(URGENT + cpu, -1);
	}
	return err;
}

#endif /* SCHEDULERS_PINNED_BPF_H */
