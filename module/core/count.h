/* SPDX-License-Identifier: GPL-2.0-only */
/* Counting: the hooks of the hot path, and threads that start and stop their own counting. */
#ifndef _PMCT_COUNT_H
#define _PMCT_COUNT_H

#include "objects.h"

void pmct_sched_out(void *ctx, int cpu);
void pmct_sched_in(void *ctx, int cpu);
void pmct_tick(void *ctx, int cpu);
bool pmct_overflow(void);
void pmct_count_begin(struct pmct_ctx *ctx);
void pmct_count_end(struct pmct_ctx *ctx, u16 record_flags);
long pmct_count_start(struct pmct_session *s);
long pmct_count_stop(struct pmct_session *s);
long pmct_count_start_user_read(struct pmct_session *s);
long pmct_count_stop_user_read(struct pmct_session *s);
void pmct_count_exit(void);

#endif /* _PMCT_COUNT_H */
