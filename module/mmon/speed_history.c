// SPDX-License-Identifier: GPL-2.0-only
/*
 * Monitoring module "speed_history": how fast a thread was lately, at best, on each core type. Its
 * best speed stands for its speed alone, so that the module needs neither models nor knowledge of
 * others. It is for schedulers of the kind of CAMPS (Garcia-Garcia, Saez, Prieto-Matias, IEEE
 * Transactions on Computers 2018).
 *
 * Contention changes the instructions per cycle as a new phase does. The part of branches among the
 * instructions tells both apart: others do not change it, unless the thread spins for them. Cycles
 * and instructions are those of user mode, so that neither system calls nor interrupts nor a lower
 * clock look like contention.
 */
#include <linux/jiffies.h>
#include <linux/minmax.h>
#include <linux/string.h>

#include "estimates.h"

/* A thread's speed is not measured in intervals with less time on the CPU. */
#define LEAST_NS	1000000
/* Samples of a phase on a core type before its best speed means something. */
#define LEAST_SAMPLES	4
/* A speed is only averaged with one that is not older. */
#define NEIGHBOUR_MS	1000
/*
 * Code that is fast first and slow later, for reasons of its own, looks as if others disturbed it.
 * Schedulers give such threads more time, so there are limits, in thousandths.
 */
#define QUALITY_LEAST	250
#define SF_MOST		8000

static unsigned int big;
module_param(big, uint, 0444);
MODULE_PARM_DESC(big, "index of the fast core type in /proc/pmc/info (default: 0)");

static unsigned int history_ms = 10000;
module_param(history_ms, uint, 0644);
MODULE_PARM_DESC(history_ms, "how long a best speed is remembered, up to twice as long (default: 10000)");

static unsigned int guard_percent = 15;
module_param(guard_percent, uint, 0644);
MODULE_PARM_DESC(guard_percent, "a larger change of the part of branches begins a new phase (default: 15)");

enum { INSTR, CYCLES, BRANCHES };

static const char *const events[] = {
	[INSTR] = "instr", [CYCLES] = "cycles", [BRANCHES] = "branches",
};

static const char *const sets[] = { "instr,cycles,branches" };

/*
 * Virtual counters; the speedup factors of all small core types come last. They are made of the
 * thread's own instructions and cycles, which its user may count anyway.
 */
enum { VIRT_QUALITY, VIRT_SF };

static const struct pmct_vcounter virt[] = {
	[VIRT_QUALITY] = PMCT_ESTIMATE_VIRT("quality", "speed over the best one lately"),
	[VIRT_SF] = PMCT_ESTIMATE_VIRT("sf", "best speed on big cores over that on small ones"),
	[VIRT_SF + 1] = PMCT_ESTIMATE_VIRT("sf_2", "the same, for the second type of small cores"),
	[VIRT_SF + 2] = PMCT_ESTIMATE_VIRT("sf_3", "the same, for the third type of small cores"),
};

static_assert(ARRAY_SIZE(virt) == VIRT_SF + PMCT_MAX_SMALL);

/**
 * struct speed - a speed, or the best two of several, each for itself
 * @ipc: instructions per cycle, times 1000 * PMCT_RATIO_SCALE; 0: none
 * @mips: instructions per nanosecond, times 1000 * PMCT_RATIO_SCALE. Interrupts take time of a
 *	sample, so the one with the best @ipc may have a bad one.
 */
struct speed {
	u64 ipc;
	u64 mips;
};

/**
 * struct history - the speed of a thread on a core type, in its present phase
 * @last: that of the last sample
 * @best: the best means of two samples, since @since and in the time before that
 * @since: jiffies
 * @when: jiffies of the last sample
 * @nr: number of samples, up to LEAST_SAMPLES; 0: the other members are not valid
 */
struct history {
	struct speed last;
	struct speed best[2];
	unsigned long since;
	unsigned long when;
	u32 nr;
};

struct thread {
	struct pmct_average branches;
	struct history of[PMCTRACK_MAX_CORE_TYPES];
};

static int history_enable(struct monitoring_module *self)
{
	unsigned int nr = pmct_mmon_nr_core_types();

	if (big >= nr) {
		pr_err("pmctrack: monitoring module speed_history: there is no core type of index 'big'; see /proc/pmc/info\n");
		return -EINVAL;
	}
	self->nr_virt = VIRT_SF + nr - 1;
	return configure_performance_counters_set(self, sets, ARRAY_SIZE(sets));
}

/* Forget what is older than twice history_ms. */
static void turn(struct history *h)
{
	unsigned long half = msecs_to_jiffies(history_ms);

	if (!time_after(jiffies, h->since + half))
		return;
	h->best[1] = time_after(jiffies, h->since + 2 * half) ? (struct speed){} : h->best[0];
	h->best[0] = (struct speed){};
	h->since = jiffies;
}

static struct speed best_of(struct history *h)
{
	turn(h);
	return (struct speed){
		.ipc = max(h->best[0].ipc, h->best[1].ipc),
		.mips = max(h->best[0].mips, h->best[1].mips),
	};
}

