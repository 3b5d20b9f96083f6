/* SPDX-License-Identifier: GPL-2.0-only */
/* How long an event has counted; perf's own function for it is not exported. */
#ifndef _PMCT_COMPAT_PERF_EVENT_H
#define _PMCT_COMPAT_PERF_EVENT_H

#include <linux/perf_event.h>

/* The clock of the event's context, which struct perf_time_ctx has from Linux 7.0 on. */
#ifdef PMCT_HAVE_PERF_TIME_CTX
#define pmct_perf_offset(ctx)	READ_ONCE((ctx)->time.offset)
#else
#define pmct_perf_offset(ctx)	READ_ONCE((ctx)->timeoffset)
#endif

/**
 * pmct_perf_running() - the time for which a CPU's event has been on its PMU
 * @event: an event of this CPU
 * @now: local_clock()
 *
 * Context: interrupts disabled, so that perf does not schedule events.
 * Return: nanoseconds.
 */
static inline u64 pmct_perf_running(const struct perf_event *event, u64 now)
{
	u64 running = event->total_time_running;

	if (event->state == PERF_EVENT_STATE_ACTIVE)
		running += now + pmct_perf_offset(event->ctx) - event->tstamp;
	return running;
}

#endif /* _PMCT_COMPAT_PERF_EVENT_H */
