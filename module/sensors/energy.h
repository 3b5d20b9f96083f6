/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Energy of threads, from meters that know no threads. For monitoring modules; it is part of
 * pmctrack.ko. Documentation/energy.md has the method and its limits.
 */
#ifndef _PMCT_ENERGY_H
#define _PMCT_ENERGY_H

#include <pmctrack/mmon.h>

#include "share.h"

/* Energy comes in steps. Rates of an interval with fewer steps than this mean nothing. */
#define PMCT_ENERGY_STEPS	10

/**
 * struct pmct_energy - energy that a thread has used; all zero at first
 * @units: energy of each meter, in its units, since the module met the thread
 * @told: energy of each meter, in uJ, that pmct_energy_sample() has reported already
 * @seen: for a CPU's own context: what the CPU had got at its last sample
 * @there: the CPU that the thread entered last, plus 1; 0: none
 */
struct pmct_energy {
	u64 units[PMCT_MAX_METERS];
	u64 told[PMCT_MAX_METERS];
	u64 seen[PMCT_MAX_METERS];
	unsigned int there;
};

/**
 * struct pmct_energy_interval - energy that was used in an interval
 * @uj: energy of each meter
 * @mask: mask of the meters that were read
 * @total_uj: sum of all meters that are not part of others; 0 if one of them was not read
 * @complete: all meters of @total_uj were read
 * @period_ns: the longest period of a meter; energy comes in steps of this time
 */
struct pmct_energy_interval {
	u64 uj[PMCT_MAX_METERS];
	u32 mask;
	u64 total_uj;
	bool complete;
	u64 period_ns;
};

int pmct_energy_start(const char *user);
void pmct_energy_stop(void);
unsigned int pmct_energy_rate_ms(void);
unsigned int pmct_energy_nr_meters(void);
const struct pmct_meter *pmct_energy_meter(unsigned int i);

void pmct_energy_on_enter(struct pmct_ctx *ctx, struct pmct_energy *e);
void pmct_energy_on_switch_in(struct pmct_energy *e);
void pmct_energy_on_switch_out(struct pmct_energy *e);
void pmct_energy_on_tick(struct pmct_energy *e);
void pmct_energy_sample(struct pmct_ctx *ctx, struct pmct_energy *e,
			struct pmct_energy_interval *interval);
u64 pmct_energy_total_uj(const struct pmct_energy *e);
void pmct_energy_show(struct seq_file *m);

#endif /* _PMCT_ENERGY_H */
