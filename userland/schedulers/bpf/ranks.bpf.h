/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which thread runs on which core type. A timer assigns ranks to threads that may run everywhere:
 * each rank to as many threads as there are CPUs for them, or in proportion if more threads are
 * runnable. Two threads swap ranks if the one with the worse rank deserves the better one more, by
 * more than a band.
 *
 * Threads that sleep most of the time take no part, and have the last rank. Otherwise, many of them
 * together would keep threads that compute from the fast cores. They run on idle CPUs, fast ones
 * first, and so do threads that have just begun. A part of layer.bpf.h.
 */
#ifndef SCHEDULERS_RANKS_BPF_H
#define SCHEDULERS_RANKS_BPF_H

/* What the timer finds: numbers and slots of threads, by rank. */
struct survey {
	u32 nr[AMP_RANKS];
	u32 best[AMP_RANKS];	/* thread that deserves a better rank most */
	u32 worst[AMP_RANKS];	/* thread that deserves its rank least */
	s64 best_score[AMP_RANKS];
	s64 worst_score[AMP_RANKS];
	s32 astray[AMP_RANKS][AMP_RANKS];	/* by rank and core type: CPU of a thread, or -1 */
	u32 fixed[AMP_RANKS];	/* CPU time that fixed threads may use now; a CPU is DEMAND_FULL */
	u32 used[AMP_RANKS];	/* the same, lately */
	u32 taken[AMP_RANKS];	/* CPUs of fixed threads, which are no places for others */
	u32 places[AMP_RANKS];
	u64 slice_ns[AMP_RANKS];
	u32 looked;	/* threads looked at in a queue */
	u8 took[AMP_CPUS];	/* the CPU took a thread that had waited for long the last time */
	u8 turn[AMP_CPUS];	/* whose turn it is among these */
	u8 urgent[AMP_CPUS];	/* there may be threads in its queue URGENT */
	u8 pinned[AMP_CPUS];	/* ticks until it is known that it has no pinned threads */
	u32 runnable;
	u32 parts;	/* threads that take part */
	u64 weights;	/* sum of their weights */
	u64 all_weights;	/* the same, with fixed threads */
	u32 competing;	/* threads that take part, and fixed ones */
	u64 fair;	/* share of a CPU for a weight of 100, of DEMAND_FULL; 0: all of it */
	s64 above;	/* sum of their progress above the last mean, times weights */
	u64 mean;	/* mean of their progress; a new thread begins with it */
	u64 values;	/* sum of policy_value() */
	u64 value;	/* mean of policy_value() */
};

/* Limit for distances from the mean, so that their sums fit. */
#define MEAN_MOST	(10000 * NSEC_PER_MSEC)
/* A thread's demand when it is always runnable. Each tick counts for an eighth. */
#define DEMAND_FULL	1024
#define DEMAND_SHIFT	3
/* A thread begins to take part at DEMAND_BEGIN, and stops below DEMAND_END. */
#define DEMAND_BEGIN	(DEMAND_FULL / 2)
#define DEMAND_END	(DEMAND_FULL / 4)

static struct survey survey;

static void count_in_process(struct amp_thread *t)
{
	struct process fresh = {
		.tick = stats.ticks, .counted = 1, .progress_ns = survey.mean, .ran_ns = bpf_ktime_get_ns(),
	};
	struct process *process = process_of(t);
	u32 tgid = t->tgid;

	t->counted = stats.ticks;
	if (!process) {
		bpf_map_update_elem(&processes, &tgid, &fresh, BPF_ANY);
	} else if (process->tick == stats.ticks) {
		process->counted++;
	} else {
		process->runnable = process->tick + 1 == stats.ticks ? process->counted : 1;
		process->tick = stats.ticks;
		process->counted = 1;
	}
}

/*
 * If the value of @t is above the mean, its progress counts for less, so that @t gets more. The
 * effect is full from a tenth above the mean on. Below the mean, progress counts for more, in the
 * same way.
 */
static void prefer(struct amp_thread *t)
{
#ifdef POLICY_PREFERS
	s64 most = amp.tolerance / 2, credit = 0;
	u64 value = policy_value(t);

	survey.values += value;
	if (survey.value && value > survey.value)
		credit = 10 * most * (value - survey.value) / survey.value;
	else if (survey.value)
		credit = -(s64)(10 * most * (survey.value - value) / survey.value);
	if (credit > most)
		credit = most;
	if (credit < -most)
		credit = -most;
	t->credit = 1000 + credit;
#endif
}

/*
 * Add @t, which takes part and may run everywhere, to the mean progress. The mean is by weights. A
 * thread far from the mean moves it no further than one that is less far (Huber's estimator).
 * Otherwise, a few threads with much faster or slower progress, as of nice 19, would carry the mean
 * away.
 */
