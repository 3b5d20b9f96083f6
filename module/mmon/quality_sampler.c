// SPDX-License-Identifier: GPL-2.0-only
/*
 * Takes samples of threads that run alone. A timer chooses the running process whose last sample is
 * the oldest. The CPUs of its threads go on, all others are held (pmctrack/hold.h). On each CPU of
 * the process, a second timer reads the counts piece by piece. At its next tick, the thread checks
 * the result of the hold, and takes the pieces that lie inside.
 *
 * No CPU waits for another one. If one is late, the sample is useless and is dropped.
 */
#include <linux/cpumask.h>
#include <linux/hrtimer.h>
#include <linux/kernel_stat.h>
#include <linux/math64.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/timekeeping.h>
#include <pmctrack/hold.h>

#include "../compat/hrtimer.h"
#include "../compat/idle.h"
#include "quality_sampler.h"

/* The most pieces of a hold, and the least time of a piece. */
#define PIECES		(PMCT_QUALITY_PIECES)
#define PIECE_NS	100000U
/* If no thread can be sampled, the timer looks again after 1 / RETRIES of a period. */
#define RETRIES		20
/* This many samples may be taken in advance, of threads that were never sampled. */
#define ADVANCE		4
/* The timer does not look more often than this. */
#define LOOK_NS		1000000U
/* Periods vary by this, in percent, because programs may have periods, too. */
#define JITTER		10
/* A piece was disturbed if the thread was counted for less of it, in percent. */
#define UNDISTURBED	90
#define LINE_BYTES	64
/* A process is alone if all others together run for less, in percent of a CPU's time. */
#define ALONE		2

unsigned int pmct_quality_hold_us = 5000;
module_param_named(hold_us, pmct_quality_hold_us, uint, 0444);
MODULE_PARM_DESC(hold_us, "how long others stand still for a sample, in us: 500 to 10000 (5000)");

unsigned int pmct_quality_budget = 10;
module_param_named(budget, pmct_quality_budget, uint, 0444);
MODULE_PARM_DESC(budget, "how much of their time others may lose by that, in thousandths: 1 to 200 (10)");

struct quality_stats pmct_quality_stats;

/**
 * struct running - what runs on a CPU
 * @ctx: the thread that runs there and is to be sampled; for comparison only
 * @tgid: its process
 * @sampled_ns: when the thread was last sampled
 * @idle_us: idle time of the CPU when the last sample began
 *
 * The CPU writes all but @idle_us, the timer reads. What it reads together may not belong together.
 */
struct running {
	const struct pmct_ctx *ctx;
	pid_t tgid;
	u64 sampled_ns;
	u64 idle_us;
};

/**
 * struct track - a sample on a CPU
 * @timer: runs at the end of each piece
 * @csd: begins the sample
 * @ctx: the thread; NULL: it has left
 * @sample: number of the sample
 * @hold: number of the hold
 * @end: end of the hold, ns
 * @alone: no other process has run elsewhere since the last sample
 * @switches: context switches of the thread when the sample began
 * @last: what the thread had done at the end of the last piece
 * @resumed_ns: when the thread went on after the last piece
 * @nr: number of pieces
 * @spoiled_ns: since when other processes may have run here; 0: never
 * @began_ns: beginning of each piece
 * @ended_ns: end of each piece
 * @piece: what the thread did in each piece
 *
 * The CPU writes it with interrupts disabled. When the hold is over, the thread may read it on
 * another CPU, if @sample has not changed.
 */
struct track {
	struct hrtimer timer;
	call_single_data_t csd;
	const struct pmct_ctx *ctx;
	u64 sample;
	u64 hold;
	u64 end;
	bool alone;
	unsigned long switches;
	struct pmct_quality_part last;
	u64 resumed_ns;
	unsigned int nr;
	u64 spoiled_ns;
	u64 began_ns[PIECES];
	u64 ended_ns[PIECES];
	struct pmct_quality_part piece[PIECES];
};

static DEFINE_PER_CPU_SHARED_ALIGNED(struct running, running);
static DEFINE_PER_CPU_SHARED_ALIGNED(struct track, track);

