/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Training: for a quantum, a process runs only beside threads that move few lines from and to
 * memory, so that its speed alone becomes known. Other threads that move many lines are out: they
 * wait in a queue from which no CPU takes, and CPUs may be idle. (Section 3.3 of the paper on
 * fair-progress scheduling.)
 *
 * Threads that want training are trained in turns, and the same one for a few quanta if there is
 * time for training. Training gets no more of the time than the user allows. At most SAVED_MOST
 * quanta of what was not used are saved. A thread that wants training again and again is not
 * trained for a while. A part of layer.bpf.h.
 */
#ifndef SCHEDULERS_TRAINING_BPF_H
#define SCHEDULERS_TRAINING_BPF_H

/* The queue of the threads that are out. */
#define OUT		((1ULL << 15) + 1)
/* Lines, in thousandths of what memory can move, from which on a thread disturbs others. */
#define MANY_LINES	40
/* Quanta of training after which a thread is not trained for GIVEN_UP_NS. */
#define TRAINING_MOST	8
#define GIVEN_UP_NS	(30000 * NSEC_PER_MSEC)
/* Quanta of training that can be saved, in thousandths. */
#define SAVED_MOST	4000
/* Most threads of a queue that are looked at. */
#define OUT_LOOKS	256

/**
 * struct training - the training of one process
 * @active: a process is being trained
 * @slot: slot in threads[] of the thread that wants training
 * @tgid: ID of the process that is trained
 * @saved: quanta of training that may be used, in thousandths
 * @next_ns: when the present quantum ends, with training or without
 * @looked: threads of a queue that were looked at
 * @found: slot of threads[] that find_target() found, or AMP_THREADS
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

/* Not static, because the compiler would split the struct. */
struct training training;

/* By slot: quanta of training that did not suffice, and until when the thread is not trained. */
static u8 tries[AMP_THREADS];
static u64 given_up_ns[AMP_THREADS];

static bool is_out(const struct amp_thread *t)
{
	return training.active && t && !t->fixed && t->tgid != training.tgid && t->traffic >= MANY_LINES;
}

/* Another thread gets @slot. */
static void forget_training(u32 slot)
{
	tries[slot & (AMP_THREADS - 1)] = 0;
	given_up_ns[slot & (AMP_THREADS - 1)] = 0;
}

/* True if @t's process is trained. It runs before its turn, so it must not move a clock. */
static bool is_trained(const struct amp_thread *t)
{
	return training.active && t && t->tgid == training.tgid;
}

/*
 * Let @p wait in OUT until the quantum is over. Returns false if it may run. The timer may have
 * emptied OUT just now: see train().
 */
static bool keep_out(struct task_struct *p, struct task_data *d, const struct amp_thread *t, u64 flags)
{
	if (!is_out(t) || reads_rcu(p) || (p->flags & PF_EXITING))
		return false;
	if (flags & SCX_ENQ_WAKEUP)
		place_awake(p, d, d->queue);
	note_queued(d);
	insert(p, OUT, amp.slice_ns, flags);
	return true;
}

/* Sort the queue of @rank: the trained process's threads come first, those that are out leave. */
static void sort_queue(u32 rank)
{
	struct bpf_iter_scx_dsq it;
	struct task_struct *p;

	/* Counted in memory, as in take_survey(). */
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
 * Move threads that are not out any more to their queues. They count as waiting since they were put
 * out. On Linux 6.12 they come before others, once. A thread that has waited for WAIT_NS runs even
 * beside the trained process, because one training may follow another.
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
		if (is_out(t) && (s64)(now - d->queued_ns) <= (s64)WAIT_NS)
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
	/* The thread does not want training any more: its speed was found out. */
	if (!t->wants_training)
		tries[slot & (AMP_THREADS - 1)] = 0;
	return t->state == AMP_RUNNABLE && t->wants_training && !t->fixed &&
	       now >= given_up_ns[slot & (AMP_THREADS - 1)];
}

/* Find a thread to train: the same one again, or else the next one that wants training. */
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

/* Called by the timer at each tick. */
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
