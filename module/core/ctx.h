/* SPDX-License-Identifier: GPL-2.0-only */
/* Life of a thread's context. */
#ifndef _PMCT_CTX_H
#define _PMCT_CTX_H

#include "objects.h"

struct pmct_ctx *pmct_ctx_alloc(struct pmct_session *s, struct task_struct *task,
				enum pmct_ctx_state state, gfp_t gfp);
bool pmct_ctx_join(struct pmct_ctx *ctx);
void pmct_ctx_unlist(struct pmct_ctx *ctx);
void pmct_ctx_count_one_less(struct pmct_session *s);
struct pmct_ctx *pmct_ctx_add_cpu(struct pmct_session *s, unsigned int cpu);
bool pmct_ctx_adopt(struct pmct_ctx *ctx);
void pmct_ctx_end(struct pmct_ctx *ctx, u16 record_flags);
struct pmct_ctx *pmct_ctx_fork(struct task_struct *child, bool thread, gfp_t gfp);
void pmct_ctx_disown(struct pmct_ctx *ctx);
void pmct_ctx_exec(struct task_struct *task);
void pmct_ctx_exit(struct task_struct *task);
void pmct_ctx_free(struct task_struct *task);

#endif /* _PMCT_CTX_H */
