// SPDX-License-Identifier: GPL-2.0-only
/* Functions that a monitoring module may call about the running thread and its open interval. */
#include <linux/lockdep.h>
#include <linux/minmax.h>

#include "../compat/exe.h"
#include "count_steps.h"
#include "mmon_call.h"
#include "sample.h"

/**
 * pmct_mmon_counts_now() - what the running thread has counted since its last sample
 * @ctx: the argument of the last on_switch_in() or on_tick() on this CPU; the context need not
 *	exist any more
 * @counts: counts of the module's events, by index in monitoring_module::events; 0 for an event
 *	that the present event set does not count
 * @nr: number of @counts
 * @ns: CPU time of the thread in which these were counted
 *
 * The interval stays open: on_new_sample() will see these counts, too.
 *
 * Context: hard interrupt, interrupts disabled; no callback of the thread runs meanwhile.
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
	/* A sample by events may have ended the turn of the set. */
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
 * pmct_mmon_is_counted() - is a thread counted with the module's event sets?
 * @ctx: the thread
 *
 * Context: any callback.
 * Return: true, or false if a user chose other sets.
 */
bool pmct_mmon_is_counted(const struct pmct_ctx *ctx)
{
	return pmct_mmon_where_now(ctx);
}
EXPORT_SYMBOL_GPL(pmct_mmon_is_counted);

/**
 * pmct_mmon_counted() - events of a thread in the open interval, up to the last read
 * @ctx: the thread
 * @event: index of the event in monitoring_module::events
 *
 * Context: on_address() and on_switch_out(); the counters are read before these.
 * Return: the events; 0 if the present set does not count this event, or is not the module's.
 */
u64 pmct_mmon_counted(const struct pmct_ctx *ctx, unsigned int event)
{
	const u8 *where = pmct_mmon_where_now(ctx);

	if (!where || event >= PMCT_MAX_MMON_EVENTS || where[event] >= ctx->set->nr)
		return 0;
	return ctx->sum[where[event]];
}
EXPORT_SYMBOL_GPL(pmct_mmon_counted);

/**
 * pmct_mmon_counted_ns() - the time in which pmct_mmon_counted() was counted
 * @ctx: the thread
 *
 * Context: as pmct_mmon_counted().
 * Return: ns of the thread's CPU time in the open interval.
 */
u64 pmct_mmon_counted_ns(const struct pmct_ctx *ctx)
{
	return pmct_clock_to_ns(ctx->clock);
}
EXPORT_SYMBOL_GPL(pmct_mmon_counted_ns);

/**
 * pmct_mmon_program() - which program a thread executes
 * @ctx: the thread
 * @id: result
 *
 * A file counts as the same while its place, its size and the time of its last change are the same.
 *
 * Context: on_tick(), and other callbacks that run on the thread itself.
 * Return: false if it is a CPU or a kernel thread, is not on this CPU, or cannot be counted.
 */
bool pmct_mmon_program(const struct pmct_ctx *ctx, struct pmct_program_id *id)
{
	if (ctx->task != current || !current->mm)
		return false;
	if (pmct_backend->user_program)
		return pmct_backend->user_program(id);
	id->text = current->mm->start_code;
	id->text_size = current->mm->end_code - current->mm->start_code;
	return pmct_exe_content(current->mm, &id->content);
}
EXPORT_SYMBOL_GPL(pmct_mmon_program);

/**
 * pmct_mmon_core_type_now() - the core type on which a thread is counted
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