/* Only the timer uses these. Time is owed to others until @owed_ns. @lot holds the random state. */
static struct hrtimer sampler;
static struct cpumask spared, wanted;
static u64 samples;
static u64 owed_ns;
static u64 looked_ns;
static u32 lot;
static bool was_new;
/* The process that was sampled last. */
static pid_t sampled;

static unsigned long switches_of_current(void)
{
	return current->nvcsw + current->nivcsw;
}

static u64 hold_ns(void)
{
	return pmct_quality_hold_us * (u64)NSEC_PER_USEC;
}

static u64 period_ns(void)
{
	return hold_ns() * 1000 / pmct_quality_budget;
}

/* How often the timer looks for something to do. */
static u64 look_ns(void)
{
	return max_t(u64, period_ns() / RETRIES, LOOK_NS);
}

/* As many pieces as fit, none shorter than PIECE_NS. */
static u64 piece_ns(void)
{
	return max_t(u64, PIECE_NS, hold_ns() / PIECES);
}

/**
 * pmct_quality_now() - get all that a thread has done since the module met it
 * @ctx: the thread, as pmct_mmon_counts_now() has it
 * @part: where it is stored
 *
 * Context: interrupts disabled.
 * Return: false if the thread does not run here, or does not count the needed events.
 */
bool pmct_quality_now(const struct pmct_ctx *ctx, struct pmct_quality_part *part)
{
	const struct quality_thread *t;
	unsigned int i;

	if (pmct_mmon_counts_now(ctx, part->count, PMCT_QUALITY_NR, &part->ns))
		return false;
	t = pmct_mmon_data(ctx);
	part->ns += t->closed.ns;
	for (i = 0; i < PMCT_QUALITY_NR; i++)
		part->count[i] += t->closed.count[i];
	return true;
}

/* Like pmct_quality_now(), for a sampled thread. Returns false if it has left its CPU. */
static bool is_still_here(const struct track *k, struct pmct_quality_part *part)
{
	return switches_of_current() == k->switches && pmct_quality_now(k->ctx, part);
}

/* The sampled thread is not here any more. A thread of another process may be running instead. */
static void lose(struct track *k)
{
	k->ctx = NULL;
	if (!k->spoiled_ns && !is_idle_task(current) && current->tgid != READ_ONCE(sampled))
		WRITE_ONCE(k->spoiled_ns, k->resumed_ns);
}

static void add_piece(struct track *k, u64 now)
{
	u64 ns = now - k->resumed_ns;
	struct pmct_quality_part part;
	unsigned int i, n = k->nr;

	/* Counters that other software wrote have not counted all the time. */
	if (!is_still_here(k, &part) ||
	    (part.ns - k->last.ns) * 100 < ns * UNDISTURBED) {
		lose(k);
		return;
	}
	k->piece[n].ns = ns;
	for (i = 0; i < PMCT_QUALITY_NR; i++)
		k->piece[n].count[i] = part.count[i] - k->last.count[i];
	k->last = part;
	k->began_ns[n] = k->resumed_ns;
	k->ended_ns[n] = now;
	k->nr++;
}

static enum hrtimer_restart track_timer(struct hrtimer *timer)
{
	struct track *k = container_of(timer, struct track, timer);
	u64 now = ktime_get_mono_fast_ns();

	if (!k->ctx)
		lose(k);
	else if (k->nr < PIECES)
		add_piece(k, now);
	k->resumed_ns = ktime_get_mono_fast_ns();
	/* Go on until the end, to see which threads run here. */
	if (k->resumed_ns + piece_ns() > k->end)
		return HRTIMER_NORESTART;
	hrtimer_set_expires(timer, ns_to_ktime(k->resumed_ns + piece_ns()));
	return HRTIMER_RESTART;
}

