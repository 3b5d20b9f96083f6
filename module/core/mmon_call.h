/* SPDX-License-Identifier: GPL-2.0-only */
/* Calls to the active monitoring module. */
#ifndef _PMCT_MMON_CALL_H
#define _PMCT_MMON_CALL_H

#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/rwsem.h>
#include <pmctrack/mmon.h>

#include "objects.h"

#define PMCT_MMON_NAME	32

/**
 * struct pmct_mmon_sets - the event sets that a module has named
 * @nr_raw: number of raw strings
 * @raw: raw strings, one for each set and core type
 * @nr: number of sets of each core type
 * @where: for each set, the positions of the module's events in a record's counts: see
 *	pmct_event_names_map()
 *
 * Constant while the module is active.
 */
struct pmct_mmon_sets {
	unsigned int nr_raw;
	const char *raw[PMCTRACK_MAX_CORE_TYPES * PMCTRACK_MAX_SETS];
	u8 nr[PMCTRACK_MAX_CORE_TYPES];
	u8 where[PMCTRACK_MAX_CORE_TYPES][PMCTRACK_MAX_SETS][PMCT_MAX_MMON_EVENTS];
};

/* Dereference with interrupts disabled, or in readers that pmct_hooks::synchronize() waits for. */
extern struct monitoring_module __rcu *pmct_mmon, *pmct_mmon_parting;

extern struct mutex pmct_mmon_mutex;
extern struct rw_semaphore pmct_mmon_sem;

void pmct_mmon_lock(void);
void pmct_mmon_unlock(void);
const struct monitoring_module *pmct_mmon_active(void);

void pmct_mmon_note_cache(void);
void pmct_mmon_enter(struct pmct_ctx *ctx, const struct pmct_ctx *parent);
void pmct_mmon_exit(struct pmct_ctx *ctx);
void pmct_mmon_exec(struct pmct_ctx *ctx);
void pmct_mmon_tick(struct pmct_ctx *ctx, int cpu);
void pmct_mmon_switch_in(struct pmct_ctx *ctx, int cpu);
void pmct_mmon_switch_out(struct pmct_ctx *ctx, int cpu);
void pmct_mmon_address(struct pmct_ctx *ctx);
const u8 *pmct_mmon_where_now(const struct pmct_ctx *ctx);
void pmct_mmon_sample(struct monitoring_module *mm, struct pmct_ctx *ctx,
		      struct pmctrack_record *rec);
int pmct_mmon_read(const struct pmct_ctx *ctx, int key, struct pmct_metric_value *out);
int pmct_mmon_read_all(const struct pmct_ctx *ctx, const u32 *keys, unsigned int nr,
		       struct pmct_metric_value *out);
int pmct_mmon_task_metric(struct task_struct *task, int key, u64 *value);
void pmct_mmon_farewell(const struct monitoring_module *mm, struct pmct_ctx *ctx);

#endif /* _PMCT_MMON_CALL_H */
