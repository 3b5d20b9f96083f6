// SPDX-License-Identifier: GPL-2.0-only
/*
 * Lines that threads move from and to memory, and lines that others move meanwhile. Each CPU adds
 * up what its threads move. A timer adds this up for all CPUs, and stores on each CPU what a thread
 * there must know of others. No CPU waits for another one.
 *
 * Others are other processes. A CPU that was busy without a counted thread moves an unknown number
 * of lines. A busy hyperthread of the same core counts as unknown, too, because it takes more than
 * memory.
 */
#include <linux/cpumask.h>
#include <linux/hrtimer.h>
#include <linux/math64.h>
#include <linux/percpu.h>
#include <linux/sched/clock.h>
#include <linux/seq_file.h>
#include <linux/topology.h>

#include "../compat/hrtimer.h"
#include "fair.h"
#include "neighbours.h"

/* Period of the timer that finds rates. With more CPUs, it takes longer. */
#define EPOCH_NS	(10 * NSEC_PER_MSEC)
#define LONG_EPOCH_NS	(40 * NSEC_PER_MSEC)
#define MANY_CPUS	64
/* Part of an epoch that other threads may run, in percent. */
#define TOLERATED	25

struct pmct_traffic pmct_fair_traffic = { .own = 40, .system = 333 };

static unsigned long peak;
module_param(peak, ulong, 0444);
MODULE_PARM_DESC(peak, "lines per ms that memory moves at most; 0: the most that was seen for 30 ms (0)");
module_param_named(own_low, pmct_fair_traffic.own, uint, 0444);
MODULE_PARM_DESC(own_low, "a thread that moves less than so many thousandths of that is not disturbed (40)");
module_param_named(system_low, pmct_fair_traffic.system, uint, 0444);
MODULE_PARM_DESC(system_low, "no thread is disturbed while all threads together move less than so many thousandths of it (333)");

/**
 * struct here - traffic of a CPU
 * @ctx: the thread that runs there, if it is counted; for comparison only
 * @program: place of the thread's process
 * @entered_ns: since when the thread runs there
 * @ran_ns: how long counted threads ran, up to @entered_ns
 * @lines: lines that counted threads moved
 * @others: lines per ms of other processes, on the whole machine
 * @sharers: lines per ms of other processes that share the CPU's cache
 * @intensive: another process moves many lines
 * @unknown: it is not known what others move
 * @seen_lines: @lines, when the timer looked; this and the following are the timer's
 * @seen_ns: @ran_ns and the time since then, when the timer looked
 * @rate: lines per ms in the last epoch
 * @cache: the CPU that stands for this CPU's cache
 * @cache_rate: if the CPU stands for its cache: lines per ms of all CPUs that share it
 * @busy: it was busy for more than TOLERATED percent of the time
 *
 * The CPU writes the members up to @lines, the timer the rest. Members that others read together
 * may be of different moments.
 */
struct here {
	const struct pmct_ctx *ctx;
	struct fair_program *program;
	u64 entered_ns;
	u64 ran_ns;
	u64 lines;
	u64 others;
	u64 sharers;
	bool intensive;
	bool unknown;
	u64 seen_lines;
	u64 seen_ns;
	u64 rate;
	int cache;
	u64 cache_rate;
	bool busy;
};

static DEFINE_PER_CPU_SHARED_ALIGNED(struct here, here);
static struct pmct_neighbours neighbours;
static struct hrtimer timer;
static u64 looked_ns;
static u64 last_rates[2];

static u64 epoch_ns(void)
{
	return nr_cpu_ids > MANY_CPUS ? LONG_EPOCH_NS : EPOCH_NS;
}

/* A counted thread runs on this CPU. @program may be NULL. Context: any callback of the thread. */
void pmct_fair_traffic_enter(const struct pmct_ctx *ctx, struct fair_program *program)
{
	struct here *h = this_cpu_ptr(&here);

	WRITE_ONCE(h->program, program);
	if (h->ctx != ctx)
		WRITE_ONCE(h->entered_ns, local_clock());
	WRITE_ONCE(h->ctx, ctx);
}

/* The counted thread leaves this CPU. */
void pmct_fair_traffic_leave(void)
{
	struct here *h = this_cpu_ptr(&here);

	if (!h->ctx)
		return;
	WRITE_ONCE(h->ctx, NULL);
	WRITE_ONCE(h->ran_ns, h->ran_ns + local_clock() - h->entered_ns);
	WRITE_ONCE(h->program, NULL);
}

bool pmct_fair_traffic_is_here(const struct pmct_ctx *ctx)
{
	return __this_cpu_read(here.ctx) == ctx;
}

