// SPDX-License-Identifier: GPL-2.0-only
/*
 * The only code that closes an interval: it turns the sums of a context into a record in the ring
 * of its session.
 */
#include <linux/math64.h>
#include <linux/clocksource.h>
#include <linux/timekeeping.h>

#include "../compat/clock.h"
#include "mmon_call.h"
#include "sample.h"
#include "turn.h"

static u32 pmct_clock_mult, pmct_clock_shift, pmct_time_max_age;

void pmct_sample_init(void)
{
	u32 scale = 1;
	u64 hz;

	pmct_clock_init();
	hz = pmct_clock_hz();
	/* The frequency of such fast clocks is used in kHz. */
	if (hz > U32_MAX)
		scale = 1000;
	/* Exact to 1 in 2^32 for intervals of up to ten minutes. */
	clocks_calc_mult_shift(&pmct_clock_mult, &pmct_clock_shift, div_u64(hz, scale),
			       NSEC_PER_SEC / scale, 600);
	pmct_time_max_age = div_u64(hz, MSEC_PER_SEC);
}

/* Clock ticks to nanoseconds. Any context. */
u64 pmct_clock_to_ns(u64 clock)
{
	if (likely(clock <= U32_MAX))
		return (clock * pmct_clock_mult) >> pmct_clock_shift;
	return mul_u64_u32_shr(clock, pmct_clock_mult, pmct_clock_shift);
}

/*
 * The time of the last read of the counters, CLOCK_MONOTONIC. Asking the timekeeper costs more than
 * the rest of a record, so each CPU asks at most once per millisecond. In between, if the clock is
 * slewed (by 500 ppm at most), the error is less than a microsecond.
 */
static u64 pmct_time_ns(struct pmct_cpu *cs)
{
	u64 age = cs->clock - cs->time_clock;

	if (unlikely(age > pmct_time_max_age)) {
		cs->time_clock = pmct_clock();
		cs->time_ns = ktime_get_mono_fast_ns();
		return cs->time_ns;
	}
	return cs->time_ns + pmct_clock_to_ns(age);
}

/* Set the thread's IDs. An exec may have changed them, see pmct_ctx_exec(). */
noinline void pmct_sample_name_thread(struct pmct_ctx *ctx)
{
	ctx->head.tid = task_pid_nr_ns(ctx->task, ctx->session->pid_ns);
	ctx->head.tgid = task_tgid_nr_ns(ctx->task, ctx->session->pid_ns);
}

/* For a CPU: the time for which its target was there in the interval. */
static u64 pmct_end_run(const struct pmct_cpu *cs, struct pmct_ctx *ctx)
{
	u64 run = ctx->run;

	if (ctx->run_since) {
		run += cs->clock - ctx->run_since;
		ctx->run_since = cs->clock;
	}
	ctx->run = 0;
	return run;
}

/* Move the open interval into @rec, and begin the next one. */
static __always_inline void pmct_fill_record(struct pmctrack_record *rec, struct pmct_ctx *ctx,
					     enum pmctrack_record_kind kind, u16 flags,
					     u64 *ring_time)
{
	struct pmct_cpu *cs = this_cpu_ptr(&pmct_cpu);
	unsigned int nr = ctx->set->nr;
	unsigned int i;

	/*
	 * Clocks of two CPUs can differ by a microsecond. The reader merges by time, so times must
	 * ascend in a ring and for a thread: see pmct_rings_look().
	 */
	*ring_time = max3(*ring_time, ctx->head.time_ns + 1, pmct_time_ns(cs));
	ctx->head.time_ns = *ring_time;
	*rec = ctx->head;
	rec->kind = kind;
	rec->flags = flags | (ctx->merged ? PMCTRACK_RECORD_F_MERGED : 0);
	rec->hw_ns = pmct_clock_to_ns(ctx->clock);
	if (likely(ctx->task)) {
		rec->run_ns = rec->hw_ns;
		rec->cpu = task_cpu(ctx->task);
	} else {
		rec->run_ns = pmct_clock_to_ns(pmct_end_run(cs, ctx));
	}
	if (unlikely(ctx->missed)) {
		rec->hw_ns -= min(rec->hw_ns, ctx->missed);
		rec->flags |= ctx->disturbed ? PMCTRACK_RECORD_F_DISTURBED : 0;
		ctx->missed = 0;
		ctx->disturbed = false;
	}
	/* A CPU whose type has no set counts nothing, whatever the length of the interval. */
	if (unlikely(!nr))
		rec->hw_ns = 0;
	for (i = 0; i < nr; i++) {
		rec->counts[i] = ctx->sum[i];
		ctx->sum[i] = 0;
	}
	ctx->clock = 0;
}

