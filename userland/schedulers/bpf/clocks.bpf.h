/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * In a queue, threads stand in the order of their weighted CPU time. Each queue has a clock: the
 * CPU time of who was taken from it last, or goes on before those who wait. Who is put into a queue
 * keeps how far he is before or behind the clock of the one that he was in, within limits: threads
 * that do not compete with each other, because they may run on different CPUs, drift apart.
 *
 * Whoever runs where nobody else wants to does not move the clock, and does not pay: a lone thread
 * of nice 19, whose CPU time is a hundred times as weighty as others', would take the clock away
 * from them. Not where progress takes the place of CPU time: that is to be equal, whoever wanted to
 * run. A part of layer.bpf.h.
 */
#ifndef SCHEDULERS_CLOCKS_BPF_H
#define SCHEDULERS_CLOCKS_BPF_H

#ifdef POLICY_PAYS
static const bool by_progress = true;
#else
static const bool by_progress;
#endif

u64 clocks[AMP_RANKS];

static u64 clock_of(const struct task_data *d)
{
	return clocks[d->queue & (AMP_RANKS - 1)];
}

/* How far it is before others; less than 0: behind. */
static s64 ahead_of_clock(const struct task_data *d)
{
	return d->vtime - clock_of(d);
}

static void advance_clock(const struct task_data *d)
{
	if (ahead_of_clock(d) > 0)
		clocks[d->queue & (AMP_RANKS - 1)] = d->vtime;
}

enum waiting { NOBODY, BEHIND, BEFORE };

/*
 * Does somebody wait in the queue of @rank who may run on @cpu, and does he come before @vtime? If
 * there are many at its head who may not, it is for the kernel to find out.
 */
static enum waiting who_waits(u32 rank, s32 cpu, u64 vtime)
{
	enum waiting who = NOBODY;
	struct task_struct *p;
	u32 looked = 0;

	bpf_for_each(scx_dsq, p, rank, 0) {
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

/*
 * It slept: others could have had what it had before them, if they wanted to. As far as the clock
 * went on, they had it. Not while somebody waits: he would wait for ever if those who sleep as much
 * as they run had no debts.
 */
static void let_others_pass(const struct task_struct *p, struct task_data *d)
{
	u64 ns = bpf_ktime_get_ns() - d->slept_ns, passed = clock_of(d) - d->slept_clock;
	s64 ahead = ahead_of_clock(d);

	if (by_progress || ahead <= 0 || passed >= ns || who_waits(d->queue, scx_bpf_task_cpu(p), d->vtime) != NOBODY)
		return;
	d->vtime -= (u64)ahead < ns - passed ? (u64)ahead : ns - passed;
}

/* It will wait in @queue. @woke: who slept long gets no more than a slice for it. */
static void move_to_clock(struct task_data *d, u32 queue, bool woke)
{
	s64 ahead = ahead_of_clock(d), least = woke ? amp.slice_ns : BEHIND_NS;
	u64 before = d->vtime;

	if (ahead < -least)
		ahead = -least;
	if (ahead > (s64)AHEAD_NS)
		ahead = AHEAD_NS;
	d->queue = queue & (AMP_RANKS - 1);
	d->vtime = clock_of(d) + ahead;
	d->slice_began += d->vtime - before;
}

/* Somebody has slept. */
static void place_awake(const struct task_struct *p, struct task_data *d, u32 rank)
{
	let_others_pass(p, d);
	move_to_clock(d, rank, true);
}

/* It had a slice that nobody else wanted: from a slice before others on, that is free. */
static void pardon(struct task_data *d)
{
	u64 most = clock_of(d) + amp.slice_ns;

	if ((s64)(most - d->slice_began) < 0)
		most = d->slice_began;
	if ((s64)(d->vtime - most) > 0)
		d->vtime = most;
}

#endif /* SCHEDULERS_CLOCKS_BPF_H */