/*
 * The thread is not monitored any more. It may still run, here or elsewhere, but then no callback
 * comes when it leaves.
 */
void pmct_fair_traffic_forget(const struct pmct_ctx *ctx, int cpu)
{
	struct here *h = per_cpu_ptr(&here, cpu);

	if (cmpxchg(&h->ctx, ctx, NULL) == ctx)
		WRITE_ONCE(h->program, NULL);
}

/* Add lines that the thread on this CPU has moved. */
void pmct_fair_traffic_moved(u64 lines)
{
	struct here *h = this_cpu_ptr(&here);

	WRITE_ONCE(h->lines, h->lines + lines);
}

/* Add what others did in @ns on this CPU's thread to @w. Returns true if one moves many lines. */
bool pmct_fair_traffic_look(struct pmct_window *w, u64 ns)
{
	const struct here *h = this_cpu_ptr(&here);

	w->looks++;
	w->unknown += READ_ONCE(h->unknown);
	w->intensive += READ_ONCE(h->intensive);
	w->others += div_u64(READ_ONCE(h->others) * ns, NSEC_PER_MSEC);
	w->sharers += div_u64(READ_ONCE(h->sharers) * ns, NSEC_PER_MSEC);
	return READ_ONCE(h->intensive);
}

/*
 * The timer
 */

static bool is_intensive(u64 rate)
{
	const struct pmct_traffic *t = &pmct_fair_traffic;

	return t->peak && rate * 1000 >= t->peak * t->own;
}

/* Find the lines per ms of a CPU since the last call, and whether other threads ran there. */
static void see_cpu(unsigned int cpu, u64 now, u64 ns)
{
	struct here *h = per_cpu_ptr(&here, cpu);
	u64 lines = READ_ONCE(h->lines), ran = READ_ONCE(h->ran_ns);
	u64 idle_ns = pmct_fair_idle_ns(cpu, ns), busy_ns;

	if (READ_ONCE(h->ctx))
		ran += now - min(now, READ_ONCE(h->entered_ns));
	h->rate = div64_u64((lines - h->seen_lines) * NSEC_PER_MSEC, ns);
	/* If the tick does not stop on idle CPUs, the kernel does not know their idle time. */
	busy_ns = idle_ns == U64_MAX ? ns : ns - idle_ns;
	h->busy = busy_ns * 100 > ns * TOLERATED;
	busy_ns -= min(busy_ns, ran - min(ran, h->seen_ns));
	h->unknown = idle_ns != U64_MAX && busy_ns * 100 > ns * TOLERATED;
	if (h->unknown && !READ_ONCE(h->ctx))
		pmct_fair_idle_doubt(cpu);
	h->seen_lines = lines;
	h->seen_ns = ran;
}

/* If another process has taken the place already, a wrong rate is subtracted once. */
static u64 rate_of_process(const struct here *h)
{
	const struct fair_program *program = READ_ONCE(h->program);

	return program ? program->rate : h->rate;
}

static bool same_process(const struct here *a, const struct here *b)
{
	return READ_ONCE(a->program) && READ_ONCE(a->program) == READ_ONCE(b->program);
}

/* Lines of others that share the cache, for a process that uses several caches. */
static u64 sharers_one_by_one(unsigned int cpu, const struct here *h)
{
	unsigned int other;
	u64 sum = 0;

	for_each_set_bit(other, pmct_neighbours_of(&neighbours, cpu), nr_cpu_ids) {
		const struct here *o = per_cpu_ptr(&here, other);

		if (cpu_online(other) && !same_process(h, o))
			sum += o->rate;
	}
	return sum;
}

/*
 * With 256 CPUs behind a cache, the timer has no time to go through all pairs of CPUs. It does so
 * for processes that use several caches, which are few.
 */
static u64 sharers_of(unsigned int cpu, const struct here *h)
{
	const struct fair_program *program = READ_ONCE(h->program);
	u64 rate = per_cpu(here, h->cache).cache_rate;

	if (program && program->caches)
		return sharers_one_by_one(cpu, h);
	return rate - min(rate, rate_of_process(h));
}

static bool sibling_is_busy(unsigned int cpu)
{
	unsigned int other;

	for_each_cpu(other, topology_sibling_cpumask(cpu)) {
		if (other != cpu && cpu_online(other) && per_cpu(here, other).busy)
			return true;
	}
	return false;
}

struct all {
	u64 rate;
	unsigned int intensive;
	unsigned int unknown;
};

static void begin_sums(void)
{
	struct fair_program *program;
	unsigned int cpu;

	for_each_possible_cpu(cpu)
		per_cpu(here, cpu).cache_rate = 0;
	for_each_online_cpu(cpu) {
		program = READ_ONCE(per_cpu(here, cpu).program);
		if (program) {
			program->rate = 0;
			program->intensive = 0;
			program->cache = per_cpu(here, cpu).cache;
			program->caches = false;
		}
	}
}

