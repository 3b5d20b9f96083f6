// SPDX-License-Identifier: GPL-2.0-only
/* Turns energy into metrics and virtual counters. */
#include <linux/kernel.h>

#include "energy-common.h"
#include "mmon-common.h"

enum { VIRT_TOTAL, VIRT_POWER, VIRT_EDP, VIRT_METERS };

static_assert(VIRT_METERS + PMCT_MAX_METERS == PMCT_ENERGY_NR_VIRT);

/* Only one module is active at a time. */
static char pmct_energy_names[PMCT_MAX_METERS][32];

/**
 * pmct_energy_virt() - describe the virtual counters of this machine's meters
 * @virt: room for PMCT_ENERGY_NR_VIRT
 *
 * Meters know nothing of threads, so a user who sees a share of a meter also sees what others do. A
 * close look at a machine's power has revealed keys of other processes (CVE-2020-8694).
 *
 * Context: monitoring_module::enable, after pmct_energy_start().
 * Return: the number of virtual counters.
 */
unsigned int pmct_energy_virt(struct pmct_vcounter *virt)
{
	unsigned int i;

	virt[VIRT_TOTAL] = (struct pmct_vcounter) {
		.name = "energy", .unit = "uJ", .sees_others = true,
		.description = "estimated share of the energy of the CPUs and their memory",
	};
	virt[VIRT_POWER] = (struct pmct_vcounter) {
		.name = "power", .unit = "mW", .sees_others = true, .gauge = true,
		.description = "energy over the time that the thread ran",
	};
	virt[VIRT_EDP] = (struct pmct_vcounter) {
		.name = "edp", .unit = "pJ*ps", .sees_others = true, .gauge = true,
		.needs_sets = true,
		.description = "energy per instruction times time per instruction",
	};
	for (i = 0; i < pmct_energy_nr_meters(); i++) {
		scnprintf(pmct_energy_names[i], sizeof(pmct_energy_names[i]), "energy_%s",
			  pmct_energy_meter(i)->name);
		virt[VIRT_METERS + i] = (struct pmct_vcounter) {
			.name = pmct_energy_names[i], .unit = "uJ", .sees_others = true,
			.description = "estimated share of what this meter shows",
		};
	}
	return VIRT_METERS + pmct_energy_nr_meters();
}
EXPORT_SYMBOL_GPL(pmct_energy_virt);

static void pmct_energy_rate(struct pmct_ctx *ctx, struct pmct_sample *sample,
			     enum pmct_metric metric, unsigned int virt, bool known, u64 value)
{
	if (known) {
		pmct_mmon_publish(ctx, metric, value, PMCT_ESTIMATED);
		pmct_sample_virt(sample, virt, value);
	} else {
		pmct_mmon_mark_stale(ctx, metric);
	}
}

static void pmct_energy_publish_rates(struct pmct_ctx *ctx, struct pmct_sample *sample,
				      unsigned int first, unsigned int instr,
				      const struct pmct_energy_interval *interval)
{
	u64 instructions, value = 0, uj = interval->total_uj, ns = sample->rec->run_ns;
	bool long_enough = interval->complete && ns >= PMCT_ENERGY_STEPS * interval->period_ns;
	bool known;

	/* uJ over ns, times a million, is mW. */
	known = long_enough && pmct_ratio(uj, ns, 1000000, &value);
	pmct_energy_rate(ctx, sample, PMCT_METRIC_POWER, first + VIRT_POWER, known, value);
	/* A thread on this CPU may be counted by another context, but its energy is the CPU's. */
	known = long_enough && pmct_mmon_task(ctx) &&
		!pmct_sample_count(sample, instr, &instructions) &&
		pmct_edp(uj, ns, instructions, &value);
	pmct_energy_rate(ctx, sample, PMCT_METRIC_EDP, first + VIRT_EDP, known, value);
}

/**
 * pmct_energy_period_ms() - a sampling period for schedulers
 * @least_ms: the module's own
 *
 * With many CPUs, meters are read less often, and a period is longer, so that it has rates.
 *
 * Context: monitoring_module::enable, after pmct_energy_start().
 */
unsigned int pmct_energy_period_ms(unsigned int least_ms)
{
	/* Twice, because a thread does not run all the time. */
	return max(least_ms, 2 * pmct_energy_rate_ms());
}
EXPORT_SYMBOL_GPL(pmct_energy_period_ms);

/**
 * pmct_energy_publish() - publish the energy that a thread has used in an interval
 * @ctx: the thread, or CPU
 * @e: its energy
 * @sample: the interval
 * @first: index of the first virtual counter of pmct_energy_virt()
 * @instr: index of the event "instr"
 *
 * If a meter is gone or stands still, the interval has no energy of this meter, and the metrics are
 * stale.
 *
 * Context: monitoring_module::on_new_sample.
 */
void pmct_energy_publish(struct pmct_ctx *ctx, struct pmct_energy *e, struct pmct_sample *sample,
			 unsigned int first, unsigned int instr)
{
	struct pmct_energy_interval interval;
	unsigned int i;

	pmct_energy_sample(ctx, e, &interval);
	for (i = 0; i < pmct_energy_nr_meters(); i++) {
		if (interval.mask & BIT(i))
			pmct_sample_virt(sample, first + VIRT_METERS + i, interval.uj[i]);
	}
	if (interval.complete) {
		pmct_sample_virt(sample, first + VIRT_TOTAL, interval.total_uj);
		pmct_mmon_publish(ctx, PMCT_METRIC_ENERGY, pmct_energy_total_uj(e),
				  PMCT_ESTIMATED);
	} else {
		pmct_mmon_mark_stale(ctx, PMCT_METRIC_ENERGY);
	}
	pmct_energy_publish_rates(ctx, sample, first, instr, &interval);
}
EXPORT_SYMBOL_GPL(pmct_energy_publish);
