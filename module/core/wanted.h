/* SPDX-License-Identifier: GPL-2.0-only */
/* Threads that schedulers want monitored, if tasks have no flag for it; see wanted.c. */
#ifndef _PMCT_WANTED_H
#define _PMCT_WANTED_H

#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/types.h>

struct pmct_wanted_table;

extern struct pmct_wanted_table __rcu *pmct_wanted_table;

int pmct_wanted_init(void);
void pmct_wanted_exit(void);
int pmct_wanted_add(const struct task_struct *task);
void pmct_wanted_remove(const struct task_struct *task);
bool pmct_wanted_find(const struct pmct_wanted_table *table, const struct task_struct *task);

/* True if a scheduler wants metrics of @task. The caller is a hook, or an RCU reader. */
static inline bool pmct_wanted(const struct task_struct *task)
{
	/* Hooks have interrupts disabled, and synchronize_rcu() waits for that. */
	const struct pmct_wanted_table *table = rcu_dereference_check(pmct_wanted_table,
								       irqs_disabled());

	return table && pmct_wanted_find(table, task);
}

#endif /* _PMCT_WANTED_H */