static struct all see_all(u64 now, u64 ns)
{
	struct fair_program *program;
	struct all all = { };
	unsigned int cpu;

	begin_sums();
	for_each_online_cpu(cpu) {
		struct here *h = per_cpu_ptr(&here, cpu);

		see_cpu(cpu, now, ns);
		program = READ_ONCE(h->program);
		if (program) {
			program->rate += h->rate;
			program->intensive += is_intensive(h->rate);
			program->caches |= program->cache != h->cache;
		}
		per_cpu(here, h->cache).cache_rate += h->rate;
		all.rate += h->rate;
		all.intensive += is_intensive(h->rate);
		all.unknown += h->unknown;
	}
	return all;
}

/* Returns on how many CPUs the process of this CPU moves many lines. */
static unsigned int intensive_with(const struct here *h)
{
	const struct fair_program *program = READ_ONCE(h->program);

	return program ? program->intensive : is_intensive(h->rate);
}

/* The peak is the highest rate that three epochs in a row reached, because lines come in bursts. */
static void learn_peak(u64 rate)
{
	u64 least = min3(rate, last_rates[0], last_rates[1]);

	last_rates[1] = last_rates[0];
	last_rates[0] = rate;
	if (!peak && least > pmct_fair_traffic.peak)
		WRITE_ONCE(pmct_fair_traffic.peak, least);
}

static void tell_cpu(unsigned int cpu, const struct all *all)
{
	struct here *h = per_cpu_ptr(&here, cpu);

	WRITE_ONCE(h->others, all->rate - min(all->rate, rate_of_process(h)));
	WRITE_ONCE(h->sharers, sharers_of(cpu, h));
	WRITE_ONCE(h->intensive, all->intensive && all->intensive > intensive_with(h));
	WRITE_ONCE(h->unknown, all->unknown || sibling_is_busy(cpu));
}

static enum hrtimer_restart traffic_timer(struct hrtimer *t)
{
	u64 now = local_clock(), ns = now - looked_ns;
	unsigned int cpu;
	struct all all;

	/* Clocks of CPUs differ a little, so @ns may be negative. */
	if ((s64)ns > (s64)NSEC_PER_MSEC) {
		looked_ns = now;
		all = see_all(now, ns);
		learn_peak(all.rate);
		for_each_online_cpu(cpu)
			tell_cpu(cpu, &all);
	}
	hrtimer_forward_now(t, ns_to_ktime(epoch_ns()));
	return HRTIMER_RESTART;
}

/* The lowest CPU that shares the cache of @cpu. */
static int first_of_cache(unsigned int cpu)
{
	unsigned int other = find_first_bit(pmct_neighbours_of(&neighbours, cpu), nr_cpu_ids);

	return min(cpu, other);
}

/* Context: monitoring_module::enable. Returns 0, -EINVAL or -ENOMEM. */
int pmct_fair_traffic_start(void)
{
	unsigned int cpu;
	int err;

	if (!pmct_fair_traffic.own || pmct_fair_traffic.own > 1000 ||
	    !pmct_fair_traffic.system || pmct_fair_traffic.system > 1000)
		return -EINVAL;
	err = pmct_neighbours_find(&neighbours);
	if (err)
		return err;
	pmct_fair_traffic.peak = peak;
	pmct_fair_traffic.typical = 0;
	memset(last_rates, 0, sizeof(last_rates));
	for_each_possible_cpu(cpu) {
		memset(per_cpu_ptr(&here, cpu), 0, sizeof(struct here));
		per_cpu(here, cpu).cache = first_of_cache(cpu);
	}
	pmct_fair_idle_start();
	looked_ns = local_clock();
	pmct_hrtimer_setup(&timer, traffic_timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL_HARD);
	hrtimer_start(&timer, ns_to_ktime(epoch_ns()), HRTIMER_MODE_REL_HARD);
	return 0;
}

void pmct_fair_traffic_stop(void)
{
	hrtimer_cancel(&timer);
	pmct_fair_idle_stop();
	pmct_neighbours_free(&neighbours);
}

void pmct_fair_traffic_show(struct seq_file *m)
{
	const struct pmct_traffic *t = &pmct_fair_traffic;

	seq_printf(m, "peak=%llu peak_is=%s own_low=%u system_low=%u typical=%u/%u\n",
		   READ_ONCE(t->peak), peak ? "given" : "seen", t->own, t->system,
		   READ_ONCE(t->typical), PMCT_PHASE_ONE);
}
