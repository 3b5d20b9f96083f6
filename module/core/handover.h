/* SPDX-License-Identifier: GPL-2.0-only */
/* Counters that pass to another context without a switch. */
#ifndef _PMCT_HANDOVER_H
#define _PMCT_HANDOVER_H

#include "objects.h"

struct cpumask;

void pmct_count_enter_cpus(struct pmct_session *s, const struct cpumask *cpus);
void pmct_count_drop_session(struct pmct_session *s);
void pmct_count_drop_detaching(void);
void pmct_count_close(struct pmct_ctx *ctx, enum pmctrack_record_kind kind);
void pmct_count_base_on(struct pmct_ctx *ctx);
void pmct_count_base_off(struct pmct_ctx *ctx);
void pmct_count_base_refresh(struct pmct_ctx *ctx);
void pmct_count_forget_cpu(void);
void pmct_count_power_down(void);
void pmct_count_power_up(void);
void pmct_count_suspend(void);
void pmct_count_resume(void);

#endif /* _PMCT_HANDOVER_H */
