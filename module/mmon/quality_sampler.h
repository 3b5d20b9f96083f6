/* SPDX-License-Identifier: GPL-2.0-only */
/* Samples of threads that run alone for a moment. */
#ifndef _PMCT_QUALITY_SAMPLER_H
#define _PMCT_QUALITY_SAMPLER_H

#include <pmctrack/mmon.h>

#include "quality_rate.h"

/**
 * struct quality_thread - what the module keeps of a thread
 * @a: Quality Time so far, and what it is computed from
 * @reported_ns: Quality Time of closed intervals
 * @explained_ns: CPU time that @reported_ns explains
 * @waited_ns: time in run queues, in closed intervals
 * @closed: what the thread did in closed intervals
 * @sampled_ns: when the thread was last sampled; 0: never
 * @sample: number of the sample that the thread takes part in; 0: none
 * @cpu: where that sample is taken
 */
struct quality_thread {
	struct pmct_quality_account a;
	u64 reported_ns;
	u64 explained_ns;
	u64 waited_ns;
	struct pmct_quality_part closed;
	u64 sampled_ns;
	u64 sample;
	int cpu;
};

/**
 * struct quality_stats - counters of samples
 * @asked: how often the timer looked for a thread to sample
 * @nobody: no thread that is to be sampled was running
 * @busy: CPUs were still held
 * @begun: holds
 * @good: samples of threads that were used
 * @switched: the sample was too short: the thread left its CPU, or changed its event set, or others
 *	ran where a thread of its process had run
 * @late: a CPU came too late, or others ran there
 * @useless: nothing was counted, or the sample was short and there is a better one
 */
struct quality_stats {
	u64 asked;
	u64 nobody;
	u64 busy;
	u64 begun;
	atomic64_t good;
	atomic64_t switched;
	atomic64_t late;
	atomic64_t useless;
};

extern struct quality_stats pmct_quality_stats;
extern unsigned int pmct_quality_hold_us;
extern unsigned int pmct_quality_budget;

int pmct_quality_sampler_start(void);
void pmct_quality_sampler_stop(void);
void pmct_quality_sampler_enter(struct pmct_ctx *ctx, struct quality_thread *t);
void pmct_quality_sampler_leave(void);
bool pmct_quality_sampler_is_here(const struct pmct_ctx *ctx);
void pmct_quality_sampler_forget(const struct pmct_ctx *ctx);
void pmct_quality_sampler_finish(struct quality_thread *t, enum pmct_quality_event event);
bool pmct_quality_now(const struct pmct_ctx *ctx, struct pmct_quality_part *part);

#endif /* _PMCT_QUALITY_SAMPLER_H */
