// SPDX-License-Identifier: GPL-2.0-only
/*
 * Backend for the counters of the simulated machine. It is an ordinary backend in a kernel module
 * of its own, which pmctrack.ko loads if backend=sim is asked for.
 *
 * pmc0 counts instructions, pmc1 counts cycles, the others count any event (enum pmct_sim_event).
 * All have 64 bits, and count what simulated threads do, which is all in user mode.
 */
#include <linux/bitmap.h>
#include <linux/kernel.h>
#include <linux/module.h>

#include "../list.h"
#include "../../sensors/sim.h"
#include "machine.h"

/* Like pmct_refuse(), which is in pmctrack.ko. This module is loaded without pmctrack.ko. */
#define refuse(_msg, _err, ...)							\
({										\
	scnprintf((_msg)->text, sizeof((_msg)->text), __VA_ARGS__);		\
	_err;									\
})

static struct pmct_core_type pmct_sim_types[PMCT_SIM_TYPES];
static DECLARE_BITMAP(pmct_sim_events, PMCT_SIM_NR_EVENTS);
static const char *const pmct_sim_keys[] = { NULL };

static void pmct_sim_describe_type(unsigned int i)
{
	const struct pmct_sim_machine *m = pmct_sim_machine_topology();
	struct pmct_core_type *type = &pmct_sim_types[i];

	scnprintf(type->name, sizeof(type->name), "simulated_%s_%s", m->name, m->type[i].name);
	scnprintf(type->model, sizeof(type->model), "sim=%s,%u", m->name, i);
	cpumask_clear(&type->cpus);
	type->fixed = GENMASK(PMCT_SIM_FIXED - 1, 0);
	type->counters = GENMASK(PMCT_SIM_FIXED + m->type[i].counters - 1, 0);
	type->width = 64;
	type->events = pmct_sim_events;
	type->nr_events = PMCT_SIM_NR_EVENTS;
}

/* pmctrack_sim provides the topology, and has checked it. */
static int pmct_sim_probe(struct pmct_msg *msg)
{
	const struct pmct_sim_machine *m = pmct_sim_machine_topology();
	unsigned int i;

	bitmap_fill(pmct_sim_events, PMCT_SIM_NR_EVENTS);
	for (i = 0; i < m->nr_types; i++)
		pmct_sim_describe_type(i);
	for (i = 0; i < m->nr_cpus; i++)
		cpumask_set_cpu(i, &pmct_sim_types[m->cpu_type[i]].cpus);
	return 0;
}

static unsigned int pmct_sim_nr_core_types(void)
{
	return pmct_sim_machine_topology()->nr_types;
}

static const struct pmct_core_type *pmct_sim_core_type(unsigned int i)
{
	return &pmct_sim_types[i];
}

static unsigned int pmct_sim_cpu_core_type(int cpu)
{
	const struct pmct_sim_machine *m = pmct_sim_machine_topology();

	return cpu < m->nr_cpus ? m->cpu_type[cpu] : PMCT_NO_CORE_TYPE;
}

static int pmct_sim_translate(const struct pmct_core_type *type, const struct pmct_event *event,
			      u64 *config, u64 *mask, struct pmct_msg *msg)
{
	u64 fixed = event->counter ? PMCT_SIM_CYCLES : PMCT_SIM_INSTR;
	u64 code = event->has_code ? event->code : fixed;
	bool is_fixed = event->counter < PMCT_SIM_FIXED;

	if (is_fixed && code != fixed)
		return refuse(msg, -EINVAL,
			      "pmc%u=%#llx: pmc0 counts instructions (0x0) and pmc1 cycles (0x1) only; use pmc2 or higher",
			      event->counter, code);
	if (!is_fixed && !event->has_code)
		return refuse(msg, -EINVAL, "pmc%u needs an event code: pmc%u=0x...",
			      event->counter, event->counter);
	if (code >= PMCT_SIM_NR_EVENTS)
		return refuse(msg, -EOPNOTSUPP,
			      "pmc%u=%#llx: event codes of the simulated machine are at most %#x",
			      event->counter, code, PMCT_SIM_NR_EVENTS - 1);
	if (event->os)
		return refuse(msg, -EOPNOTSUPP,
			      "os%u: simulated programs have no kernel mode; count in user mode only",
			      event->counter);
	*config = code;
	*mask = U64_MAX;
	return 0;
}

