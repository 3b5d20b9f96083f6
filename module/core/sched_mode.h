/* SPDX-License-Identifier: GPL-2.0-only */
/* What schedulers in the kernel want and get. */
#ifndef _PMCT_SCHED_MODE_H
#define _PMCT_SCHED_MODE_H

struct pmct_ctx;

void pmct_sched_mode_init(void);
void pmct_sched_mode_exit(void);
void pmct_sched_mode_end(void);
void pmct_sched_mode_tick(struct pmct_ctx *ctx);

#endif /* _PMCT_SCHED_MODE_H */
