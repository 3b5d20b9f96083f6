// SPDX-License-Identifier: GPL-2.0-only
/*
 * Monitoring module "speed_history": how fast a thread was lately, at best, on each core type. Its
 * best speed stands for its speed alone, so that the module needs neither models nor knowledge of
 * others. It is for schedulers of the kind of CAMPS (Garcia-Garcia, Saez, Prieto-Matias, IEEE
 * Transactions on Computers 2018).
 *
 * Contention changes the instructions per cycle as a new phase does. The part of branches among the
 * instructions tells both apart: others do not change it.
 */
#include <linux/jiffies.h>
#include <linux/minmax.h>
#include <linux/string.h>

#include "estimates.h"

/* A thread's speed is not measured in intervals with less time on the CPU. */
#define LEAST_NS	1000000

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

/* Virtual counters; the speedup factors of all small core types come last. */
enum { VIRT_QUALITY, VIRT_SF };

static const struct pmct_vcounter virt[] = {
	[VIRT_QUALITY] = PMCT_ESTIMATE_VIRT("quality", "speed over the best one lately"),
	[VIRT_SF] = PMCT_ESTIMATE_VIRT("sf", "best speed on big cores over that on small ones"),
	[VIRT_SF + 1] = PMCT_ESTIMATE_VIRT("sf_2", "the same, for the second type of small cores"),
	[VIRT_SF + 2] = PMCT_ESTIMATE_VIRT("sf_3", "the same, for the third type of small cores"),
};

static_assert(ARRAY_SIZE(virt) == VIRT_SF + PMCT_MAX_SMALL);

/**
 * struct history - the speed of a thread on a core type, in its present phase
 * @mips: instructions per microsecond in the last sample, times 1000; 0: none
 * @best: the greatest mean of two samples, since @since and in the time before that; 0: none
 * @since: jiffies; valid if @mips is not 0
 */
struct history {
	u64 mips;
	u64 best[2];
	unsigned long since;
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
	h->best[1] = time_after(jiffies, h->since + 2 * half) ? 0 : h->best[0];
	h->best[0] = 0;
	h->since = jiffies;
}

static u64 best_of(struct history *h)
{
	turn(h);
	return max(h->best[0], h->best[1]);
}

static void publish(struct pmct_ctx *ctx, struct pmct_sample *sample, struct thread *t, u64 mips)
{
	unsigned int type, n = 0, nr = pmct_mmon_nr_core_types();
	u64 fast = best_of(&t->of[big]), value;

	if (pmct_ratio(mips, best_of(&t->of[sample->rec->core_type]), PMCT_RATIO_SCALE, &value)) {
		value = min_t(u64, value, PMCT_RATIO_SCALE);
		pmct_mmon_publish(ctx, PMCT_METRIC_QUALITY, value, PMCT_ESTIMATED);
		pmct_sample_virt(sample, VIRT_QUALITY, value);
	}
	for (type = 0; type < nr; type++) {
		u64 slow = best_of(&t->of[type]);

		if (type == big)
			continue;
		if (fast && slow && pmct_ratio(fast, slow, PMCT_RATIO_SCALE, &value)) {
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
	u64 instr, branches, part, mips, mean;
	struct history *h;

	if (type >= pmct_mmon_nr_core_types() || sample->rec->hw_ns < LEAST_NS ||
	    sample->rec->flags & PMCTRACK_RECORD_F_DISTURBED ||
	    pmct_sample_count(sample, INSTR, &instr) ||
	    pmct_sample_count(sample, BRANCHES, &branches) ||
	    !pmct_ratio(branches, instr, 1000 * PMCT_RATIO_SCALE, &part) ||
	    !pmct_ratio(instr, sample->rec->hw_ns, 1000 * PMCT_RATIO_SCALE, &mips))
		return;
	if (pmct_average_guard(&t->branches, part, guard_percent))
		memset(t->of, 0, sizeof(t->of));
	h = &t->of[type];
	if (!h->mips)
		h->since = jiffies;
	turn(h);
	mean = h->mips ? (h->mips + mips) / 2 : mips;
	h->mips = mips;
	h->best[0] = max(h->best[0], mean);
	publish(ctx, sample, t, mean);
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
};

static_assert(sizeof(struct thread) <= PMCT_MMON_DATA);

module_monitoring_module(speed_history);

MODULE_ALIAS("pmctrack-mmon-speed_history");
MODULE_DESCRIPTION("PMCTrack monitoring module: speed over the best speed lately");
MODULE_AUTHOR("PMCTrack developers");
MODULE_LICENSE("GPL");
