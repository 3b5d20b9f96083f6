/* SPDX-License-Identifier: GPL-2.0-only */
/* The active monitoring module, as the rest of the core sees it. */
#ifndef _PMCT_MMON_CORE_H
#define _PMCT_MMON_CORE_H

#include <linux/rcupdate.h>
#include <pmctrack/mmon.h>

#include "core.h"

/* Dereferenced with interrupts disabled, or inside pmct_hooks::synchronize()'s readers. */
extern struct monitoring_module __rcu *pmct_mmon;

extern struct rw_semaphore pmct_mmon_sem;

struct seq_file;

bool pmct_mmon_name_ok(const char *name);
int pmct_mmon_select(const char *name);
void pmct_mmon_show(struct seq_file *m);
void pmct_mmon_lock(void);
void pmct_mmon_unlock(void);
const struct monitoring_module *pmct_mmon_active(void);

void pmct_mmon_enter(struct pmct_ctx *ctx, const struct pmct_ctx *parent);
void pmct_mmon_exit(struct pmct_ctx *ctx);
void pmct_mmon_exec(struct pmct_ctx *ctx);
void pmct_mmon_tick(struct pmct_ctx *ctx, int cpu);
void pmct_mmon_switch_in(struct pmct_ctx *ctx, int cpu);
void pmct_mmon_switch_out(struct pmct_ctx *ctx, int cpu);
void pmct_mmon_sample(struct monitoring_module *mm, struct pmct_ctx *ctx,
		      struct pmctrack_record *rec);
int pmct_mmon_metric(const struct pmct_ctx *ctx, int key, u64 *value);

#endif /* _PMCT_MMON_CORE_H */
