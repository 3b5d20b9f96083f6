/* SPDX-License-Identifier: GPL-2.0-only */
/* Monitoring of threads for schedulers in the kernel. */
#ifndef _PMCT_SCHED_MODE_H
#define _PMCT_SCHED_MODE_H

#include <linux/types.h>

struct pmct_ctx;
struct task_struct;

void pmct_sched_mode_init(void);
void pmct_sched_mode_exit(void);
void pmct_sched_mode_end(void);
void pmct_sched_mode_tick(struct pmct_ctx *ctx);

int pmct_sched_mode_arm(void);
void pmct_sched_mode_disarm(void);
void pmct_sched_mode_wants(const struct task_struct *task);
void pmct_sched_mode_look(void);
bool pmct_sched_mode_waits(void);

#endif /* _PMCT_SCHED_MODE_H */
