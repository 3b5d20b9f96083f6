// SPDX-License-Identifier: GPL-2.0-only
/*
 * A bound for the share of a CPU's time that samples by events take, as perf has
 * one (kernel.perf_cpu_time_max_percent). No control group pays for interrupts:
 * without a bound, short windows of one user would take the CPU from others.
 *
 * Each CPU has an account. It grows by the allowed share of the time that passes,
 * and each sample is charged. While the account is overdrawn, the next window of
 * a thread is made so long that it lasts until the debt is paid, at the rate of
 * events that the thread had in its last window. That rate is too low, because
 * it includes the time of the sample itself; then a debt is left, and the window
 * after that is longer still, until both agree.
 */
#include <linux/bits.h>
#include <linux/cache.h>
#include <linux/irq_work.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/preempt.h>
#include <linux/time64.h>

#include "../compat/clock.h"
#include "ebs_limit.h"

/* Saved time that may be spent at once. */
#define PMCT_EBS_BURST_US	1000
#define PMCT_EBS_ROUNDS		16
/* An interrupt that seems to take longer was held up by something else. */
#define PMCT_EBS_LONGEST_US	200

/* No debt is longer than so many bursts: it delays the samples of others, too. */
#define PMCT_EBS_MOST_DEBT	100
/* Longer windows would not be noticed to be any. */
#define PMCT_EBS_LONGEST_WINDOW	BIT_ULL(40)

struct pmct_ebs_machine pmct_ebs_machine __read_mostly;

static bool pmct_ebs_done;

static void pmct_ebs_interrupted(struct irq_work *work)
{
	WRITE_ONCE(pmct_ebs_done, true);
}

/* What an interrupt costs here that does nothing, in clock ticks. */
static u64 pmct_ebs_measure_interrupt(void)
{
	static struct irq_work work;
	u64 least = U64_MAX;
	unsigned int i;

	work = IRQ_WORK_INIT_HARD(pmct_ebs_interrupted);
	for (i = 0; i < PMCT_EBS_ROUNDS; i++) {
		u64 begin;

		preempt_disable();
		WRITE_ONCE(pmct_ebs_done, false);
		begin = pmct_clock();
		irq_work_queue(&work);
		while (!READ_ONCE(pmct_ebs_done))
			cpu_relax();
		least = min(least, pmct_clock() - begin);
		preempt_enable();
		irq_work_sync(&work);
	}
	return least;
}

/**
 * pmct_ebs_limit_init() - find out what interrupts take on this machine
 * @interrupts: how many of them a sample has
 *
 * Their entry and exit cannot be seen from within.
 *
 * Context: process context, after pmct_clock_init(); may sleep.
 */
void pmct_ebs_limit_init(unsigned int interrupts)
{
	u64 us = div_u64(pmct_clock_hz(), USEC_PER_SEC) ?: 1;

	pmct_ebs_machine.burst = min_t(u64, us * PMCT_EBS_BURST_US, U32_MAX);
	pmct_ebs_machine.interrupts = interrupts * min(pmct_ebs_measure_interrupt(),
						       us * PMCT_EBS_LONGEST_US);
}

static bool pmct_ebs_is_free(u32 percent)
{
	return !percent || percent >= 100;
}

static void pmct_ebs_limit_update(struct pmct_ebs_limit *limit, u64 now, u32 percent)
{
	u64 burst = div_u64((u64)pmct_ebs_machine.burst * percent, 100);
	/* More than a burst does not count; this keeps the product within 64 bits. */
	u64 passed = min_t(u64, now - limit->since, U32_MAX);

	limit->since = now;
	limit->left = min_t(s64, limit->left + div_u64(passed * percent, 100), burst);
}

/**
 * pmct_ebs_limit_charge() - a sample was taken
 * @limit: of this CPU
 * @begin: clock at which its handler began
 * @end: and ended
 * @percent: share of the time that samples may take
 *
 * Context: interrupts disabled.
 */
void pmct_ebs_limit_charge(struct pmct_ebs_limit *limit, u64 begin, u64 end, u32 percent)
{
	if (pmct_ebs_is_free(percent)) {
		limit->since = end;
		limit->left = 0;
		return;
	}
	limit->took = min_t(u64, end - begin + pmct_ebs_machine.interrupts, pmct_ebs_machine.burst);
	pmct_ebs_limit_update(limit, end, percent);
	limit->left = max_t(s64, limit->left - limit->took,
			    -(s64)pmct_ebs_machine.burst * PMCT_EBS_MOST_DEBT);
}

/**
 * pmct_ebs_limit_window() - how many events the next window must have at least
 * @limit: of this CPU, whose present sample is not charged yet
 * @now: clock
 * @percent: share of the time that samples may take; 0, 100: no limit
 * @events: of the window that is over
 * @ticks: how long that was, in clock ticks of the thread on a CPU
 *
 * Context: interrupts disabled.
 * Return: 0 if it may be as short as it likes.
 */
u64 pmct_ebs_limit_window(struct pmct_ebs_limit *limit, u64 now, u32 percent, u64 events,
			  u64 ticks)
{
	s64 debt;
	u64 wait;

	if (pmct_ebs_is_free(percent))
		return 0;
	pmct_ebs_limit_update(limit, now, percent);
	debt = limit->took - limit->left;
	/* A window of so many events is none that takes the CPU. */
	if (debt <= 0 || events > U32_MAX)
		return 0;
	wait = min_t(u64, div_u64(debt * 100, percent), U32_MAX);
	return min(div64_u64(wait * events, ticks ?: 1), PMCT_EBS_LONGEST_WINDOW);
}
