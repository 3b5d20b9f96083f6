/* SPDX-License-Identifier: GPL-2.0-only */
/* The simulated machine on real CPUs: who of its threads is where. */
#ifndef _PMCT_SIM_MACHINE_H
#define _PMCT_SIM_MACHINE_H

#include <linux/hashtable.h>
#include <linux/sched.h>

#include "model.h"

/**
 * struct pmct_sim_runner - a simulated thread and the real one that executes it
 * @node: in the table of those that execute
 * @task: the real thread; it is inside of pmct_sim_machine_run()
 * @slot: in pmct_sim::thread
 */
struct pmct_sim_runner {
	struct hlist_node node;
	struct task_struct *task;
	unsigned int slot;
};

int pmct_sim_machine_add(struct pmct_sim_runner *runner, const struct pmct_sim_profile *profile,
			 u64 seed);
void pmct_sim_machine_remove(struct pmct_sim_runner *runner);
int pmct_sim_machine_run(struct pmct_sim_runner *runner, u64 *instr);
void pmct_sim_machine_truth(const struct pmct_sim_runner *runner, struct pmct_sim_truth *truth);

int pmct_sim_machine_start(const struct pmct_sim_machine *machine);
void pmct_sim_machine_stop(void);

#endif /* _PMCT_SIM_MACHINE_H */
