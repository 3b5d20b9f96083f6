// SPDX-License-Identifier: GPL-2.0-only
/* What a monitoring module may see of an interval that is still open. */
#include <linux/lockdep.h>
#include <linux/minmax.h>

#include "count_steps.h"
#include "mmon_call.h"
#include "sample.h"

/**
 * pmct_mmon_counts_now() - what the running thread has counted since its last sample
 * @ctx: what on_switch_in() or on_tick() was called with on this CPU last; it need not exist
 *	any more
 * @counts: of the module's events, by index in monitoring_module::events; an event that the
 *	present event set does not count is 0
 * @nr: how many
 * @ns: for how long, of the thread's CPU time
 *
 * The interval stays open: on_new_sample() will see these counts, too.
 *
 * Context: hard interrupt, interrupts disabled; the thread's callbacks do not run meanwhile.
 * Return: 0. -ESRCH: this CPU does not count for @ctx now. -ENODATA: its event sets are not the
 * module's.
 */
int pmct_mmon_counts_now(const struct pmct_ctx *ctx, u64 *counts, unsigned int nr, u64 *ns)
{
	struct pmct_cpu *cs = this_cpu_ptr(&pmct_cpu);
	const u8 *where;
	unsigned int i;

	lockdep_assert_irqs_disabled();

	if (!ctx || cs->ctx != ctx || !pmct_is_here(cs))
		return -ESRCH;
	where = pmct_mmon_where_now(ctx);
	if (!where)
		return -ENODATA;
	pmct_verify(cs, cs->ctx);
	pmct_account(cs, cs->ctx);
	/* A set that samples by events may have made room for the next one. */
	if (unlikely(!pmct_cpu_holds(cs, ctx)))
		pmct_change_set(cs, cs->ctx);
	for (i = 0; i < nr; i++)
		counts[i] = where[i] < ctx->set->nr ? ctx->sum[where[i]] : 0;
	*ns = pmct_clock_to_ns(ctx->clock);
	*ns -= min(*ns, ctx->missed);
	return 0;
}
EXPORT_SYMBOL_GPL(pmct_mmon_counts_now);

/**
 * pmct_mmon_core_type_now() - on which kind of CPU a thread is counted
 * @ctx: the thread
 *
 * Context: a callback of the thread.
 * Return: an index as in pmctrack_record::core_type.
 */
unsigned int pmct_mmon_core_type_now(const struct pmct_ctx *ctx)
{
	return ctx->head.core_type;
}
EXPORT_SYMBOL_GPL(pmct_mmon_core_type_now);
