/* SPDX-License-Identifier: GPL-2.0-only */
/* The hot part of hooks_tracepoint.c; see hooks.h. */
#ifndef _PMCT_HOOKS_TRACEPOINT_H
#define _PMCT_HOOKS_TRACEPOINT_H

#include <linux/types.h>

struct pmct_ctx;
struct task_struct;

struct pmct_ctx *pmct_tracepoint_ctx(const struct task_struct *task);
void pmct_tracepoint_deliver(struct task_struct *task, struct pmct_ctx *ctx, bool deliver);
void pmct_tracepoint_start_tick(void);
void pmct_tracepoint_stop_tick(void);

#endif /* _PMCT_HOOKS_TRACEPOINT_H */
