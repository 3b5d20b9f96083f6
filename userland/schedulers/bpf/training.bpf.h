/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Training: for a quantum, a thread runs beside those only that move few lines from and to memory,
 * so that its speed alone becomes known. The others that move many are out: they wait in a queue
 * that no CPU takes from, and CPUs may be idle. (Section 3.3 of the paper on fair-progress
 * scheduling.)
 *
 * Who is trained: the first one that wants it, and the same one again until it does not, a few
 * times. No more of the time is given to training than the user allows. A part of layer.bpf.h.
 */
#ifndef SCHEDULERS_TRAINING_BPF_H
#define SCHEDULERS_TRAINING_BPF_H

/* The queue of those who are out. */
#define OUT		((1ULL << 15) + 1)
/* Who moves so many lines, in thousandths of what memory can do, disturbs others. */
#define MANY_LINES	40
/* So many quanta in a row for a thread, and so long nobody tries again then. */
#define TRAINING_MOST	4
#define GIVEN_UP_NS	(3000 * NSEC_PER_MSEC)
/* Threads of a queue that are looked at. */
#define OUT_LOOKS	256

/**
 * struct training - of one thread
 * @active: it goes on
 * @pid: whose it is
 * @quanta: how many, in a row
 * @next_ns: when the present quantum ends, with training or without
 * @looked: at so many threads of a queue
 * @found: a slot of threads[], or AMP_THREADS
 */
struct training {
	bool active;
	u32 pid;
	u32 quanta;
	u64 next_ns;
	u32 looked;
	u32 found;
};

/* Not static: the compiler would take it apart. */
struct training training;

/* Until when threads are not trained any more, by slot. */
static u64 given_up_ns[AMP_THREADS];

static bool is_out(const struct amp_thread *t)
{
	return training.active && t && !t->fixed && t->pid != training.pid && t->traffic >= MANY_LINES;
}

/* It runs although others come before it: that is nobody's clock. */
static bool is_trained(const struct amp_thread *t)
{
	return training.active && t && t->pid == training.pid;
}

/* It waits until the quantum is over. The queue may have been emptied just now: see train(). */
static bool keep_out(struct task_struct *p, struct task_data *d, const struct amp_thread *t, u64 flags)
{
	if (!is_out(t))
		return false;
	d->queued_ns = bpf_ktime_get_ns();
	insert(p, OUT, amp.slice_ns, flags);
	return true;
}

/* Those who wait in the queue of @rank: the one that is trained comes first, some are out. */
static void sort_queue(u32 rank)
{
	struct bpf_iter_scx_dsq it;
	struct task_struct *p;

	/* In memory, as in take_survey(). */
	training.looked = 0;
	bpf_rcu_read_lock();
	bpf_iter_scx_dsq_new(&it, rank, 0);
	while ((p = bpf_iter_scx_dsq_next(&it))) {
		const struct amp_thread *t = thread_of(data_of(p));

		if (training.looked++ >= OUT_LOOKS)
			break;
		if (t && t->pid == training.pid) {
			if (move(&it, p, FORGOTTEN))
				wake_where_allowed(p);
		} else if (is_out(t)) {
			move(&it, p, OUT);
		}
	}
	bpf_iter_scx_dsq_destroy(&it);
	bpf_rcu_read_unlock();
}

static void begin_training(void)
{
	u32 i, rank;
	s32 cpu;

	for (rank = 0; rank < AMP_RANKS && rank < amp.ranks; rank++)
		sort_queue(rank);
	bpf_for(i, 0, AMP_THREADS) {
		const struct amp_thread *t = &threads[i & (AMP_THREADS - 1)];

		if (i >= threads_end)
			break;
		cpu = t->cpu;
		if (t->state == AMP_RUNNABLE && cpu >= 0 && is_out(t))
			scx_bpf_kick_cpu(cpu, SCX_KICK_PREEMPT);
	}
}

/* All who were out go where they belong. On Linux 6.12 they come before others, once. */
static void end_training(u64 now)
{
	struct bpf_iter_scx_dsq it;
	struct task_struct *p;

	training.looked = 0;
	bpf_rcu_read_lock();
	bpf_iter_scx_dsq_new(&it, OUT, 0);
	while ((p = bpf_iter_scx_dsq_next(&it))) {
		struct task_data *d = data_of(p);
		struct amp_thread *t = thread_of(d);
		u32 rank = rank_for(p, t);

		if (!d || training.looked++ >= OUT_LOOKS)
			break;
		d->queued_ns = now;
		if (!bpf_ksym_exists(scx_bpf_dsq_move_vtime)) {
			move(&it, p, FORGOTTEN);
			continue;
		}
		move_to_clock(d, rank, false);
		scx_bpf_dsq_move_set_vtime(&it, d->vtime);
		scx_bpf_dsq_move_vtime(&it, p, rank, 0);
	}
	bpf_iter_scx_dsq_destroy(&it);
	bpf_rcu_read_unlock();
	wake_idle(0, AMP_CPUS);
}

static bool can_be_trained(const struct amp_thread *t, u32 slot, u64 now)
{
	return t->state == AMP_RUNNABLE && t->wants_training && !t->fixed &&
	       now >= given_up_ns[slot & (AMP_THREADS - 1)];
}

/* Somebody to train: the same one again, or the first. */
static void find_target(u64 now)
{
	u32 i;

	training.found = AMP_THREADS;
	bpf_for(i, 0, AMP_THREADS) {
		const struct amp_thread *t = &threads[i & (AMP_THREADS - 1)];

		if (i >= threads_end)
			break;
		if (!can_be_trained(t, i, now))
			continue;
		if (t->pid == training.pid) {
			training.found = i;
			break;
		}
		if (training.found == AMP_THREADS)
			training.found = i;
	}
}

static bool may_train(void)
{
	return amp.training >= 1000 || stats.trained * 1000 < stats.quanta * amp.training;
}

static void next_quantum(u64 now)
{
	u32 found;

	find_target(now);
	found = training.found;
	training.active = false;
	stats.quanta++;
	if (found >= AMP_THREADS || !may_train()) {
		training.pid = 0;
		return;
	}
	training.quanta = threads[found].pid == training.pid ? training.quanta + 1 : 1;
	training.pid = threads[found].pid;
	if (training.quanta > TRAINING_MOST) {
		given_up_ns[found] = now + GIVEN_UP_NS;
		training.pid = 0;
		return;
	}
	stats.trained++;
	training.active = true;
}

/* Of the timer. */
static void train(u64 now)
{
	if (amp.training && now >= training.next_ns) {
		training.next_ns = now + amp.slice_ns;
		next_quantum(now);
		if (training.active)
			begin_training();
	}
	if (!training.active && scx_bpf_dsq_nr_queued(OUT) > 0)
		end_training(now);
}

static s32 prepare_training(void)
{
	return scx_bpf_create_dsq(OUT, -1);
}

#endif /* SCHEDULERS_TRAINING_BPF_H */