static void note_progress(struct amp_thread *t)
{
	u64 most = 2 * (amp.band < MEAN_MOST ? amp.band : MEAN_MOST);
	s64 above;
	const struct process *process = policy_by_process ? process_of(t) : NULL;

	if (process)
		t->progress_ns = process->progress_ns;
	above = t->progress_ns - survey.mean;
	if (above > (s64)most)
		above = most;
	if (above < -(s64)most)
		above = -(s64)most;
	survey.above += above * (t->weight ?: 1);
	survey.weights += t->weight ?: 1;
	survey.parts++;
	prefer(t);
}

/* Raise @progress by at most @most, and no further than to the mean less the band. */
static void lift(u64 *progress, u64 most)
{
	u64 least = survey.mean > amp.band ? survey.mean - amp.band : 0;

	if (*progress < least)
		*progress += least - *progress < most ? least - *progress : most;
}

/*
 * Forgive the sleep of @t's process. A process sleeps if the timer has just found none of its
 * threads but @t runnable, and none has run since then.
 */
static void catch_up_process(const struct amp_thread *t, u64 now)
{
	struct process *process = process_of(t);
	u64 since;

	if (!process)
		return;
	if (process->tick == stats.ticks && process->counted > (t->counted == stats.ticks))
		return;
	since = process->ran_ns > t->slept_ns ? process->ran_ns : t->slept_ns;
	process->ran_ns = now;
	if (now > since)
		lift(&process->progress_ns, (now - since) * 100 / (t->weight ?: 1));
}

/* @t wakes up: it is not owed what it could have had while it slept. */
static void catch_up(struct amp_thread *t)
{
	u64 now = bpf_ktime_get_ns();

	lift(&t->progress_ns, (now - t->slept_ns) * 100 / (t->weight ?: 1));
	if (policy_by_process)
		catch_up_process(t, now);
}

/* Does @t want to run often enough to compete for ranks? Called for each thread at each tick. */
static bool takes_part(struct amp_thread *t)
{
	u32 least = t->takes_part ? DEMAND_END : DEMAND_BEGIN;

	t->demand -= t->demand >> DEMAND_SHIFT;
	if (t->state == AMP_RUNNABLE || t->state == AMP_HELD)
		t->demand += DEMAND_FULL >> DEMAND_SHIFT;
	if (t->demand < least && t->takes_part)
		t->rank = amp.ranks - 1;
	t->takes_part = t->demand >= least;
	return t->takes_part;
}

/* True if a thread is to replace the best (or worst) one of @nr others: by @better, or by lot. */
static bool is_chosen(u32 nr, bool better)
{
#ifdef POLICY_DRAWS
	return bpf_get_prandom_u32() % (nr + 1) == 0;
#else
	return !nr || better;
#endif
}

/*
 * Count what @t, which is fixed and runs, may use of a CPU. If there are more threads than CPUs,
 * that is its share by weight.
 */
static void count_fixed(const struct amp_thread *t, u32 rank)
{
	u64 use = survey.fair * (t->weight ?: 1) / 100;

	if (!survey.fair || use > DEMAND_FULL)
		use = DEMAND_FULL;
	survey.fixed[rank & (AMP_RANKS - 1)] += use;
}

/*
 * Add a thread to the survey. This function is global so that the verifier checks it once: in the
 * loop, Linux 6.12 would follow each way through it with those of the turns before, and give up.
 */
__noinline int survey_thread(u32 i)
{
	struct amp_thread *t = &threads[i & (AMP_THREADS - 1)];
	u32 rank;
	bool part;
	s32 cpu;

	if (t->state == AMP_FREE)
		return 0;
	part = takes_part(t);
	if (t->state != AMP_RUNNABLE)
		return 0;
	count_in_process(t);
	survey.runnable++;
	cpu = t->cpu;
	if (t->fixed || part) {
		survey.competing++;
		survey.all_weights += t->weight ?: 1;
	}
	if (t->fixed && cpu >= 0)
		count_fixed(t, rank_of_cpu(cpu));
	if (t->fixed || !part)
		return 0;
	note_progress(t);
	rank = t->rank & (AMP_RANKS - 1);
	/* One score is for the border to the better rank, one for the other border. */
	t->score = policy_score(t, rank ? rank - 1 : 0);
	if (is_chosen(survey.nr[rank], t->score > survey.best_score[rank])) {
		survey.best[rank] = i;
		survey.best_score[rank] = t->score;
	}
	if (amp.ranks > 2)
		t->score = policy_score(t, rank);
	if (is_chosen(survey.nr[rank], t->score < survey.worst_score[rank])) {
		survey.worst[rank] = i;
		survey.worst_score[rank] = t->score;
	}
	survey.nr[rank]++;
	if (cpu >= 0)
		survey.astray[rank][rank_of_cpu(cpu) & (AMP_RANKS - 1)] = cpu;
	return 0;
}

