/* SPDX-License-Identifier: GPL-2.0-only */
/* Arithmetic of energy: pure, see Documentation/energy.md. */
#ifndef _PMCT_SHARE_H
#define _PMCT_SHARE_H

#include <pmctrack/sensor.h>

/**
 * struct pmct_share - energy that is divided among CPUs
 * @units: the energy
 * @whole: sum of all parts, or more
 * @parts: sum of the parts that have got their share
 * @given: sum of the shares
 */
struct pmct_share {
	u64 units;
	u64 whole;
	u64 parts;
	u64 given;
};

u64 pmct_meter_advance(const struct pmct_meter *meter, u64 before, u64 now);
u64 pmct_meter_uj(const struct pmct_meter *meter, u64 units);
bool pmct_meter_plausible(const struct pmct_meter *meter, u64 units, u64 ns, unsigned int max_w);
u64 pmct_share_next(struct pmct_share *share, u64 part);
u64 pmct_idle_step(u64 *used, u64 now, u64 ns, u64 most_late);
bool pmct_edp(u64 uj, u64 ns, u64 instr, u64 *edp);

#endif /* _PMCT_SHARE_H */
