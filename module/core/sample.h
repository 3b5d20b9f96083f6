/* SPDX-License-Identifier: GPL-2.0-only */
/* The only code that closes an interval. */
#ifndef _PMCT_SAMPLE_H
#define _PMCT_SAMPLE_H

#include "objects.h"

void pmct_sample_init(void);
void pmct_sample_close(struct pmct_ctx *ctx, enum pmctrack_record_kind kind, u16 flags);
void pmct_sample_wake(struct pmct_session *s);
void pmct_sample_name_thread(struct pmct_ctx *ctx);
u64 pmct_clock_to_ns(u64 clock);

#endif /* _PMCT_SAMPLE_H */
