// SPDX-License-Identifier: GPL-2.0-only
/* Arithmetic of energy: meters that wrap around, their energy in uJ, and shares that add up. */
#include <linux/bits.h>
#include <linux/export.h>
#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/time64.h>

#include "../mmon/mmon-common.h"
#include "share.h"

/**
 * pmct_meter_advance() - by how much a meter has advanced
 * @meter: the meter
 * @before: what it showed; it has wrapped around at most once since then
 * @now: what it shows
 *
 * Return: units.
 */
u64 pmct_meter_advance(const struct pmct_meter *meter, u64 before, u64 now)
{
	return (now - before) & GENMASK_ULL(meter->width - 1, 0);
}

/**
 * pmct_meter_uj() - convert units to uJ
 * @meter: the meter whose units they are
 * @units: less than 2^60 * 2^-@meter->uj_shift J
 *
 * Return: uJ, rounded down.
 */
u64 pmct_meter_uj(const struct pmct_meter *meter, u64 units)
{
	return mul_u64_u32_shr(units, meter->uj_mul, meter->uj_shift);
}
EXPORT_SYMBOL_GPL(pmct_meter_uj);

/**
 * pmct_meter_plausible() - can a meter have advanced so far?
 * @meter: the meter
 * @units: by how much it has advanced
 * @ns: time since the last read
 * @max_w: more power is not possible
 *
 * One update of the meter may be of a time that began earlier.
 */
bool pmct_meter_plausible(const struct pmct_meter *meter, u64 units, u64 ns, unsigned int max_w)
{
	/* W times us is uJ. */
	return pmct_meter_uj(meter, units) <= (div_u64(ns, 1000) + 5000) * max_w;
}

/**
 * pmct_share_next() - the share of the next CPU
 * @share: the energy that is divided
 * @part: part of the CPU
 *
 * Shares are rounded so that they add up: their sum is never further than one unit from the exact
 * sum. When the parts are the whole, their sum is all units.
 *
 * Return: units.
 */
u64 pmct_share_next(struct pmct_share *share, u64 part)
{
	u64 given;

	if (!share->whole)
		return 0;
	share->parts += part;
	given = mul_u64_u64_div_u64(share->units, share->parts, share->whole);
	given -= share->given;
	share->given += given;
	return given;
}

/**
 * pmct_idle_step() - how long a CPU was idle in a step
 * @used: how much of its idle time was used in the steps before, us; moves on
 * @now: its idle time up to now, us
 * @ns: length of the step
 * @most_late: idle time of earlier steps that can have become known in this one, ns
 *
 * What is late is used in the next steps, so that the sum of all steps is true. If more was used
 * than there is, because it was estimated, the next steps have less.
 *
 * Return: ns, at most @ns.
 */
u64 pmct_idle_step(u64 *used, u64 now, u64 ns, u64 most_late)
{
	u64 idle = now > *used ? (now - *used) * NSEC_PER_USEC : 0;
	u64 late = min(idle - min(idle, ns), most_late);

	if (idle)
		*used = now - div_u64(late, NSEC_PER_USEC);
	return min(idle, ns);
}

/**
 * pmct_edp() - energy per instruction times time per instruction
 * @uj: energy, uJ
 * @ns: time
 * @instr: instructions
 * @edp: where the product is stored, in 10^-24 J s: pJ times ps
 *
 * The product does not grow with the length of the window, as energy times time would.
 *
 * Return: false if there are no instructions, or the product has more than 64 bits.
 */
bool pmct_edp(u64 uj, u64 ns, u64 instr, u64 *edp)
{
	u64 fj, fs;

	/* More digits than pJ and ps have, because an instruction may take 0.3 ns. */
	return pmct_ratio(uj, instr, 1000000000, &fj) && pmct_ratio(ns, instr, 1000000, &fs) &&
	       fs <= U32_MAX && pmct_ratio(fj, 1000000, fs, edp);
}
EXPORT_SYMBOL_GPL(pmct_edp);
