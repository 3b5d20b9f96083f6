// SPDX-License-Identifier: GPL-2.0-only
/*
 * Energy of threads. In switches, ticks and samples, a thread takes the energy that its CPU has got
 * from its meters (meters.c) while the thread was there.
 */
#include <linux/lockdep.h>
#include <linux/percpu.h>
#include <linux/sched.h>

#include "energy.h"
#include "meters.h"

/* Returns what this CPU has got since the last call, from one kind of meter. */
static u64 pmct_energy_take(unsigned int i)
{
	struct pmct_energy_account *a = &this_cpu_ptr(pmct_accounts)->meter[i];
	u64 handed, units;

	if (!a->domain)
		return 0;
	pmct_energy_update(a->domain);
	handed = READ_ONCE(a->handed);
	units = handed - a->taken;
	a->taken = handed;
	return units;
}

/* The thread, which runs here, takes what this CPU has got. */
static void pmct_energy_take_all(struct pmct_energy *e)
{
	unsigned int i;
	u64 units;

	/* There was no switch in for the thread: what the CPU has got may be from long before. */
	if (e->there != smp_processor_id() + 1) {
		pmct_energy_on_switch_in(e);
		return;
	}
	for (i = 0; i < pmct_nr_meters; i++) {
		units = pmct_energy_take(i);
		e->units[i] += units;
		this_cpu_ptr(pmct_accounts)->meter[i].given += units;
	}
}

/**
 * pmct_energy_on_switch_in() - a thread enters this CPU
 * @e: its energy
 *
 * What the CPU has got before does not belong to the thread. Context: hot.
 */
void pmct_energy_on_switch_in(struct pmct_energy *e)
{
	unsigned int i;

	e->there = smp_processor_id() + 1;
	for (i = 0; i < pmct_nr_meters; i++)
		pmct_energy_take(i);
}
EXPORT_SYMBOL_GPL(pmct_energy_on_switch_in);

/**
 * pmct_energy_on_switch_out() - a thread leaves this CPU
 * @e: its energy
 *
 * Context: hot.
 */
void pmct_energy_on_switch_out(struct pmct_energy *e)
{
	pmct_energy_take_all(e);
	e->there = 0;
}
EXPORT_SYMBOL_GPL(pmct_energy_on_switch_out);

/**
 * pmct_energy_on_tick() - a thread is running on this CPU
 * @e: its energy
 *
 * Context: hot.
 */
void pmct_energy_on_tick(struct pmct_energy *e)
{
	pmct_energy_take_all(e);
}
EXPORT_SYMBOL_GPL(pmct_energy_on_tick);

static void pmct_energy_see(struct pmct_energy *e, unsigned int i)
{
	e->seen[i] = READ_ONCE(this_cpu_ptr(pmct_accounts)->meter[i].got);
}

/**
 * pmct_energy_on_enter() - the module meets a thread, or a CPU
 * @ctx: the thread, or CPU
 * @e: its energy: nothing yet
 *
 * Context: hot.
 */
void pmct_energy_on_enter(struct pmct_ctx *ctx, struct pmct_energy *e)
{
	const struct task_struct *task = pmct_mmon_task(ctx);
	struct pmct_energy_domain *d;
	unsigned int i;

	if (task == current)
		pmct_energy_on_switch_in(e);
	if (task)
		return;
	for (i = 0; i < pmct_nr_meters; i++) {
		d = this_cpu_ptr(pmct_accounts)->meter[i].domain;
		/* A session that has the values begins just now, and not in a switch. */
		if (d && pmct_mmon_is_asked(ctx))
			pmct_energy_catch_up(d);
		pmct_energy_see(e, i);
	}
}
EXPORT_SYMBOL_GPL(pmct_energy_on_enter);

/*
 * A CPU's own context gets all that the CPU has got, even if threads get it, too. What comes too
 * late for this sample would be in the next one. An interrupt does not come in a switch, so it can
 * wait for another CPU that is reading the meter.
 */
static void pmct_energy_take_cpu(struct pmct_energy *e)
{
	struct pmct_energy_domain *d;
	unsigned int i;
	u64 before;

	for (i = 0; i < pmct_nr_meters; i++) {
		d = this_cpu_ptr(pmct_accounts)->meter[i].domain;
		if (d && in_hardirq())
			pmct_energy_catch_up(d);
		else if (d)
			pmct_energy_update(d);
		before = e->seen[i];
		pmct_energy_see(e, i);
		e->units[i] += e->seen[i] - before;
	}
}

static bool pmct_energy_usable(unsigned int i)
{
	const struct pmct_energy_domain *d = this_cpu_ptr(pmct_accounts)->meter[i].domain;

	return d && !READ_ONCE(d->gone) && !READ_ONCE(d->still);
}

/**
 * pmct_energy_sample() - find what a thread, or a CPU, has used since the last call
 * @ctx: the thread, or CPU
 * @e: its energy
 * @interval: the result
 *
 * Context: monitoring_module::on_new_sample.
 */
void pmct_energy_sample(struct pmct_ctx *ctx, struct pmct_energy *e,
			struct pmct_energy_interval *interval)
{
	const struct task_struct *task = pmct_mmon_task(ctx);
	unsigned int i;
	u64 uj;

	/* A thread that has left its CPU took its energy then. */
	if (task == current && e->there)
		pmct_energy_take_all(e);
	else if (!task)
		pmct_energy_take_cpu(e);
	*interval = (struct pmct_energy_interval) { .complete = true };
	for (i = 0; i < pmct_nr_meters; i++) {
		if (!pmct_energy_usable(i)) {
			interval->complete &= pmct_energy_meter(i)->part;
			continue;
		}
		uj = pmct_meter_uj(pmct_energy_meter(i), e->units[i]);
		interval->uj[i] = uj - e->told[i];
		interval->mask |= BIT(i);
		interval->period_ns = max(interval->period_ns,
					  this_cpu_ptr(pmct_accounts)->meter[i].domain->period_ns);
		if (!pmct_energy_meter(i)->part)
			interval->total_uj += interval->uj[i];
		e->told[i] = uj;
	}
	if (!interval->complete)
		interval->total_uj = 0;
}
EXPORT_SYMBOL_GPL(pmct_energy_sample);

/* Returns what a thread has used, of all meters that are not part of others, uJ. Hot. */
u64 pmct_energy_total_uj(const struct pmct_energy *e)
{
	u64 uj = 0;
	unsigned int i;

	for (i = 0; i < pmct_nr_meters; i++) {
		if (!pmct_energy_meter(i)->part)
			uj += e->told[i];
	}
	return uj;
}
EXPORT_SYMBOL_GPL(pmct_energy_total_uj);
