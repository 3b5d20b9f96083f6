// SPDX-License-Identifier: GPL-2.0-only
/*
 * Turns: which event set a thread is counted with next, and which set the hardware of each CPU
 * holds (struct pmct_cpu).
 */
#include "turn.h"

DEFINE_PER_CPU(struct pmct_cpu, pmct_cpu);

/* Begin the first window of a turn. */
static void pmct_ctx_begin_window(struct pmct_ctx *ctx, const struct pmct_hwset *set)
{
	u32 windows = max(ctx->ebs[set->index].windows, 1);

	ctx->ebs_left = set->ebs * windows;
	ctx->ebs_widened = windows > 1;
}

/* From now on the thread runs on CPUs of @core_type. No interval is open. */
void pmct_ctx_use_core_type(struct pmct_ctx *ctx, u8 core_type)
{
	struct pmct_session *s = ctx->session;
	const struct pmct_hwset *set = &s->sets.of[core_type][ctx->turn[core_type]];

	ctx->set = set;
	ctx->next_turn = (ctx->turn[core_type] + 1) % max_t(u8, s->sets.nr[core_type], 1);
	pmct_ctx_begin_window(ctx, set);
	/* pmct_add() may have written one more sum than an odd set has; this set may be larger. */
	memset(ctx->sum, 0, s->sets.nr_counters * sizeof(ctx->sum[0]));
	/* If a virtual counter has no value, its room stays unused. */
	ctx->head.size = pmct_record_size(set->nr + hweight32(s->virt));
	ctx->head.core_type = core_type;
	ctx->head.set = set->index;
	ctx->head.nr_counts = set->nr;
	ctx->head.counters = set->counters;
}

/*
 * Called after an interval was closed: the next set of this core type takes its turn. A set keeps
 * its turn while its record waits for room, because a merged record is of one set.
 */
void pmct_ctx_next_set(struct pmct_ctx *ctx)
{
	u8 core_type = ctx->head.core_type;
	u8 nr = ctx->session->sets.nr[core_type];

	if (nr <= 1 || ctx->merged)
		return;
	ctx->turn[core_type] = ctx->next_turn;
	pmct_ctx_use_core_type(ctx, core_type);
}

/* Called before anything is counted. */
void pmct_turn_init(void)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		struct pmct_cpu *cs = per_cpu_ptr(&pmct_cpu, cpu);

		cs->last = cs->values[0];
		cs->next = cs->values[1];
	}
}