/* Begin a sample on a CPU of the process that is sampled. */
static void track_begin(void *unused)
{
	struct track *k = this_cpu_ptr(&track);
	struct quality_thread *t;

	/* The last sample is over, but its timer is still active. */
	if (hrtimer_active(&k->timer)) {
		WRITE_ONCE(k->spoiled_ns, 1);
		return;
	}
	k->nr = 0;
	WRITE_ONCE(k->spoiled_ns, 0);
	k->ctx = __this_cpu_read(running.ctx);
	k->switches = switches_of_current();
	k->resumed_ns = ktime_get_mono_fast_ns();
	if (k->ctx && is_still_here(k, &k->last)) {
		t = pmct_mmon_data(k->ctx);
		t->sample = k->sample;
		t->cpu = smp_processor_id();
		t->sampled_ns = k->resumed_ns;
		__this_cpu_write(running.sampled_ns, t->sampled_ns);
		k->resumed_ns = ktime_get_mono_fast_ns();
	} else {
		/* The context may be of an ended session. A live one comes back at its tick. */
		WRITE_ONCE(*this_cpu_ptr(&running.ctx), NULL);
		lose(k);
	}
	hrtimer_start(&k->timer, ns_to_ktime(k->resumed_ns + piece_ns()),
		      HRTIMER_MODE_ABS_PINNED_HARD);
}

/**
 * struct candidate - a process that may be sampled next
 * @tgid: the process; 0: none
 * @sampled_ns: when its thread was sampled
 */
struct candidate {
	pid_t tgid;
	u64 sampled_ns;
};

/*
 * Choose between the process whose thread was sampled longest ago, and one with a thread that was
 * never sampled. They take turns, so that a process that always creates threads does not get all
 * samples.
 */
static struct candidate next_process(void)
{
	struct candidate known = { .sampled_ns = U64_MAX }, new = { };
	unsigned int cpu;

	for_each_online_cpu(cpu) {
		const struct running *r = per_cpu_ptr(&running, cpu);
		u64 at = READ_ONCE(r->sampled_ns);

		if (!READ_ONCE(r->ctx))
			continue;
		if (!at)
			new.tgid = READ_ONCE(r->tgid);
		else if (at < known.sampled_ns)
			known = (struct candidate){ READ_ONCE(r->tgid), at };
	}
	return new.tgid && (!known.tgid || !was_new) ? new : known;
}

static void find_cpus(pid_t tgid, struct cpumask *cpus)
{
	unsigned int cpu;

	cpumask_clear(cpus);
	for_each_online_cpu(cpu) {
		const struct running *r = per_cpu_ptr(&running, cpu);

		if (READ_ONCE(r->ctx) && READ_ONCE(r->tgid) == tgid)
			__cpumask_set_cpu(cpu, cpus);
	}
}

/* Was no other CPU than @spared busy since the last hold? A CPU that is held is idle. */
static bool nobody_else_ran(u64 now)
{
	u64 us = div_u64(now - looked_ns, NSEC_PER_USEC), others_us = 0;
	unsigned int cpu;

	looked_ns = now;
	for_each_online_cpu(cpu) {
		struct running *r = per_cpu_ptr(&running, cpu);
		u64 idle_us = pmct_cpu_idle_us(cpu);
		u64 idled = pmct_idle_between_us(r->idle_us, idle_us);

		/*
		 * If the tick does not stop on idle CPUs, the kernel does not know their idle time.
		 */
		if (idle_us == U64_MAX)
			return false;
		r->idle_us = idle_us;
		if (!cpumask_test_cpu(cpu, &spared) && idled < us)
			others_us += us - idled;
	}
	return others_us * 100 < us * ALONE;
}

static void begin_tracks(u64 hold, u64 end, bool alone)
{
	unsigned int cpu;

	samples++;
	for_each_cpu(cpu, &spared) {
		struct track *k = per_cpu_ptr(&track, cpu);

		k->hold = hold;
		k->end = end;
		k->alone = alone;
		/* Pairs with pmct_quality_sampler_finish(). The rest is of this sample now. */
		smp_store_release(&k->sample, samples);
		smp_call_function_single_async(cpu, &k->csd);
	}
}

static u64 jittered(u64 ns)
{
	u64 most = ns * JITTER / 100;

	/* The kernel's random numbers may sleep on PREEMPT_RT. */
	lot = lot * 1664525 + 1013904223;
	return ns - most + (2 * most * (lot >> 16) >> 16);
}

