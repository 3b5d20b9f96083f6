// SPDX-License-Identifier: GPL-2.0-only
/*
 * Counters that can overflow: those that wrap, and those that sample by their events. This is a
 * part of the hot path, with the rules of count.c.
 */
#include <linux/lockdep.h>
#include <linux/math64.h>

#include "config.h"
#include "evset.h"
#include "mmon_call.h"
#include "narrow.h"
#include "owner.h"
#include "sample.h"

/*
 * In kernel mode, taking a sample generates events itself. Their number is estimated from the
 * lateness of two consecutive windows, because a single late window may have another cause: code
 * that had interrupts disabled. If the estimate exceeds a quarter of the window, the thread's
 * windows are made longer. Otherwise the thread would make no progress.
 */
static void pmct_ebs_learn(struct pmct_ebs_learnt *learnt, u64 window, u64 late)
{
	/* Eight times this number must also fit into 32 bits. */
	u32 late32 = min_t(u64, late, U32_MAX / 8);
	u32 takes = min(late32, learnt->late);

	learnt->late = late32;
	learnt->room = takes >= window / 4 ? 8 * takes : 0;
}

/*
 * The length of the next window, in multiples of the requested window. It is more than 1 if the
 * last sample was late, or if samples take too much time.
 */
static u64 pmct_ebs_windows(struct pmct_cpu *cs, struct pmct_ctx *ctx,
			    const struct pmct_hwset *set)
{
	u64 late = div64_u64(-ctx->ebs_left, set->ebs) + 1;
	u64 least = pmct_ebs_limit_window(&cs->ebs, cs->clock,
					  READ_ONCE(pmct_config.ebs_cpu_percent),
					  ctx->sum[set->ebs_index], ctx->clock);
	u64 windows = DIV64_U64_ROUND_UP(least, set->ebs);

	windows = clamp_t(u64, windows, 1, U32_MAX);
	ctx->ebs[set->index].windows = windows;
	ctx->ebs_widened = windows > 1;
	return late + windows - 1;
}

/* The product of this and a number of 16 bits fits into 64 bits. */
#define PMCT_EBS_LONGEST	BIT_ULL(40)

/*
 * A sample of a monitoring module's set is an address, and the interval stays open. Windows are up
 * to a quarter longer than requested, so that they do not keep step with a loop of the program.
 */
static void pmct_ebs_address(struct pmct_cpu *cs, struct pmct_ctx *ctx,
			     const struct pmct_hwset *set)
{
	u32 drawn = (u32)cs->clock * 0x9e3779b1U;

	ctx->ebs_left += pmct_ebs_windows(cs, ctx, set) * set->ebs;
	ctx->ebs_left += min(set->ebs, PMCT_EBS_LONGEST) / 4 * (drawn >> 16) >> 16;
	pmct_mmon_address(ctx);
}

/* Close the interval at the end of the window, and begin the next window. */
static void pmct_ebs_close(struct pmct_cpu *cs, struct pmct_ctx *ctx,
			   const struct pmct_hwset *set)
{
	u16 flags = ctx->ebs_widened ? PMCTRACK_RECORD_F_WIDENED : 0;

	ctx->ebs_left += pmct_ebs_windows(cs, ctx, set) * set->ebs;
	pmct_sample_close(ctx, PMCTRACK_RECORD_EBS, flags);
	pmct_ctx_next_set(ctx);
}

/*
 * Event-based sampling: the counter is loaded so that it overflows when the thread's window is
 * full. Events after that belong to the same record (its sum stays true), and shorten the next
 * window.
 */
static void pmct_ebs_account(struct pmct_cpu *cs, struct pmct_ctx *ctx,
			     const struct pmct_hwset *set, u64 delta, u64 value, bool overflowed)
{
	/* The counter was zero at the end of the window, so @value is the lateness. */
	if (overflowed && set->ebs_kernel)
		pmct_ebs_learn(&ctx->ebs[set->index], set->ebs, value);
	ctx->ebs_left -= delta;
	if (ctx->ebs_left > 0 && !overflowed)
		return;
	/* Load the counter again. A window may also be longer than the counter. */
	pmct_cpu_invalidate(cs);
	if (ctx->ebs_left > 0)
		return;
	if (set->addresses)
		pmct_ebs_address(cs, ctx, set);
	else
		pmct_ebs_close(cs, ctx, set);
}

/* The part of pmct_account() for narrow sets. A wrap shows in the value, the flag, or both. */
void pmct_account_narrow(struct pmct_cpu *cs, struct pmct_ctx *ctx, const struct pmct_hwset *set,
			 const u64 *last, const u64 *now, u64 overflow)
{
	u64 wrapped = 0;
	u64 ebs = 0, value = 0;
	unsigned int i;

	lockdep_assert_irqs_disabled();

	for (i = 0; i < set->nr; i++) {
		u64 bit = BIT_ULL(set->counter[i]);
		u64 mask = set->mask[i];
		/* The register may be wider than the part of it that signals overflow. */
		u64 from = last[i] & mask;
		u64 to = now[i] & mask;
		u64 delta = pmct_delta(from, to, mask, overflow & bit);

		ctx->sum[i] += delta;
		if (i == set->ebs_index) {
			ebs = delta;
			value = to;
		}
		if ((overflow & bit) || to < from)
			wrapped |= bit;
	}
	/* These wraps are accounted for, even if a flag was set only after the flags were read. */
	if (wrapped)
		pmct_backend->overflow_clear(wrapped);
	if (pmct_backend->missed)
		ctx->missed += pmct_backend->missed();
	if (!set->ebs)
		return;
	pmct_ebs_account(cs, ctx, set, ebs, value,
			 wrapped & BIT_ULL(set->counter[set->ebs_index]));
}

/* More events than happen from here to the end of a switch. */
#define PMCT_EBS_ROOM	4096

/*
 * From now on, let the counter overflow with the last event of the window. Its flag is cleared
 * after the write, so an overflow of its previous value is cleared, too.
 */
static void pmct_ebs_start(struct pmct_cpu *cs, const struct pmct_hwset *set, u64 left)
{
	unsigned int counter = set->counter[set->ebs_index];
	u64 mask = set->mask[set->ebs_index];

	pmct_backend->write(counter, -min(left, mask / 2 + 1) & mask);
	pmct_backend->overflow_clear(BIT_ULL(counter));
	pmct_backend->read(set, cs->last);
}

/* The part of pmct_read_start() for narrow sets. */
void pmct_read_start_narrow(struct pmct_cpu *cs, struct pmct_ctx *ctx)
{
	const struct pmct_hwset *set = cs->set;
	u64 mask = set->mask[set->ebs_index];
	u64 others = set->counters;
	u64 left = ctx->ebs_left;
	u32 room;

	if (set->ebs) {
		room = ctx->ebs[set->index].room;
		others &= ~BIT_ULL(set->counter[set->ebs_index]);
		if (set->ebs_kernel && room > left) {
			left = room;
			ctx->ebs_widened = true;
		}
		pmct_ebs_start(cs, set, left);
		/*
		 * In kernel mode our own instructions cause events. All loaded values have the top
		 * bit set. If it is clear already, the end of the window was too near.
		 */
		if (unlikely((cs->last[set->ebs_index] & mask) <= mask / 2))
			pmct_ebs_start(cs, set, max_t(u64, left, PMCT_EBS_ROOM));
	} else {
		pmct_backend->read(set, cs->last);
	}
	/* Clear after the read: a wrap in between then shows as a smaller value. */
	pmct_backend->overflow_clear(others);
}
