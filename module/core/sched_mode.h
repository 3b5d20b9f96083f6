/* SPDX-License-Identifier: GPL-2.0-only */
/* What schedulers in the kernel want and get. */
#ifndef _PMCT_SCHED_MODE_H
#define _PMCT_SCHED_MODE_H

#include <linux/types.h>

struct pmct_ctx;
struct task_struct;

void pmct_sched_mode_init(void);
void pmct_sched_mode_exit(void);
void pmct_sched_mode_end(void);
bool pmct_sched_mode_yield(struct task_struct *task, struct pmct_ctx *successor);

#endif /* _PMCT_SCHED_MODE_H */