static void take_survey(void)
{
	u32 i, rank, on;

	survey.runnable = 0;
	survey.above = 0;
	survey.parts = 0;
	survey.weights = 0;
	survey.all_weights = 0;
	survey.competing = 0;
	survey.values = 0;
	for (rank = 0; rank < AMP_RANKS; rank++) {
		survey.nr[rank] = 0;
		survey.fixed[rank] = 0;
		for (on = 0; on < AMP_RANKS; on++)
			survey.astray[rank][on] = -1;
	}
	bpf_for(i, 0, AMP_THREADS) {
		if (i >= threads_end)
			break;
		survey_thread(i);
	}
	if (survey.parts) {
		/* BPF divides unsigned numbers only. */
		if (survey.above < 0)
			survey.mean -= (u64)-survey.above / survey.weights;
		else
			survey.mean += (u64)survey.above / survey.weights;
		survey.value = survey.values / survey.parts;
	}
	stats.runnable = survey.runnable;
}

/*
 * CPUs that fixed threads used lately are no places for others. The number is rounded: between half
 * and three quarters of a CPU, it stays as it was, so that no thread moves to and fro.
 */
static void look_at_fixed(void)
{
	u32 rank, cpus = 0;

	for (rank = 0; rank < AMP_RANKS; rank++) {
		cpus += amp.cpus[rank];
		survey.used[rank] -= survey.used[rank] >> DEMAND_SHIFT;
		survey.used[rank] += survey.fixed[rank] >> DEMAND_SHIFT;
		if (survey.used[rank] >= survey.taken[rank] * DEMAND_FULL + DEMAND_FULL * 3 / 4)
			survey.taken[rank]++;
		else if (survey.used[rank] + DEMAND_FULL / 2 < survey.taken[rank] * DEMAND_FULL)
			survey.taken[rank]--;
		survey.places[rank] = 0;
		if (amp.cpus[rank] > survey.taken[rank])
			survey.places[rank] = amp.cpus[rank] - survey.taken[rank];
	}
	survey.fair = 0;
	if (survey.competing > cpus)
		survey.fair = (u64)DEMAND_FULL * 100 * cpus / survey.all_weights;
}

/* How many threads of @all should have ranks up to @rank. */
static u32 places_up_to(u32 rank, u32 all)
{
	u32 cpus = 0, total = 0, r;

	for (r = 0; r < AMP_RANKS; r++) {
		if (r <= rank)
			cpus += survey.places[r];
		total += survey.places[r];
	}
	if (all <= total || !total)
		return all < cpus ? all : cpus;
	return all * cpus / total;
}

static void give_rank(u32 slot, u32 rank)
{
	struct amp_thread *t = &threads[slot & (AMP_THREADS - 1)];
	s32 cpu = t->cpu;

	t->rank = rank;
	if (cpu >= 0 && rank_of_cpu(cpu) != rank)
		scx_bpf_kick_cpu(cpu, SCX_KICK_PREEMPT);
}

/* At the border between @rank and the next one: fill places, or swap two threads. */
static void settle(u32 rank, u32 all)
{
	u32 next, have = 0, r;

	rank &= AMP_RANKS - 1;
	next = (rank + 1) & (AMP_RANKS - 1);
	for (r = 0; r < AMP_RANKS; r++)
		have += r <= rank ? survey.nr[r] : 0;
	if (have < places_up_to(rank, all) && survey.nr[next]) {
		guard(rank);
		give_rank(survey.best[next], rank);
		stats.moves++;
	} else if (have > places_up_to(rank, all) && survey.nr[rank]) {
		guard(next);
		give_rank(survey.worst[rank], next);
		stats.moves++;
	} else if (survey.nr[rank] && survey.nr[next] &&
		   survey.best_score[next] - survey.worst_score[rank] > (s64)amp.band) {
		guard(rank);
		guard(next);
		give_rank(survey.best[next], rank);
		give_rank(survey.worst[rank], next);
		stats.swaps++;
	}
}

/*
 * Preempt two threads that run on each other's core type, perhaps because each was taken from its
 * queue before a CPU of its own type was free.
 */
static void exchange(u32 one, u32 two)
{
	s32 a = survey.astray[one & (AMP_RANKS - 1)][two & (AMP_RANKS - 1)];
	s32 b = survey.astray[two & (AMP_RANKS - 1)][one & (AMP_RANKS - 1)];

	if (a < 0 || b < 0)
		return;
	guard(one);
	guard(two);
	scx_bpf_kick_cpu(a, SCX_KICK_PREEMPT);
	scx_bpf_kick_cpu(b, SCX_KICK_PREEMPT);
}