static void begin_sample(void)
{
	struct candidate next = next_process();
	u64 now = ktime_get_ns(), hold;

	pmct_quality_stats.asked++;
	if (now + (next.sampled_ns ? 0 : ADVANCE * period_ns()) < owed_ns)
		return;
	find_cpus(next.tgid, &wanted);
	if (!next.tgid || cpumask_empty(&wanted)) {
		pmct_quality_stats.nobody++;
		return;
	}
	hold = pmct_hold_begin(&wanted, now + hold_ns());
	if (!hold) {
		pmct_quality_stats.busy++;
		return;
	}
	pmct_quality_stats.begun++;
	was_new = !next.sampled_ns;
	owed_ns = max(owed_ns, now) + jittered(period_ns());
	/* The last sample is over, so @spared is not in use. */
	cpumask_copy(&spared, &wanted);
	WRITE_ONCE(sampled, next.tgid);
	begin_tracks(hold, now + hold_ns(), nobody_else_ran(now));
}

static enum hrtimer_restart sampler_timer(struct hrtimer *timer)
{
	begin_sample();
	hrtimer_forward_now(timer, ns_to_ktime(look_ns()));
	return HRTIMER_RESTART;
}

/**
 * pmct_quality_sampler_enter() - a thread that is to be sampled runs on this CPU
 * @ctx: the thread
 * @t: its data
 *
 * Context: a callback of the thread.
 */
void pmct_quality_sampler_enter(struct pmct_ctx *ctx, struct quality_thread *t)
{
	const struct task_struct *task = pmct_mmon_task(ctx);
	struct running *r = this_cpu_ptr(&running);

	if (!task || !pmct_mmon_is_asked(ctx))
		return;
	WRITE_ONCE(r->sampled_ns, t->sampled_ns);
	WRITE_ONCE(r->tgid, task->tgid);
	WRITE_ONCE(r->ctx, ctx);
}

/* The thread on this CPU leaves it. */
void pmct_quality_sampler_leave(void)
{
	WRITE_ONCE(*this_cpu_ptr(&running.ctx), NULL);
}

bool pmct_quality_sampler_is_here(const struct pmct_ctx *ctx)
{
	return __this_cpu_read(running.ctx) == ctx;
}

/* The thread is not monitored any more. Context: any CPU. */
void pmct_quality_sampler_forget(const struct pmct_ctx *ctx)
{
	const struct task_struct *task = pmct_mmon_task(ctx);

	if (task)
		(void)cmpxchg(&per_cpu_ptr(&running, task_cpu(task))->ctx, ctx, NULL);
}

/*
 * Returns the number of lines of @cpu's last-level cache, or 0 if no lines can be others'. A
 * process that was alone before has filled the cache, so changes of its rate mean nothing.
 */
static u32 lines_of(int cpu)
{
	if (per_cpu(track, cpu).alone)
		return 0;
	return min_t(u64, pmct_mmon_cache_bytes(cpu) / LINE_BYTES, U32_MAX);
}

/* Returns until when only the process ran on its CPUs. */
static u64 alone_until(u64 sample, u64 end)
{
	unsigned int cpu;
	u64 ns;

	for_each_online_cpu(cpu) {
		const struct track *k = per_cpu_ptr(&track, cpu);

		ns = READ_ONCE(k->spoiled_ns);
		if (READ_ONCE(k->sample) == sample && ns)
			end = min(end, ns);
	}
	return end;
}

/*
 * Compute a rate from the pieces on @cpu that lie inside the hold. Returns false if the sample is
 * of no use. If the CPU has other threads to run, the sample ends with the thread's time slice. If
 * the sample is @brief, caches had less time to fill.
 */
