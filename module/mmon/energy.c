// SPDX-License-Identifier: GPL-2.0-only
/*
 * Monitoring module "energy": how much energy each thread uses (paper on PMCTrack, section 4.2).
 * The energy is from meters that are read together with the counters. Documentation/energy.md says
 * how it is divided among threads.
 */
#include "energy-common.h"

/* Sampling period of threads in scheduler mode. */
#define PERIOD_MS	100

static const char *const energy_events[] = { "instr" };
static const char *const energy_sets[] = { "instr" };
static struct pmct_vcounter energy_virt[PMCT_ENERGY_NR_VIRT];

static int energy_enable(struct monitoring_module *self)
{
	int err = configure_performance_counters_set(self, energy_sets, ARRAY_SIZE(energy_sets)) ?:
		  pmct_energy_start(self->name);

	if (err)
		return err;
	self->nr_virt = pmct_energy_virt(energy_virt);
	self->period_ms = pmct_energy_period_ms(PERIOD_MS);
	return 0;
}

static void energy_disable(struct monitoring_module *self)
{
	pmct_energy_stop();
}

static void energy_on_enter(struct pmct_ctx *ctx, const struct pmct_ctx *parent)
{
	pmct_energy_on_enter(ctx, pmct_mmon_data(ctx));
}

static void energy_on_switch_in(struct pmct_ctx *ctx, int cpu)
{
	pmct_energy_on_switch_in(pmct_mmon_data(ctx));
}

static void energy_on_switch_out(struct pmct_ctx *ctx, int cpu)
{
	pmct_energy_on_switch_out(pmct_mmon_data(ctx));
}

static void energy_on_tick(struct pmct_ctx *ctx, int cpu)
{
	if (pmct_mmon_task(ctx))
		pmct_energy_on_tick(pmct_mmon_data(ctx));
}

static void energy_on_new_sample(struct pmct_ctx *ctx, struct pmct_sample *sample)
{
	pmct_energy_publish(ctx, pmct_mmon_data(ctx), sample, 0, 0);
}

static void energy_show_state(const struct monitoring_module *self, struct seq_file *m)
{
	pmct_energy_show(m);
}

static struct monitoring_module energy = {
	.name		= "energy",
	.description	= "energy of each thread: its share of what the machine's meters show",
	.owner		= THIS_MODULE,
	.events		= energy_events,
	.nr_events	= ARRAY_SIZE(energy_events),
	.virt		= energy_virt,
	.enable		= energy_enable,
	.disable	= energy_disable,
	.show_state	= energy_show_state,
	.on_enter	= energy_on_enter,
	.on_switch_in	= energy_on_switch_in,
	.on_switch_out	= energy_on_switch_out,
	.on_tick	= energy_on_tick,
	.on_new_sample	= energy_on_new_sample,
};

static_assert(sizeof(struct pmct_energy) <= PMCT_MMON_DATA);

module_monitoring_module(energy);

MODULE_ALIAS("pmctrack-mmon-energy");
MODULE_DESCRIPTION("PMCTrack monitoring module: energy of threads");
MODULE_AUTHOR("PMCTrack developers");
MODULE_LICENSE("GPL");
