// SPDX-License-Identifier: GPL-2.0-only
/*
 * Counters that a thread reads itself, without a system call (struct pmctrack_user_read). The page
 * has an offset to add to each register. When the thread leaves a CPU, the register's value is
 * added to the offset. When it enters, the value is subtracted. So the sum only grows. Ticks and
 * interrupts do not change it, because counters run freely.
 *
 * A user who writes to the page can only falsify the user's own values.
 */
#include <linux/lockdep.h>

#include "../compat/sysctl.h"
#include "config.h"
#include "owner.h"
#include "user_read.h"

/* The kernel's own setting; kernels without it do not allow reads of counters at all. */
static bool pmct_user_read_allowed(void)
{
	int allowed;

	return !pmct_sysctl("proc/sys/kernel/perf_user_access", &allowed) && allowed;
}

/**
 * pmct_user_read_check() - check that the thread of a session can read its counters
 * @s: the session, with its flags and event sets
 * @msg: on failure, the reason
 *
 * Return: 0, -EINVAL, -EACCES or -EOPNOTSUPP.
 */
int pmct_user_read_check(const struct pmct_session *s, struct pmct_msg *msg)
{
	unsigned int type;

	if (s->flags != PMCTRACK_SESSION_USER_READ)
		return pmct_refuse(msg, -EINVAL,
				   "direct reads of counters are for the calling thread alone");
	if (!READ_ONCE(pmct_config.user_read))
		return pmct_refuse(msg, -EACCES,
				   "direct reads of counters are switched off (user_read in /proc/pmc/config)");
	if (!pmct_backend->user_access)
		return pmct_refuse(msg, -EOPNOTSUPP,
				   "this PMU has no direct reads of counters");
	if (!pmct_user_read_allowed())
		return pmct_refuse(msg, -EACCES,
				   "direct reads of counters are not allowed: kernel.perf_user_access is 0; set it to 1 with sysctl");
	for (type = 0; type < ARRAY_SIZE(s->sets.of); type++) {
		if (s->sets.nr[type] > 1)
			return pmct_refuse(msg, -EINVAL,
					   "direct reads of counters need a single event set");
		if (s->sets.nr[type] && s->sets.of[type][0].narrow)
			return pmct_refuse(msg, -EOPNOTSUPP,
					   "direct reads need 64-bit counters that do not sample");
	}
	return 0;
}

static void pmct_user_read_update(struct pmct_ctx *ctx, const u64 *values, u32 counters)
{
	struct pmctrack_user_read *page = &ctx->session->rings.ctl->user_read;
	const struct pmct_hwset *set = ctx->set;
	unsigned int i;

	lockdep_assert_irqs_disabled();

	WRITE_ONCE(page->seq, page->seq + 1);
	/* The reader is the thread that this interrupts, so no CPU barriers are needed. */
	barrier();
	for (i = 0; i < set->nr; i++)
		page->offset[set->counter[i]] += counters ? -values[i] : values[i];
	page->counters = counters;
	barrier();
	WRITE_ONCE(page->seq, page->seq + 1);
}

/*
 * The thread is on this CPU, and its set on the hardware, whose counters are 0 now. Interrupts
 * disabled.
 */
void pmct_user_read_enter(const struct pmct_cpu *cs, struct pmct_ctx *ctx)
{
	if (ctx->set->nr)
		pmct_user_read_update(ctx, cs->last, ctx->set->counters);
}

/* The thread leaves this CPU, and its counts are up to date. Interrupts disabled. */
void pmct_user_read_leave(const struct pmct_cpu *cs, struct pmct_ctx *ctx)
{
	const struct pmctrack_user_read *page = &ctx->session->rings.ctl->user_read;

	/* A CPU without counters has no access to take back, and no such register. */
	if (!ctx->set->nr)
		return;
	pmct_backend->user_access(NULL);
	if (READ_ONCE(page->counters))
		pmct_user_read_update(ctx, cs->last, 0);
}
