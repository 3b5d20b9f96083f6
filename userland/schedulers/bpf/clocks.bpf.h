/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * In a queue, threads stand in the order of their weighted CPU time. Who comes from elsewhere -
 * from another queue, or awake - is placed by a clock: the CPU time of who was taken from there
 * last, or goes on before those who wait. He keeps how far he was before or behind the clock that
 * he comes from, within limits. Who only had his slice stays where he is.
 *
 * Threads that may run on one CPU only wait in the queue of their core type, but compete with those
 * on their CPU, and have that one's clock. Whoever runs where nobody else wants to moves no other
 * clock, and does not pay: a lone thread of nice 19, whose CPU time is a hundred times as weighty
 * as others', would take the clock away from them. A part of layer.bpf.h.
 */
#ifndef SCHEDULERS_CLOCKS_BPF_H
#define SCHEDULERS_CLOCKS_BPF_H

u64 clock_of_rank[AMP_RANKS];
u64 clock_of_cpu[AMP_CPUS];

/* Of those with whom @p competes in the queue of @rank. */
static u64 *clock_of(const struct task_struct *p, u32 rank)
{
	u32 cpu = scx_bpf_task_cpu(p);

	return p->nr_cpus_allowed == 1 ? &clock_of_cpu[cpu & (AMP_CPUS - 1)] : &clock_of_rank[bounded(rank)];
}

static void advance_clock(const struct task_struct *p, const struct task_data *d)
{
	u64 *clock = clock_of(p, d->queue);

	if ((s64)(d->vtime - *clock) > 0)
		*clock = d->vtime;
}

/* It begins to run on a CPU. */
static void begin_by_clock(const struct task_struct *p, const struct task_data *d)
{
	u32 cpu = scx_bpf_task_cpu(p) & (AMP_CPUS - 1);

	if (d->waited)
		advance_clock(p, d);
	if (d->queue == rank_of_cpu(cpu) && (s64)(d->vtime - clock_of_cpu[cpu]) > 0)
		clock_of_cpu[cpu] = d->vtime;
}

/* It slept: others could have had what it had before them. */
static void let_others_pass(const struct task_struct *p, struct task_data *d, const struct amp_thread *t)
{
	u64 slept = t ? (bpf_ktime_get_ns() - t->slept_ns) * 100 / (t->weight ?: 1) : 0;
	s64 ahead = d->vtime - *clock_of(p, d->queue);

	if (d->queue < AMP_RANKS && ahead > 0)
		d->vtime -= (u64)ahead < slept ? (u64)ahead : slept;
}

/* @p will wait in @queue. @woke: who slept long gets no more than a slice for it. */
static void move_to_clock(const struct task_struct *p, struct task_data *d, u32 queue, bool woke)
{
	s64 ahead = 0, least = woke ? amp.slice_ns : BEHIND_NS;
	u64 vtime;

	if (d->queue == queue && !woke)
		return;
	if (d->queue < AMP_RANKS)
		ahead = d->vtime - *clock_of(p, d->queue);
	if (ahead < -least)
		ahead = -least;
	if (ahead > (s64)AHEAD_NS)
		ahead = AHEAD_NS;
	vtime = *clock_of(p, queue) + ahead;
	d->slice_began += vtime - d->vtime;
	d->vtime = vtime;
	d->queue = queue;
}

/* It had a slice that nobody else wanted: from a slice before others on, that is free. */
static void pardon(const struct task_struct *p, struct task_data *d)
{
	u64 most = *clock_of(p, d->queue) + amp.slice_ns;

	if ((s64)(most - d->slice_began) < 0)
		most = d->slice_began;
	if ((s64)(d->vtime - most) > 0)
		d->vtime = most;
}

#endif /* SCHEDULERS_CLOCKS_BPF_H */
