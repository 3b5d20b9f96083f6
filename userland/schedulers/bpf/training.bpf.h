/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Training: for a quantum, a process runs beside those only that move few lines from and to memory,
 * so that its speed alone becomes known. The others that move many are out: they wait in a queue
 * that no CPU takes from, and CPUs may be idle. (Section 3.3 of the paper on fair-progress
 * scheduling.)
 *
 * Who is trained: whoever wants it, in turns, and the same one for a few quanta if there is time
 * for training. No more of the time is given to it than the user allows; what was not used is not
 * saved. Who wants it again and again is left alone for a while. A part of layer.bpf.h.
 */
#ifndef SCHEDULERS_TRAINING_BPF_H
#define SCHEDULERS_TRAINING_BPF_H

/* The queue of those who are out. */
#define OUT		((1ULL << 15) + 1)
/* Who moves so many lines, in thousandths of what memory can do, disturbs others. */
#define MANY_LINES	40
/* So many quanta a thread is trained before it is left alone for so long. */
#define TRAINING_MOST	8
#define GIVEN_UP_NS	(30000 * NSEC_PER_MSEC)
/* Quanta of training that can be saved, in thousandths. */
#define SAVED_MOST	4000
/* Threads of a queue that are looked at. */
#define OUT_LOOKS	256

/**
 * struct training - of one process
 * @active: it goes on
 * @slot: of the thread that wants it, in threads[]
 * @tgid: whose it is
 * @saved: quanta that may be used, in thousandths
 * @next_ns: when the present quantum ends, with training or without
 * @looked: at so many threads of a queue
 * @found: a slot of threads[], or AMP_THREADS
 */
struct training {
	bool active;
	u32 slot;
	u32 tgid;
	u32 saved;
	u64 next_ns;
	u32 looked;
	u32 found;
};

/* Not static: the compiler would take it apart. */
struct training training;

/* By slot: quanta of training that did not suffice, and until when it is left alone. */
static u8 tries[AMP_THREADS];
static u64 given_up_ns[AMP_THREADS];

static bool is_out(const struct amp_thread *t)
{
	return training.active && t && !t->fixed && t->tgid != training.tgid && t->traffic >= MANY_LINES;
}

/* Another thread has the slot. */
static void forget_training(u32 slot)
{
	tries[slot & (AMP_THREADS - 1)] = 0;
	given_up_ns[slot & (AMP_THREADS - 1)] = 0;
}

/* It runs although others come before it: that is nobody's clock. */
static bool is_trained(const struct amp_thread *t)
{
	return training.active && t && t->tgid == training.tgid;
}

/* It waits until the quantum is over. The queue may have been emptied just now: see train(). */
static bool keep_out(struct task_struct *p, struct task_data *d, const struct amp_thread *t, u64 flags)
{
	if (!is_out(t) || reads_rcu(p) || (p->flags & PF_EXITING))
		return false;
	if (flags & SCX_ENQ_WAKEUP)
		place_awake(p, d, d->queue);
	d->queued_ns = bpf_ktime_get_ns();
	insert(p, OUT, amp.slice_ns, flags);
	return true;
}

/* Those who wait in the queue of @rank: the process that is trained comes first, some are out. */
static void sort_queue(u32 rank)
{
	struct bpf_iter_scx_dsq it;
	struct task_struct *p;

	/* In memory, as in take_survey(). */
	training.looked = 0;
	bpf_rcu_read_lock();
	bpf_iter_scx_dsq_new(&it, rank, 0);
	while ((p = bpf_iter_scx_dsq_next(&it))) {
		struct task_data *d = data_of(p);
		const struct amp_thread *t = thread_of(d);

		if (!d || training.looked++ >= OUT_LOOKS)
			break;
		if (is_trained(t)) {
			d->waited = false;
			if (move(&it, p, FORGOTTEN))
				wake_where_allowed(p);
		} else if (is_out(t) && !reads_rcu(p)) {
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

/*
 * All who are out no more go where they belong, and wait there since they were put out. On Linux
 * 6.12 they come before others, once. Who has waited for WAIT_NS runs also beside whoever is
 * trained: one training may follow on another.
 */
static void let_in(u64 now)
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
		if (is_out(t) && now - d->queued_ns <= WAIT_NS)
			continue;
		if (is_trained(t) || is_out(t) || !bpf_ksym_exists(scx_bpf_dsq_move_vtime)) {
			d->waited = false;
			if (move(&it, p, FORGOTTEN))
				wake_where_allowed(p);
			continue;
		}
		move_to_clock(d, rank, false);
		d->waited = true;
		scx_bpf_dsq_move_set_vtime(&it, d->vtime);
		scx_bpf_dsq_move_vtime(&it, p, rank, 0);
	}
	bpf_iter_scx_dsq_destroy(&it);
	bpf_rcu_read_unlock();
	if (!training.active)
		wake_idle(0, AMP_CPUS);
}

static bool can_be_trained(const struct amp_thread *t, u32 slot, u64 now)
{
	/* What it wanted was found out. */
	if (!t->wants_training)
		tries[slot & (AMP_THREADS - 1)] = 0;
	return t->state == AMP_RUNNABLE && t->wants_training && !t->fixed &&
	       now >= given_up_ns[slot & (AMP_THREADS - 1)];
}

/* Somebody to train: the same one again, or else the next one who wants it. */
static void find_target(u64 now)
{
	u32 i, slot;

	training.found = AMP_THREADS;
	bpf_for(i, 0, AMP_THREADS) {
		slot = training.slot + i;
		if (i >= threads_end)
			break;
		if (slot >= threads_end)
			slot -= threads_end;
		slot &= AMP_THREADS - 1;
		if (!can_be_trained(&threads[slot], slot, now))
			continue;
		training.found = slot;
		break;
	}
}

static void next_quantum(u64 now)
{
	u32 slot;

	training.saved += amp.training;
	if (training.saved > SAVED_MOST)
		training.saved = SAVED_MOST;
	training.active = false;
	stats.quanta++;
	if (training.saved < 1000)
		return;
	find_target(now);
	slot = training.found;
	if (slot >= AMP_THREADS)
		return;
	training.slot = slot;
	training.tgid = threads[slot].tgid;
	if (++tries[slot] > TRAINING_MOST) {
		tries[slot] = 0;
		given_up_ns[slot] = now + GIVEN_UP_NS;
		return;
	}
	training.saved -= 1000;
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
	if (scx_bpf_dsq_nr_queued(OUT) > 0)
		let_in(now);
}

static s32 prepare_training(void)
{
	return scx_bpf_create_dsq(OUT, -1);
}

#endif /* SCHEDULERS_TRAINING_BPF_H */
