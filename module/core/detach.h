/* SPDX-License-Identifier: GPL-2.0-only */
/* Detaching threads from their session. */
#ifndef _PMCT_DETACH_H
#define _PMCT_DETACH_H

#include "objects.h"

typedef void pmct_ctx_fn(struct pmct_ctx *ctx, void *arg);

void pmct_detach_each(struct pmct_session *s, pmct_ctx_fn *fn, void *arg);
void pmct_detach_all(struct pmct_session *s, enum pmctrack_record_kind kind);
bool pmct_detach_one(struct pmct_session *s, struct task_struct *task, struct list_head *untied);
bool pmct_detach_ask(struct pmct_session *s, struct task_struct *task);
void pmct_detach_wait_asked(void);
bool pmct_detach_hand_over(struct pmct_session *s, struct task_struct *task,
			   struct pmct_ctx *successor, struct list_head *untied);
void pmct_detach_dispose(struct list_head *untied, enum pmctrack_record_kind kind);

#endif /* _PMCT_DETACH_H */
