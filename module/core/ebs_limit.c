// SPDX-License-Identifier: GPL-2.0-only
/*
 * A limit for the share of a CPU's time that samples by events take, like perf's
 * (kernel.perf_cpu_time_max_percent). Interrupts are not charged to a control group, so without a
 * limit, short windows of one user would take the CPU from others.
 *
 * Each CPU has an account. It grows by the allowed share of the time that passes, and each sample
 * is charged to it. If the account is overdrawn, the next window of a thread is made longer, so
 * that it lasts until the debt is paid. Its length follows from the rate of events in the thread's
 * last window. That rate is too low, because it includes the time of the sample itself. Then a debt
 * is left, and the window after that is longer still, until both agree.
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

/* Saved time that can be spent at once. */
#define PMCT_EBS_BURST_US	1000
#define PMCT_EBS_ROUNDS		16
/* If an interrupt seems to take longer, something else has delayed it. */
#define PMCT_EBS_LONGEST_US	200

/* Limit of the debt, in bursts, because the debt delays the samples of other threads, too. */
#define PMCT_EBS_MOST_DEBT	100
/* Longer windows would have no visible effect. */
#define PMCT_EBS_LONGEST_WINDOW	BIT_ULL(40)

struct pmct_ebs_machine pmct_ebs_machine __read_mostly;

static bool pmct_ebs_done;

static void pmct_ebs_interrupted(struct irq_work *work)
{
	WRITE_ONCE(pmct_ebs_done, true);
}

/* Time that an interrupt without work takes here, in clock ticks. */
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
 * pmct_ebs_limit_init() - measure how long interrupts take on this machine
 * @interrupts: number of interrupts of a sample
 *
 * A handler cannot measure its own entry and exit.
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
	/* More than a burst does not count. This keeps the product within 64 bits. */
	u64 passed = min_t(u64, now - limit->since, U32_MAX);

	limit->since = now;
	limit->left = min_t(s64, limit->left + div_u64(passed * percent, 100), burst);
}

/**
 * pmct_ebs_limit_charge() - charge a sample
 * @limit: limit of this CPU
 * @begin: clock at which its handler began
 * @end: clock at which its handler ended
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
 * pmct_ebs_limit_window() - the least number of events of the next window
 * @limit: limit of this CPU, whose present sample is not charged yet
 * @now: clock
 * @percent: share of the time that samples may take; 0, 100: no limit
 * @events: number of events of the last window
 * @ticks: length of the last window, in clock ticks of the thread on a CPU
 *
 * Context: interrupts disabled.
 * Return: the number of events; 0 if the window may have any length.
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
	/* A window of so many events does not take the CPU. */
	if (debt <= 0 || events > U32_MAX)
		return 0;
	wait = min_t(u64, div_u64(debt * 100, percent), U32_MAX);
	return min(div64_u64(wait * events, ticks ?: 1), PMCT_EBS_LONGEST_WINDOW);
}
