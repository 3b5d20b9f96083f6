/* SPDX-License-Identifier: GPL-2.0-only */
/* The hot path for counters that can overflow. */
#ifndef _PMCT_NARROW_H
#define _PMCT_NARROW_H

#include "objects.h"
#include "turn.h"

void pmct_account_narrow(struct pmct_cpu *cs, struct pmct_ctx *ctx, const struct pmct_hwset *set,
			 const u64 *last, const u64 *now, u64 overflow);
void pmct_read_start_narrow(struct pmct_cpu *cs, struct pmct_ctx *ctx);

#endif /* _PMCT_NARROW_H */
