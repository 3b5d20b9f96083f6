// SPDX-License-Identifier: GPL-2.0-only
/*
 * Energy meters of the simulated machine. Like real meters, they have units, few bits that wrap
 * around soon, an update every millisecond, and a time that reading takes.
 */
#include <linux/delay.h>
#include <linux/math64.h>
#include <linux/time64.h>

#include "../pmu-backends/sim/machine.h"
#include "sim.h"

/* Units of 2^-16 J. */
#define SHIFT		16
/* Meters have just enough bits not to wrap around in this time. */
#define WRAP_MS		200
#define WATCH_MS	50

#define READ_NS	500

enum { PACKAGE, CORES, DRAM, NR_METERS };

/* probe() sets the widths, which are the same each time. */
static struct pmct_meter pmct_sim_meters[NR_METERS] = {
	[PACKAGE] = { .name = "package", .uj_mul = 1000000, .uj_shift = SHIFT, },
	[CORES] = { .name = "cores", .uj_mul = 1000000, .uj_shift = SHIFT, .part = true, },
	[DRAM] = { .name = "dram", .uj_mul = 1000000, .uj_shift = SHIFT, },
};

static int pmct_sim_sensor_probe(struct pmct_msg *msg)
{
	u64 watts = pmct_sim_machine_watts(pmct_sim_machine_topology());
	unsigned int i;

	for (i = 0; i < NR_METERS; i++)
		pmct_sim_meters[i].width = fls64(watts * WRAP_MS / MSEC_PER_SEC) + SHIFT;
	pmct_sim_sensor.max_w = watts;
	return 0;
}

static unsigned int pmct_sim_nr_meters(void)
{
	return NR_METERS;
}

static const struct pmct_meter *pmct_sim_meter(unsigned int i)
{
	return &pmct_sim_meters[i];
}

static int pmct_sim_domain(unsigned int i, int cpu)
{
	const struct pmct_sim_machine *m = pmct_sim_machine_topology();
	unsigned int cluster = m->cpu_cluster[cpu];

	switch (i) {
	case CORES:
		return cluster;
	case DRAM:
		return m->cluster[cluster].node;
	}
	return 0;
}

/* Energy of all parts but the memory. */
static u64 pmct_sim_package_pj(const struct pmct_sim_energy *energy)
{
	u64 pj = energy->uncore;
	unsigned int i;

	for (i = 0; i < PMCT_SIM_CLUSTERS; i++)
		pj += energy->cores[i];
	return pj;
}

static int pmct_sim_sensor_read(unsigned int i, u64 *value)
{
	int domain = pmct_sim_domain(i, smp_processor_id());
	struct pmct_sim_energy energy;
	u64 pj;

	energy = pmct_sim_machine_lock_meters()->metered;
	pmct_sim_machine_unlock();
	ndelay(READ_NS);
	switch (i) {
	case CORES:
		pj = energy.cores[domain];
		break;
	case DRAM:
		pj = energy.memory[domain];
		break;
	default:
		pj = pmct_sim_package_pj(&energy);
		break;
	}
	/* 2^SHIFT / 10^12 = 2^(SHIFT - 12) / 5^12 */
	*value = mul_u64_u64_div_u64(pj, 1ULL << (SHIFT - 12), 244140625) &
		 GENMASK_ULL(pmct_sim_meters[i].width - 1, 0);
	return 0;
}

struct pmct_sensor pmct_sim_sensor = {
	.name		= "the simulated machine",
	.period_us	= PMCT_SIM_STEP_NS / 1000,
	.watch_ms	= WATCH_MS,
	.probe		= pmct_sim_sensor_probe,
	.nr_meters	= pmct_sim_nr_meters,
	.meter		= pmct_sim_meter,
	.domain		= pmct_sim_domain,
	.read		= pmct_sim_sensor_read,
};