static void kick_idle(void)
{
	const struct cpumask *possible = scx_bpf_get_possible_cpumask();
	s32 cpu = scx_bpf_pick_idle_cpu(possible, 0);

	scx_bpf_put_cpumask(possible);
	if (cpu >= 0)
		scx_bpf_kick_cpu(cpu, SCX_KICK_IDLE);
}

/*
 * The kernel ends a policy under which a thread waits for 30 s. In the order of weighted CPU time,
 * a thread of nice 19 would wait as long beside two of nice -20. So would a thread that may run on
 * few CPUs, in a queue that other CPUs serve. Threads that have waited for WAIT_NS are therefore
 * put into the queue @to, and taken next by any CPU that serves it and that they may run on. The
 * search begins at the end, where they are. Global, so that the verifier checks it once.
 */
__noinline int find_forgotten(u64 from, u64 to, u64 now)
{
	struct bpf_iter_scx_dsq it;
	struct task_struct *p;

	/* Counted in memory, as in take_survey(). */
	survey.looked = 0;
	bpf_rcu_read_lock();
	bpf_iter_scx_dsq_new(&it, from, SCX_DSQ_ITER_REV);
	while ((p = bpf_iter_scx_dsq_next(&it))) {
		struct task_data *d = data_of(p);

		if (!d || survey.looked++ >= FORGOTTEN_LOOKS)
			break;
		/* Signed, because a thread may have been put here after @now. */
		if ((s64)(now - d->queued_ns) <= (s64)WAIT_NS)
			continue;
		d->rescued = true;
		/* The lead of this thread must not advance the clock of the others. */
		d->waited = false;
		if (move(&it, p, to))
			wake_where_allowed(p);
	}
	bpf_iter_scx_dsq_destroy(&it);
	bpf_rcu_read_unlock();
	return 0;
}

/* Look at the queues of single CPUs, too. */
static void look_at_pinned(u64 now)
{
	u32 cpu;

	bpf_for(cpu, 0, AMP_CPUS) {
		u32 i = cpu & (AMP_CPUS - 1);

		if (cpu >= scx_bpf_nr_cpu_ids())
			break;
		survey.urgent[i] = scx_bpf_dsq_nr_queued(URGENT + cpu) > 0;
		if (scx_bpf_dsq_nr_queued(PINNED + cpu) <= 0) {
			if (survey.pinned[i])
				survey.pinned[i]--;
			continue;
		}
		survey.pinned[i] = PINNED_TICKS;
		scx_bpf_kick_cpu(cpu, SCX_KICK_IDLE);
		find_forgotten(PINNED + cpu, URGENT + cpu, now);
		survey.urgent[i] |= scx_bpf_dsq_nr_queued(URGENT + cpu) > 0;
	}
}

static void look_at_queue(u32 rank, u64 now)
{
	s32 queued = scx_bpf_dsq_nr_queued(rank), forgotten = scx_bpf_dsq_nr_queued(FORGOTTEN);
	u64 slice = amp.slice_ns, shorter;

	rank = bounded(rank);
	if (queued > 0) {
		kick_idle();
		find_forgotten(rank, FORGOTTEN, now);
		slice = WAIT_NS / 2 * amp.cpus[rank] / queued;
	}
	/* They may all wait for the same CPU, where each of them waits for a slice of another. */
	if (forgotten > 0) {
		shorter = WAIT_NS / 2 / forgotten;
		slice = shorter < slice ? shorter : slice;
	}
	if (slice < SLICE_LEAST_NS)
		slice = SLICE_LEAST_NS;
	survey.slice_ns[rank] = slice < amp.slice_ns ? slice : amp.slice_ns;
}

static int amp_tick(void *map, u32 *key, struct amp_timer *timer)
{
	u64 now = bpf_ktime_get_ns();
	u32 rank, all = 0;

	/* The queues may be another policy's by now. */
	if (stats.exited)
		return 0;
	stats.ticks++;
	take_survey();
	look_at_fixed();
	for (rank = 0; rank < AMP_RANKS; rank++)
		all += survey.nr[rank];
	/* One border each tick, because a change there makes the survey of the others untrue. */
	if (amp.ranks > 1)
		settle(stats.ticks % (amp.ranks - 1), all);
	for (rank = 0; rank < AMP_RANKS; rank++) {
		if (rank + 1 < amp.ranks)
			exchange(rank, rank + 1);
		if (rank < amp.ranks)
			look_at_queue(rank, now);
	}
	look_at_pinned(now);
	train(now);
	bpf_timer_start(&timer->timer, amp.period_ns, 0);
	return 0;
}

#endif /* SCHEDULERS_RANKS_BPF_H */