static void note(struct history *h, const struct speed *now)
{
	struct speed mean = *now;

	/* If all is forgotten, begin anew. */
	if (h->nr && !best_of(h).ipc)
		h->nr = 0;
	if (!h->nr)
		h->since = jiffies;
	else if (!time_after(jiffies, h->when + msecs_to_jiffies(NEIGHBOUR_MS)))
		mean = (struct speed){
			.ipc = (h->last.ipc + now->ipc) / 2,
			.mips = (h->last.mips + now->mips) / 2,
		};
	h->last = *now;
	h->when = jiffies;
	h->nr += h->nr < LEAST_SAMPLES;
	h->best[0].ipc = max(h->best[0].ipc, mean.ipc);
	h->best[0].mips = max(h->best[0].mips, mean.mips);
}

static void publish_quality(struct pmct_ctx *ctx, struct pmct_sample *sample, struct history *h)
{
	u64 value;

	if (h->nr < LEAST_SAMPLES ||
	    !pmct_ratio(h->last.ipc, best_of(h).ipc, PMCT_RATIO_SCALE, &value)) {
		pmct_mmon_mark_stale(ctx, PMCT_METRIC_QUALITY);
		return;
	}
	value = clamp_t(u64, value, QUALITY_LEAST, PMCT_RATIO_SCALE);
	pmct_mmon_publish(ctx, PMCT_METRIC_QUALITY, value, PMCT_ESTIMATED);
	pmct_sample_virt(sample, VIRT_QUALITY, value);
}

static void publish_factors(struct pmct_ctx *ctx, struct pmct_sample *sample, struct thread *t)
{
	unsigned int type, n = 0, nr = pmct_mmon_nr_core_types();
	u64 fast = best_of(&t->of[big]).mips, slow, value;

	for (type = 0; type < nr; type++) {
		if (type == big)
			continue;
		slow = best_of(&t->of[type]).mips;
		if (fast && slow && pmct_ratio(fast, slow, PMCT_RATIO_SCALE, &value)) {
			value = min_t(u64, value, SF_MOST);
			pmct_mmon_publish(ctx, pmct_sf_metric[n], value, PMCT_ESTIMATED);
			pmct_sample_virt(sample, VIRT_SF + n, value);
		} else {
			pmct_mmon_mark_stale(ctx, pmct_sf_metric[n]);
		}
		n++;
	}
}

static void history_on_new_sample(struct pmct_ctx *ctx, struct pmct_sample *sample)
{
	struct thread *t = pmct_mmon_data(ctx);
	unsigned int type = sample->rec->core_type;
	u64 instr, cycles, branches, part;
	struct speed now;

	/* What runs on a CPU one after the other has no speed of its own. */
	if (!pmct_mmon_task(ctx) || type >= pmct_mmon_nr_core_types() ||
	    sample->rec->hw_ns < LEAST_NS || sample->rec->flags & PMCTRACK_RECORD_F_DISTURBED ||
	    pmct_sample_count(sample, INSTR, &instr) ||
	    pmct_sample_count(sample, CYCLES, &cycles) ||
	    pmct_sample_count(sample, BRANCHES, &branches) ||
	    !pmct_ratio(branches, instr, 1000 * PMCT_RATIO_SCALE, &part) ||
	    !pmct_ratio(instr, cycles, 1000 * PMCT_RATIO_SCALE, &now.ipc) || !now.ipc ||
	    !pmct_ratio(instr, sample->rec->hw_ns, 1000 * PMCT_RATIO_SCALE, &now.mips))
		return;
	if (pmct_average_guard(&t->branches, part, guard_percent))
		memset(t->of, 0, sizeof(t->of));
	note(&t->of[type], &now);
	publish_quality(ctx, sample, &t->of[type]);
	publish_factors(ctx, sample, t);
}

/* Another program begins, of which nothing is known. */
static void history_on_exec(struct pmct_ctx *ctx)
{
	unsigned int i;

	memset(pmct_mmon_data(ctx), 0, sizeof(struct thread));
	pmct_mmon_mark_stale(ctx, PMCT_METRIC_QUALITY);
	for (i = 0; i + 1 < pmct_mmon_nr_core_types(); i++)
		pmct_mmon_mark_stale(ctx, pmct_sf_metric[i]);
}

static struct monitoring_module speed_history = {
	.name		= "speed_history",
	.description	= "speed of a thread beside its best one lately, on each core type",
	.owner		= THIS_MODULE,
	.events		= events,
	.nr_events	= ARRAY_SIZE(events),
	.virt		= virt,
	.period_ms	= 50,
	.enable		= history_enable,
	.on_new_sample	= history_on_new_sample,
	.on_exec	= history_on_exec,
};

static_assert(sizeof(struct thread) <= PMCT_MMON_DATA);

module_monitoring_module(speed_history);

MODULE_ALIAS("pmctrack-mmon-speed_history");
MODULE_DESCRIPTION("PMCTrack monitoring module: speed over the best speed lately");
MODULE_AUTHOR("PMCTrack developers");
MODULE_LICENSE("GPL");
