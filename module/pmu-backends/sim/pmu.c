// SPDX-License-Identifier: GPL-2.0-only
/*
 * The counters of a simulated CPU: 64 bits wide, always counting what the threads there do. They
 * follow pmct_sim_cpu::count, so a counter costs nothing while it is not read.
 */
#include <linux/minmax.h>
#include <linux/string.h>

#include "model.h"

#define MILLION		1000000ULL

/* Larger than any window. A million times this still fits into 64 bits. */
#define EVENTS_MAX	8000000000000ULL

/**
 * pmct_sim_pmu_init() - set up: instructions, cycles, and no particular events
 * @pmu: the counters
 */
void pmct_sim_pmu_init(struct pmct_sim_pmu *pmu)
{
	memset(pmu, 0, sizeof(*pmu));
	memset(pmu->full, 0xff, sizeof(pmu->full));
	pmu->event[0] = PMCT_SIM_INSTR;
	pmu->event[1] = PMCT_SIM_CYCLES;
}

/**
 * pmct_sim_pmu_select() - let a counter count an event
 * @cpu: the CPU
 * @counter: smaller than PMCT_SIM_COUNTERS
 * @event: an enum pmct_sim_event
 *
 * The counter's value changes with the event. The counter does not overflow until it is written.
 */
void pmct_sim_pmu_select(struct pmct_sim_cpu *cpu, unsigned int counter, unsigned int event)
{
	cpu->pmu.event[counter] = event;
	cpu->pmu.full[counter] = ~0ULL;
}

/**
 * pmct_sim_pmu_read() - the value of a counter
 * @cpu: the CPU, after pmct_sim_sync()
 * @counter: smaller than PMCT_SIM_COUNTERS
 */
u64 pmct_sim_pmu_read(const struct pmct_sim_cpu *cpu, unsigned int counter)
{
	return cpu->count[cpu->pmu.event[counter]] - cpu->pmu.start[counter];
}

/**
 * pmct_sim_pmu_write() - set a counter, which counts on
 * @cpu: the CPU, after pmct_sim_sync()
 * @counter: smaller than PMCT_SIM_COUNTERS
 * @value: it overflows 2^64 - @value events later
 */
void pmct_sim_pmu_write(struct pmct_sim_cpu *cpu, unsigned int counter, u64 value)
{
	u64 count = cpu->count[cpu->pmu.event[counter]];

	cpu->pmu.start[counter] = count - value;
	/* A count never reaches 2^64. */
	cpu->pmu.full[counter] = value > count ? count - value : ~0ULL;
}

/**
 * pmct_sim_pmu_overflowed() - which counters have overflowed?
 * @cpu: the CPU, after pmct_sim_sync()
 *
 * Return: mask of the counters that have overflowed since pmct_sim_pmu_clear().
 */
u32 pmct_sim_pmu_overflowed(struct pmct_sim_cpu *cpu)
{
	struct pmct_sim_pmu *pmu = &cpu->pmu;
	unsigned int i;

	for (i = 0; i < PMCT_SIM_COUNTERS; i++) {
		if (cpu->count[pmu->event[i]] < pmu->full[i])
			continue;
		pmu->overflowed |= 1U << i;
		pmu->full[i] = ~0ULL;
	}
	return pmu->overflowed;
}

/**
 * pmct_sim_pmu_clear() - forget that counters have overflowed
 * @cpu: the CPU
 * @counters: mask
 */
void pmct_sim_pmu_clear(struct pmct_sim_cpu *cpu, u32 counters)
{
	cpu->pmu.overflowed &= ~counters;
}

/* Instructions until the thread has @events more of an event, whose rate is not 0. */
static u64 pmct_sim_pmu_instr(const struct pmct_sim_thread *t, unsigned int event, u64 events)
{
	u64 parts = min(events, EVENTS_MAX) * MILLION - min(events, 1ULL) * t->part[event];

	return (parts + t->rates.event[event] - 1) / t->rates.event[event];
}

/**
 * pmct_sim_pmu_due() - when will a counter overflow?
 * @sim: the machine
 * @cpu: a CPU with a thread
 *
 * Return: ns from pmct_sim_cpu::since until the counters must be checked again, because one will
 * have overflowed, or the rates will be of another phase. ~0 if none overflows.
 */
u64 pmct_sim_pmu_due(const struct pmct_sim *sim, unsigned int cpu)
{
	const struct pmct_sim_cpu *c = &sim->cpu[cpu];
	const struct pmct_sim_thread *t = &sim->thread[c->thread];
	u64 instr = ~0ULL;
	unsigned int i;

	for (i = 0; i < PMCT_SIM_COUNTERS; i++) {
		unsigned int event = c->pmu.event[i];
		u64 full = c->pmu.full[i];

		if (full == ~0ULL || !t->rates.event[event])
			continue;
		instr = min(instr, pmct_sim_pmu_instr(t, event, full - min(full, c->count[event])));
	}
	if (instr == ~0ULL)
		return instr;
	return pmct_sim_time_for(sim, cpu, min(instr, t->left));
}