static int pmct_sim_claim(bool (*overflow)(void), struct pmct_msg *msg)
{
	pmct_sim_machine_listen(overflow);
	return 0;
}

static void pmct_sim_release(void)
{
	pmct_sim_machine_listen(NULL);
}

static void pmct_sim_program(const struct pmct_hwset *set)
{
	struct pmct_sim_cpu *cpu = &pmct_sim_machine_lock()->cpu[smp_processor_id()];
	unsigned int i;

	for (i = 0; i < set->nr; i++)
		pmct_sim_pmu_select(cpu, set->counter[i], set->config[i]);
	pmct_sim_pmu_clear(cpu, ~0U);
	pmct_sim_machine_unlock();
}

static int pmct_sim_domain_of(int cpu)
{
	const struct pmct_sim_machine *m = pmct_sim_machine_topology();

	return cpu < m->nr_cpus ? m->cpu_cluster[cpu] : -1;
}

static u64 pmct_sim_cache_bytes(int cpu)
{
	const struct pmct_sim_machine *m = pmct_sim_machine_topology();

	return cpu < m->nr_cpus ? m->cluster[m->cpu_cluster[cpu]].llc_kib * 1024ULL : 0;
}

static u64 pmct_sim_read(const struct pmct_hwset *set, u64 *values)
{
	struct pmct_sim_cpu *cpu = &pmct_sim_machine_lock()->cpu[smp_processor_id()];
	u64 overflowed = set->narrow ? pmct_sim_pmu_overflowed(cpu) & set->counters : 0;
	unsigned int i;

	for (i = 0; i < set->nr; i++)
		values[i] = pmct_sim_pmu_read(cpu, set->counter[i]);
	pmct_sim_machine_unlock();
	return overflowed;
}

static void pmct_sim_write(unsigned int counter, u64 value)
{
	pmct_sim_pmu_write(&pmct_sim_machine_lock()->cpu[smp_processor_id()], counter, value);
	pmct_sim_machine_unlock();
}

static u64 pmct_sim_overflow_pending(void)
{
	u64 overflowed;

	overflowed = pmct_sim_pmu_overflowed(&pmct_sim_machine_lock()->cpu[smp_processor_id()]);
	pmct_sim_machine_unlock();
	return overflowed;
}

static void pmct_sim_overflow_clear(u64 counters)
{
	pmct_sim_pmu_clear(&pmct_sim_machine_lock()->cpu[smp_processor_id()], counters);
	pmct_sim_machine_unlock();
}

const struct pmct_backend pmct_backend_sim = {
	.name			= "sim",
	.size			= sizeof(struct pmct_backend),
	.owns_counters		= true,
	.interrupts		= 1,
	.keys			= pmct_sim_keys,
	.events			= &pmct_events_sim,
	.sensor			= &pmct_sim_sensor,
	.cache_monitor		= &pmct_sim_cache_monitor,
	.cache_domain		= pmct_sim_domain_of,
	.cache_bytes		= pmct_sim_cache_bytes,
	.probe			= pmct_sim_probe,
	.nr_core_types		= pmct_sim_nr_core_types,
	.core_type		= pmct_sim_core_type,
	.cpu_core_type		= pmct_sim_cpu_core_type,
	.translate		= pmct_sim_translate,
	.claim			= pmct_sim_claim,
	.release		= pmct_sim_release,
	.program		= pmct_sim_program,
	.read			= pmct_sim_read,
	.write			= pmct_sim_write,
	.overflow_pending	= pmct_sim_overflow_pending,
	.overflow_clear		= pmct_sim_overflow_clear,
	.user_ip		= pmct_sim_machine_ip,
	.user_program		= pmct_sim_machine_program,
};
EXPORT_SYMBOL_GPL(pmct_backend_sim);