static bool evaluate(int cpu, enum pmct_quality_event event, struct pmct_quality_rate *rate,
		     bool *brief)
{
	const struct track *k = per_cpu_ptr(&track, cpu);
	struct pmct_hold_window window;
	unsigned int from, to;

	if (pmct_hold_result(k->hold, &window)) {
		atomic64_inc(&pmct_quality_stats.late);
		return false;
	}
	window.to = alone_until(k->sample, window.to);
	for (from = 0; from < k->nr && k->began_ns[from] < window.from; from++)
		;
	for (to = from; to < k->nr && k->ended_ns[to] <= window.to; to++)
		;
	if (to < from + PMCT_QUALITY_LEAST) {
		atomic64_inc(&pmct_quality_stats.switched);
		return false;
	}
	if (!pmct_quality_measure(rate, k->piece + from, to - from, event, lines_of(cpu))) {
		atomic64_inc(&pmct_quality_stats.useless);
		return false;
	}
	*brief = to - from < div_u64(hold_ns(), 2 * piece_ns());
	return true;
}

/**
 * pmct_quality_sampler_finish() - evaluate the thread's last sample, if it is over
 * @t: its data; updated
 * @event: the event that is counted
 *
 * Context: a callback of the thread.
 */
void pmct_quality_sampler_finish(struct quality_thread *t, enum pmct_quality_event event)
{
	const struct track *k = per_cpu_ptr(&track, t->cpu);
	struct pmct_hold_window window;
	struct pmct_quality_rate rate;
	bool good, brief = false;

	if (!t->sample)
		return;
	/* Pairs with begin_tracks(): nothing of a later sample is for this thread. */
	if (smp_load_acquire(&k->sample) == t->sample) {
		if (pmct_hold_result(k->hold, &window) == -EINPROGRESS)
			return;
		rate.sampled_ns = t->sampled_ns;
		rate.core_type = t->a.core_type;
		good = evaluate(t->cpu, event, &rate, &brief);
		/* A brief sample is used only if there is no better rate. */
		if (good && brief &&
		    pmct_quality_find(t->a.rate, rate.core_type, rate.kind, false)) {
			atomic64_inc(&pmct_quality_stats.useless);
			good = false;
		}
		/* The next sample may have begun meanwhile. */
		smp_rmb();
		if (good && READ_ONCE(k->sample) == t->sample)
			pmct_quality_note(t->a.rate, &rate);
		atomic64_add(good, &pmct_quality_stats.good);
	}
	t->sample = 0;
}

/**
 * pmct_quality_sampler_start() - begin to take samples
 *
 * Context: process context, may sleep.
 * Return: 0, or -EINVAL for parameters of the module.
 */
int pmct_quality_sampler_start(void)
{
	unsigned int cpu;

	if (pmct_quality_hold_us < 500 || hold_ns() > PMCT_HOLD_MOST_NS || !pmct_quality_budget ||
	    pmct_quality_budget > 200)
		return -EINVAL;
	memset(&pmct_quality_stats, 0, sizeof(pmct_quality_stats));
	owed_ns = 0;
	looked_ns = ktime_get_ns();
	lot = ktime_get_ns();
	for_each_possible_cpu(cpu) {
		struct track *k = per_cpu_ptr(&track, cpu);

		memset(per_cpu_ptr(&running, cpu), 0, sizeof(struct running));
		per_cpu(running, cpu).idle_us = pmct_cpu_idle_us(cpu);
		INIT_CSD(&k->csd, track_begin, NULL);
		pmct_hrtimer_setup(&k->timer, track_timer, CLOCK_MONOTONIC,
				   HRTIMER_MODE_ABS_PINNED_HARD);
	}
	pmct_hrtimer_setup(&sampler, sampler_timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL_HARD);
	hrtimer_start(&sampler, ns_to_ktime(look_ns()), HRTIMER_MODE_REL_HARD);
	return 0;
}

static void sampler_nothing(void *unused)
{
}

/* No callback runs any more. Context: process, may sleep. */
void pmct_quality_sampler_stop(void)
{
	unsigned int cpu;

	hrtimer_cancel(&sampler);
	/*
	 * A CPU runs calls with a waiter before others, so only the second one comes after all
	 * others.
	 */
	on_each_cpu(sampler_nothing, NULL, true);
	on_each_cpu(sampler_nothing, NULL, true);
	for_each_possible_cpu(cpu)
		hrtimer_cancel(&per_cpu_ptr(&track, cpu)->timer);
}
