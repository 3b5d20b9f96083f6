/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Metrics and virtual counters of modules that report the energy of threads. It is part of
 * pmctrack.ko.
 */
#ifndef _PMCT_ENERGY_COMMON_H
#define _PMCT_ENERGY_COMMON_H

#include "../sensors/energy.h"

/* Virtual counters: the sum, power, EDP, and one for each kind of meter. */
#define PMCT_ENERGY_NR_VIRT	(3 + PMCT_MAX_METERS)

unsigned int pmct_energy_virt(struct pmct_vcounter *virt);
unsigned int pmct_energy_period_ms(unsigned int least_ms);
void pmct_energy_publish(struct pmct_ctx *ctx, struct pmct_energy *e, struct pmct_sample *sample,
			 unsigned int first, unsigned int instr);

#endif /* _PMCT_ENERGY_COMMON_H */
