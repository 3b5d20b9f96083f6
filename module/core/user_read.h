/* SPDX-License-Identifier: GPL-2.0-only */
/* Counters that a thread reads itself. */
#ifndef _PMCT_USER_READ_H
#define _PMCT_USER_READ_H

#include "objects.h"
#include "turn.h"

int pmct_user_read_check(const struct pmct_session *s, struct pmct_msg *msg);
void pmct_user_read_enter(const struct pmct_cpu *cs, struct pmct_ctx *ctx);
void pmct_user_read_leave(const struct pmct_cpu *cs, struct pmct_ctx *ctx);

#endif /* _PMCT_USER_READ_H */