/* The reader is too slow, and the thread has no later record that could have these events. */
static void pmct_account_lost(struct pmct_ring *ring, struct pmct_ctx *ctx)
{
	const struct pmct_hwset *set = ctx->set;
	u64 *lost;
	unsigned int i;

	lockdep_assert_irqs_disabled();

	ring->ctl->lost++;
	/* A CPU without usable counters has nothing to add. */
	lost = set->nr ? ring->ctl->lost_counts[set->core_type][set->index] : NULL;
	for (i = 0; i < set->nr; i++) {
		lost[set->counter[i]] += ctx->sum[i];
		ctx->sum[i] = 0;
	}
	ctx->clock = 0;
	ctx->missed = 0;
	ctx->disturbed = false;
	ctx->run = 0;
}

/* Close an interval of a session without a reader: only the monitoring module gets the record. */
static noinline void pmct_sample_unread(struct pmct_ctx *ctx, enum pmctrack_record_kind kind,
					u16 flags, struct monitoring_module *mm)
{
	union {
		struct pmctrack_record rec;
		u8 room[sizeof(struct pmctrack_record) + PMCTRACK_MAX_COUNTERS * sizeof(u64)];
	} u;
	u64 time = 0;

	pmct_fill_record(&u.rec, ctx, kind, flags, &time);
	if (mm)
		pmct_mmon_sample(mm, ctx, &u.rec);
}

/* Do not write again if it is set, because all CPUs share it. */
static void pmct_sample_wake_later(struct pmct_session *s)
{
	if (!READ_ONCE(s->wake_later))
		WRITE_ONCE(s->wake_later, true);
}

/**
 * pmct_sample_close() - close the open interval of a thread
 * @ctx: the thread, whose counts are up to date
 * @kind: the reason
 * @flags: enum pmctrack_record_flags
 *
 * If the record does not fit into the ring, the interval stays open, so that the next record holds
 * its events too. A last record that does not fit is lost: the ring says so, and has the sum of the
 * lost events.
 *
 * Context: interrupts disabled; the runqueue lock may be held, so readers are woken from interrupt
 * work.
 */
void pmct_sample_close(struct pmct_ctx *ctx, enum pmctrack_record_kind kind, u16 flags)
{
	struct pmct_session *s = ctx->session;
	struct monitoring_module *mm;
	struct pmct_ring *ring;
	struct pmctrack_record *rec;

	lockdep_assert_irqs_disabled();

	if (unlikely(!ctx->head.tid))
		pmct_sample_name_thread(ctx);

	mm = rcu_dereference_sched(pmct_mmon);
	if (unlikely(!s->rings.ring)) {
		pmct_sample_unread(ctx, kind, flags, mm);
		return;
	}
	ring = pmct_rings_here(&s->rings);
	rec = pmct_ring_reserve(ring, ctx->head.size);
	if (rec) {
		pmct_fill_record(rec, ctx, kind, flags, &ring->time_ns);
		if (unlikely(mm))
			pmct_mmon_sample(mm, ctx, rec);
		pmct_ring_commit(ring, rec);
		ctx->merged = false;
	} else if (kind == PMCTRACK_RECORD_EXIT || kind == PMCTRACK_RECORD_MIGRATION ||
		   kind == PMCTRACK_RECORD_DETACH || kind == PMCTRACK_RECORD_REVOKED) {
		pmct_account_lost(ring, ctx);
		ctx->merged = false;
	} else {
		ctx->merged = true;
	}

	if (!wq_has_sleeper(&s->wait))
		return;
	/* Samples by events come in large numbers, so their reader takes many at a time. */
	if (kind == PMCTRACK_RECORD_EBS && pmct_ring_used(ring) < ring->size / 4)
		pmct_sample_wake_later(s);
	else
		irq_work_queue(&s->wake);
}

/**
 * pmct_sample_wake() - wake the reader for samples by events
 * @s: the session; a thread of it has its tick, or leaves its CPU
 *
 * Context: interrupts disabled; the runqueue lock may be held.
 */
void pmct_sample_wake(struct pmct_session *s)
{
	if (!READ_ONCE(s->wake_later))
		return;
	/* If another CPU writes records from now on, that CPU's own tick wakes the reader. */
	WRITE_ONCE(s->wake_later, false);
	if (wq_has_sleeper(&s->wait))
		irq_work_queue(&s->wake);
}
