// SPDX-License-Identifier: GPL-2.0-only
/*
 * Cache monitor of the simulated machine. Like real monitors, it has few RMIDs, one RMID for each
 * CPU at a time, lines that keep their RMID, and sums that wrap around. All memory is on the CPU's
 * own node.
 */
#include <linux/bits.h>
#include <linux/kernel.h>
#include <linux/smp.h>

#include "../pmu-backends/sim/rates.h"
#include "../pmu-backends/sim/machine.h"
#include "sim.h"

/* Bits of sums of lines. After 64 GiB, sums are 0 again. */
#define SUM_BITS	30

static int pmct_sim_cache_probe(struct pmct_msg *msg)
{
	return 0;
}

static unsigned int pmct_sim_cache_nr_rmids(void)
{
	return PMCT_SIM_RMIDS;
}

static bool pmct_sim_cache_has(enum pmct_cache_event event)
{
	return true;
}

static u64 pmct_sim_cache_modulus(void)
{
	return BIT_ULL(SUM_BITS) * PMCT_SIM_LINE;
}

/* The share of each RMID in the smallest cache, if all RMIDs have the same. */
static u64 pmct_sim_cache_stale_bytes(void)
{
	const struct pmct_sim_machine *m = pmct_sim_machine_topology();
	u32 kib = U32_MAX;
	unsigned int i;

	for (i = 0; i < m->nr_clusters; i++)
		kib = min(kib, m->cluster[i].llc_kib);
	return (u64)kib * 1024 / PMCT_SIM_RMIDS;
}

static int pmct_sim_cache_domain(void)
{
	return pmct_sim_machine_topology()->cpu_cluster[smp_processor_id()];
}

static void pmct_sim_cache_assign(unsigned int rmid)
{
	pmct_sim_machine_lock()->cpu[smp_processor_id()].rmid = rmid;
	pmct_sim_machine_unlock();
}

static int pmct_sim_cache_read(unsigned int rmid, enum pmct_cache_event event, u64 *bytes)
{
	const struct pmct_sim *sim = pmct_sim_machine_lock_meters();
	int cluster = pmct_sim_cache_domain();
	u64 lines;

	if (event == PMCT_CACHE_OCCUPANCY)
		lines = sim->tags[cluster].shown[rmid];
	else
		lines = sim->tags[cluster].moved[rmid] & GENMASK_ULL(SUM_BITS - 1, 0);
	pmct_sim_machine_unlock();
	*bytes = lines * PMCT_SIM_LINE;
	return 0;
}

const struct pmct_cache_monitor pmct_sim_cache_monitor = {
	.name		= "the simulated machine",
	.probe		= pmct_sim_cache_probe,
	.nr_rmids	= pmct_sim_cache_nr_rmids,
	.has		= pmct_sim_cache_has,
	.modulus	= pmct_sim_cache_modulus,
	.stale_bytes	= pmct_sim_cache_stale_bytes,
	.domain		= pmct_sim_cache_domain,
	.assign		= pmct_sim_cache_assign,
	.read		= pmct_sim_cache_read,
};
