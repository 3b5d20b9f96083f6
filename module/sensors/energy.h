/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Energy of threads, from meters that know no threads. For monitoring modules; it is part of
 * pmctrack.ko. Documentation/energy.md has the method and its limits.
 */
#ifndef _PMCT_ENERGY_H
#define _PMCT_ENERGY_H

#include <pmctrack/mmon.h>

#include "share.h"

/**
 * struct pmct_energy - what a thread has used; all zero at first
 * @units: of each meter, in its units, since the module met the thread
 * @told: of each meter, in uJ: what pmct_energy_sample() has told already
 * @seen: of a CPU's own context: what the CPU had got at its last sample
 * @there: the CPU that the thread entered last, plus 1; 0: none
 */
struct pmct_energy {
	u64 units[PMCT_MAX_METERS];
	u64 told[PMCT_MAX_METERS];
	u64 seen[PMCT_MAX_METERS];
	unsigned int there;
};

/**
 * struct pmct_energy_interval - what was used in an interval
 * @uj: of each meter
 * @mask: of the meters that were read
 * @total_uj: of all meters that are no part of others; 0 if one of them was not read
 * @complete: all of these were read
 * @period_ns: of the meter that is read most rarely; energy comes in lumps of such a time
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
