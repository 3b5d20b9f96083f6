/* SPDX-License-Identifier: GPL-2.0-only */
/* The simulated machine on real CPUs: which of its threads is where. */
#ifndef _PMCT_SIM_MACHINE_H
#define _PMCT_SIM_MACHINE_H

#include <pmctrack/program_id.h>

#include "model.h"

int pmct_sim_machine_add(const struct pmct_sim_profile *profile, u64 seed);
void pmct_sim_machine_remove(unsigned int slot);
int pmct_sim_machine_run(unsigned int slot, u64 *instr);
void pmct_sim_machine_truth(unsigned int slot, struct pmct_sim_truth *truth);

struct pmct_sim *pmct_sim_machine_lock(void);
struct pmct_sim *pmct_sim_machine_lock_meters(void);
void pmct_sim_machine_unlock(void);
u64 pmct_sim_machine_ip(void);
bool pmct_sim_machine_program(struct pmct_program_id *id);
bool pmct_sim_machine_alone(u64 *alone_ps, u64 *ran_ps);
void pmct_sim_machine_listen(bool (*overflow)(void));
const struct pmct_sim_machine *pmct_sim_machine_topology(void);

int pmct_sim_machine_start(const struct pmct_sim_machine *machine);
void pmct_sim_machine_stop(void);

#endif /* _PMCT_SIM_MACHINE_H */
