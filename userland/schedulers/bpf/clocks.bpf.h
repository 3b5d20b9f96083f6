/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * In a queue, threads stand in the order of their weighted CPU time. Each queue has a clock: the
 * weighted CPU time of the thread that was taken from it last, or that continues before those that
 * wait. A thread that is put into a queue keeps its distance to the clock of its former queue,
 * within limits. The limits are needed because threads that may run on different CPUs do not
 * compete, and so drift apart.
 *
 * A thread that runs where no other thread wants to run does not move the clock, and is not
 * charged. Otherwise a lone thread of nice 19, whose CPU time weighs a hundred times as much, would
 * carry the clock away from the others. If progress takes the place of CPU time, this rule does not
 * apply, because progress must be equal even if no other thread wanted to run. A part of
 * layer.bpf.h.
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

/* How far a thread is ahead of the clock of its queue; less than 0: behind. */
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

static enum waiting who_waits(u32 rank, s32 cpu, u64 vtime);

/*
 * Forgive the lead of a thread that slept, by as much time as it slept: others could have caught
 * up. What the clock advanced meanwhile is not forgiven, because others did catch up by that.
 * Nothing is forgiven while a thread waits: it would wait for ever if threads that sleep as much as
 * they run had no debts.
 */
static void let_others_pass(const struct task_struct *p, struct task_data *d)
{
	u64 ns = bpf_ktime_get_ns() - d->slept_ns, passed = clock_of(d) - d->slept_clock;
	s64 ahead = ahead_of_clock(d);

	if (by_progress || ahead <= 0 || passed >= ns || who_waits(d->queue, scx_bpf_task_cpu(p), d->vtime) != NOBODY)
		return;
	d->vtime -= (u64)ahead < ns - passed ? (u64)ahead : ns - passed;
}

/* Place a thread by the clock of @queue. @woke: a long sleep is worth no more than a slice. */
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

/* Place a thread that has slept. */
static void place_awake(const struct task_struct *p, struct task_data *d, u32 rank)
{
	let_others_pass(p, d);
	move_to_clock(d, rank, true);
}

/* No other thread wanted the slice of this one: do not charge what exceeds a lead of a slice. */
static void pardon(struct task_data *d)
{
	u64 most = clock_of(d) + amp.slice_ns;

	if ((s64)(most - d->slice_began) < 0)
		most = d->slice_began;
	if ((s64)(d->vtime - most) > 0)
		d->vtime = most;
}

#endif /* SCHEDULERS_CLOCKS_BPF_H */
