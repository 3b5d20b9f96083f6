/* SPDX-License-Identifier: GPL-2.0-only */
/* Life of a thread's context. */
#ifndef _PMCT_CTX_H
#define _PMCT_CTX_H

#include "objects.h"

/**
 * typedef pmct_ctx_tie_fn - tie a new context to its task, in one step
 * @s: the session of the context
 * @task: the task; the caller holds it
 * @ctx: the context
 *
 * Return: false if the task keeps the context that it has.
 */
typedef bool pmct_ctx_tie_fn(struct pmct_session *s, struct task_struct *task,
			     struct pmct_ctx *ctx);

struct pmct_ctx *pmct_ctx_attach(struct pmct_session *s, struct task_struct *task,
				 enum pmct_ctx_state state, pmct_ctx_tie_fn *tie,
				 struct pmct_msg *msg);
bool pmct_ctx_tie_free(struct pmct_session *s, struct task_struct *task, struct pmct_ctx *ctx);
struct pmct_ctx *pmct_ctx_add_cpu(struct pmct_session *s, unsigned int cpu);
bool pmct_ctx_evict(struct pmct_session *s, struct task_struct *task,
		    struct pmct_ctx *successor, enum pmctrack_record_kind kind);
void pmct_ctx_detach_all(struct pmct_session *s, enum pmctrack_record_kind kind);
struct pmct_ctx *pmct_ctx_fork(struct task_struct *child, bool thread, gfp_t gfp);
void pmct_ctx_disown(struct pmct_ctx *ctx);
void pmct_ctx_exec(struct task_struct *task);
void pmct_ctx_exit(struct task_struct *task);
void pmct_ctx_free(struct task_struct *task);

#endif /* _PMCT_CTX_H */
