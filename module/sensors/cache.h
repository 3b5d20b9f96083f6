/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which application has which RMID, and which CPU has been told so. For monitoring modules; it is
 * part of pmctrack.ko.
 */
#ifndef _PMCT_CACHE_H
#define _PMCT_CACHE_H

#include <pmctrack/mmon.h>

#include "rmids.h"

/**
 * struct pmct_cache_thread - data of a thread; all zero at first
 * @rmid: RMID of its application; 0: none
 * @asked: an RMID was asked for; if @rmid is 0, there was none, or it is not wanted
 * @domain: where the sums were read, if @when is not 0
 * @when: when they were read, ns
 * @asleep: how long the machine had slept by then, ns
 * @sum: the sums at that time
 * @since: when the interval began; 0: its bytes are not known
 * @moved: bytes from @since to @when
 */
struct pmct_cache_thread {
	u16 rmid;
	bool asked;
	int domain;
	u64 when;
	u64 asleep;
	u64 sum[PMCT_NR_CACHE_EVENTS];
	u64 since;
	u64 moved[PMCT_NR_CACHE_EVENTS];
};

/**
 * struct pmct_cache_interval - what is known of a thread's application in an interval
 * @mask: mask of the values that exist
 * @value: by enum pmct_cache_event: bytes, bytes per second, bytes per second
 */
struct pmct_cache_interval {
	u32 mask;
	u64 value[PMCT_NR_CACHE_EVENTS];
};

int pmct_cache_start(const char *user, enum pmct_rmid_policy policy, bool waits);
void pmct_cache_stop(void);
bool pmct_cache_has(enum pmct_cache_event event);

void pmct_cache_on_enter(const struct pmct_ctx *ctx, struct pmct_cache_thread *t);
void pmct_cache_on_exit(struct pmct_ctx *ctx, struct pmct_cache_thread *t);
void pmct_cache_on_switch_in(const struct pmct_ctx *ctx, struct pmct_cache_thread *t);
void pmct_cache_on_switch_out(void);
void pmct_cache_on_tick(const struct pmct_ctx *ctx, struct pmct_cache_thread *t);
void pmct_cache_sample(struct pmct_ctx *ctx, struct pmct_cache_thread *t,
		       struct pmct_cache_interval *interval);
void pmct_cache_show(struct seq_file *m);

#endif /* _PMCT_CACHE_H */
