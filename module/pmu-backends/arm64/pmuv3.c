// SPDX-License-Identifier: GPL-2.0-only
/*
 * Native backend for ARM PMUv3 (ARM DDI 0487, chapter D13). One core type for
 * each CPU model (MIDR) of the machine.
 */
#include <linux/cpu.h>
#include <linux/hardirq.h>
#include <linux/module.h>
#include <linux/smp.h>
#include <asm/cputype.h>
#include <asm/virt.h>

#include "../../compat/pmu_claim.h"
#include "../list.h"
#include "pmuv3.h"

static bool long_counters = true;
module_param(long_counters, bool, 0444);
MODULE_PARM_DESC(long_counters, "arm64: use 64-bit event counters where there are (default: yes)");

static struct pmuv3_type pmuv3_types[PMCTRACK_MAX_CORE_TYPES];
static unsigned int pmuv3_nr_types;
static bool (*pmuv3_overflow)(void);

static struct pmuv3_type *pmuv3_find(u32 midr)
{
	unsigned int i;

	for (i = 0; i < pmuv3_nr_types; i++) {
		if (pmuv3_types[i].midr == midr)
			return &pmuv3_types[i];
	}
	return NULL;
}

static bool pmuv3_is_long(const struct pmuv3_type *t)
{
	return t->version >= PMUV3_VER_P5 && long_counters;
}

/* PMCEIDn: the low half lists events from 0 or 0x20, the high half from 0x4000. */
static void pmuv3_read_events(struct pmuv3_type *t)
{
	u64 id0 = read_sysreg(pmceid0_el0);
	u64 id1 = read_sysreg(pmceid1_el0);
	u32 common[] = { lower_32_bits(id0), lower_32_bits(id1) };
	u32 extended[] = { upper_32_bits(id0), upper_32_bits(id1) };

	bitmap_from_arr32(t->common, common, PMUV3_COMMON_EVENTS);
	bitmap_from_arr32(t->extended, extended, PMUV3_COMMON_EVENTS);
}

/* Runs on each CPU, one after the other. */
static void pmuv3_probe_cpu(void *unused)
{
	unsigned int version = FIELD_GET(PMUV3_DFR0_PMUVER, read_sysreg(id_aa64dfr0_el1));
	u32 midr = read_cpuid_id();
	struct pmuv3_type *t = pmuv3_find(midr);
	unsigned int n;

	if (version == PMUV3_VER_NONE || version == PMUV3_VER_IMPDEF)
		return;
	if (!t) {
		if (pmuv3_nr_types == PMCTRACK_MAX_CORE_TYPES)
			return;
		t = &pmuv3_types[pmuv3_nr_types];
		t->midr = midr;
		t->version = version;
		n = FIELD_GET(PMUV3_PMCR_N, read_sysreg(pmcr_el0));
		t->type.counters = BIT(PMUV3_CYCLES) | (u32)GENMASK_ULL(n, 0);
		t->type.fixed = BIT(PMUV3_CYCLES);
		t->type.width = pmuv3_is_long(t) ? 64 : 32;
		t->type.events = t->common;
		t->type.nr_events = PMUV3_COMMON_EVENTS;
		scnprintf(t->type.name, sizeof(t->type.name), "armv8_pmuv3_%u",
			  pmuv3_nr_types);
		scnprintf(t->type.model, sizeof(t->type.model), "midr=%#010x", midr);
		pmuv3_read_events(t);
		pmuv3_nr_types++;
	}
	cpumask_set_cpu(smp_processor_id(), &t->type.cpus);
}

static int pmuv3_probe(struct pmct_msg *msg)
{
	int cpu;

	cpus_read_lock();
	for_each_online_cpu(cpu)
		smp_call_function_single(cpu, pmuv3_probe_cpu, NULL, true);
	cpus_read_unlock();
	if (!pmuv3_nr_types)
		return pmct_refuse(msg, -ENODEV, "this CPU has no PMUv3 (ID_AA64DFR0_EL1.PMUVer)");
	return 0;
}

static unsigned int pmuv3_nr_core_types(void)
{
	return pmuv3_nr_types;
}

static const struct pmct_core_type *pmuv3_core_type(unsigned int i)
{
	return &pmuv3_types[i].type;
}

/* A CPU that was offline at probe may be of an unknown model. */
static unsigned int pmuv3_cpu_core_type(int cpu)
{
	struct pmuv3_type *t = pmuv3_find(read_cpuid_id());

	if (!t) {
		pr_warn_once("pmctrack: CPU %d is of a model that was offline at load, or has no PMU: nothing is counted there until the module is reloaded\n",
			     cpu);
		return PMCT_NO_CORE_TYPE;
	}
	cpumask_set_cpu(cpu, &t->type.cpus);
	return t - pmuv3_types;
}

static bool pmuv3_implements(const struct pmuv3_type *t, u64 code)
{
	if (code < PMUV3_COMMON_EVENTS)
		return test_bit(code, t->common);
	if (code >= 0x4000 && code < 0x4000 + PMUV3_COMMON_EVENTS)
		return test_bit(code - 0x4000, t->extended);
	/* For implementation defined events, the hardware does not tell. */
	return true;
}

static int pmuv3_check_event(const struct pmuv3_type *t, const struct pmct_event *event,
			     struct pmct_msg *msg)
{
	u64 max = t->version >= PMUV3_VER_P1 ? PMUV3_MAX_CODE : PMUV3_MAX_CODE_P0;

	if (event->counter == PMUV3_CYCLES) {
		if (event->has_code && event->code != PMUV3_EVENT_CPU_CYCLES)
			return pmct_refuse(msg, -EINVAL,
					   "pmc0=%#llx: pmc0 counts cycles only; use pmc1 or higher",
					   event->code);
		return 0;
	}
	if (!event->has_code)
		return pmct_refuse(msg, -EINVAL, "pmc%u needs an event code: pmc%u=0x...",
				   event->counter, event->counter);
	if (event->code > max)
		return pmct_refuse(msg, event->code > PMUV3_MAX_CODE ? -EINVAL : -EOPNOTSUPP,
				   "pmc%u=%#llx: event codes of %s are at most %#llx",
				   event->counter, event->code, t->type.name, max);
	if (!pmuv3_implements(t, event->code) || event->code == PMUV3_EVENT_CHAIN)
		return pmct_refuse(msg, -EOPNOTSUPP,
				   "pmc%u=%#llx: %s does not have this event; 'pmc-events -L' lists those it has",
				   event->counter, event->code, t->type.name);
	return 0;
}

static int pmuv3_translate(const struct pmct_core_type *type, const struct pmct_event *event,
			   u64 *config, u64 *mask, struct pmct_msg *msg)
{
	const struct pmuv3_type *t = container_of(type, struct pmuv3_type, type);
	bool cycles = event->counter == PMUV3_CYCLES;
	int err;

	err = pmuv3_check_event(t, event, msg);
	if (err)
		return err;
	*config = cycles ? 0 : event->code;
	if (!event->usr)
		*config |= PMUV3_TYPER_U;
	if (!event->os)
		*config |= PMUV3_TYPER_P;
	else if (is_kernel_in_hyp_mode())
		*config |= PMUV3_TYPER_NSH | PMUV3_TYPER_P;
	*mask = cycles || pmuv3_is_long(t) ? U64_MAX : U32_MAX;
	return 0;
}

static u64 pmuv3_overflow_pending(void)
{
	return pmuv3_from_hw(read_sysreg(pmovsclr_el0));
}

static void pmuv3_overflow_clear(u64 counters)
{
	u32 bits = pmuv3_to_hw(counters);

	/* The flags must not be cleared before the earlier reads are done. */
	isb();
	write_sysreg(bits, pmovsclr_el0);
	/* pmuv3_irq() may have masked these interrupts. */
	write_sysreg(bits, pmintenset_el1);
}

static irqreturn_t pmuv3_irq(void)
{
	if (in_nmi()) {
		/* Keep the flags for the next tick or switch, and mask the interrupt. */
		write_sysreg(read_sysreg(pmovsclr_el0), pmintenclr_el1);
		return IRQ_HANDLED;
	}
	return pmuv3_overflow() ? IRQ_HANDLED : IRQ_NONE;
}

/* PMCR_EL0 with all counters stopped; LC and LP as perf's driver sets them. */
static u64 pmuv3_pmcr(bool is_long)
{
	return PMUV3_PMCR_LC | (is_long ? PMUV3_PMCR_LP : 0);
}

static void pmuv3_stop_cpu(void *unused)
{
	const struct pmuv3_type *t = pmuv3_find(read_cpuid_id());

	/* This CPU may have no such registers. */
	if (!t)
		return;
	pmct_pmu_user_access(0);
	write_sysreg(pmuv3_pmcr(t->version >= PMUV3_VER_P5), pmcr_el0);
	isb();
	write_sysreg(U32_MAX, pmcntenclr_el0);
	write_sysreg(U32_MAX, pmintenclr_el1);
	write_sysreg(U32_MAX, pmovsclr_el0);
	isb();
}

/*
 * Counters that can wrap begin shortly before they wrap, as jiffies do, so that every user
 * exercises the code for wraps.
 */
static void pmuv3_start_cpu(void *unused)
{
	const struct pmuv3_type *t = pmuv3_find(read_cpuid_id());
	unsigned int i;

	pmuv3_stop_cpu(NULL);
	if (!t || pmuv3_is_long(t))
		return;
	write_sysreg(pmuv3_pmcr(false), pmcr_el0);
	for (i = 1; i < PMCTRACK_MAX_COUNTERS && t->type.counters >> i; i++)
		pmuv3_write_counter(i, (u32)-0x10000);
	isb();
}

static int pmuv3_claim(bool (*overflow)(void), struct pmct_msg *msg)
{
	pmuv3_overflow = overflow;
	if (pmct_pmu_claim(pmuv3_irq))
		return pmct_refuse(msg, -EBUSY,
				   "perf is using the counters: end perf (or the NMI watchdog: sysctl kernel.nmi_watchdog=0) first");
	on_each_cpu(pmuv3_start_cpu, NULL, true);
	return 0;
}

static void pmuv3_release(void)
{
	on_each_cpu(pmuv3_stop_cpu, NULL, true);
	pmct_pmu_release();
}

static void pmuv3_program(const struct pmct_hwset *set)
{
	u64 pmcr = pmuv3_pmcr(pmuv3_is_long(&pmuv3_types[set->core_type]));
	u32 bits = pmuv3_to_hw(set->counters);
	unsigned int i;

	write_sysreg(pmcr, pmcr_el0);
	isb();
	write_sysreg(U32_MAX, pmcntenclr_el0);
	write_sysreg(U32_MAX, pmintenclr_el1);
	write_sysreg(U32_MAX, pmovsclr_el0);
	/* No direct access from user space, because it would see other threads' events. */
	pmct_pmu_user_access(0);
	for (i = 0; i < set->nr; i++)
		pmuv3_write_type(set->counter[i], set->config[i]);
	write_sysreg(bits, pmcntenset_el0);
	if (set->narrow)
		write_sysreg(bits, pmintenset_el1);
	isb();
	write_sysreg(pmcr | PMUV3_PMCR_E, pmcr_el0);
	isb();
}

#define PMUV3_READ(n)							\
	do {								\
		if (counters & BIT((n) + 1))				\
			*values++ = read_sysreg(pmevcntr##n##_el0);	\
	} while (0)

/* The same steps each time, also with KCSAN, so that counters differ by a constant. */
static u64 __no_kcsan pmuv3_read(const struct pmct_hwset *set, u64 *values)
{
	u32 counters = set->counters;
	u64 overflow = 0;
	unsigned int i;

	if (unlikely(set->narrow)) {
		overflow = pmuv3_overflow_pending() & counters;
		/* A flag must not be newer than the value that is read next. */
		isb();
	}
	if (counters & BIT(PMUV3_CYCLES))
		*values++ = read_sysreg(pmccntr_el0);
	PMUV3_READ(0);
	PMUV3_READ(1);
	PMUV3_READ(2);
	if (likely(!(counters >> 4)))
		return overflow;
	/* Read counters that most CPUs have directly, the others by number. */
	PMUV3_READ(3);
	PMUV3_READ(4);
	PMUV3_READ(5);
	for (i = 7; i < PMCTRACK_MAX_COUNTERS && unlikely(counters >> i); i++) {
		if (counters & BIT(i))
			*values++ = pmuv3_read_counter(i);
	}
	return overflow;
}

/* Interrupts are not checked, because pmuv3_irq() may have masked them. */
static bool pmuv3_intact(const struct pmct_hwset *set)
{
	u32 bits = pmuv3_to_hw(set->counters);
	unsigned int i;

	if (!(read_sysreg(pmcr_el0) & PMUV3_PMCR_E) ||
	    (read_sysreg(pmcntenset_el0) & bits) != bits)
		return false;
	for (i = 0; i < set->nr; i++) {
		if (pmuv3_read_type(set->counter[i]) != set->config[i])
			return false;
	}
	return true;
}

static void pmuv3_write(unsigned int counter, u64 value)
{
	if (counter == PMUV3_CYCLES)
		write_sysreg(value, pmccntr_el0);
	else
		pmuv3_write_counter(counter, value);
	isb();
}

/*
 * User mode has access to all event counters or to none. All are set to 0, because what other
 * programs left in them is theirs. program() ends the access.
 */
static void pmuv3_user_access(const struct pmct_hwset *set)
{
	u32 counters;
	unsigned int i;

	if (!set) {
		pmct_pmu_user_access(0);
		isb();
		return;
	}
	counters = pmuv3_types[set->core_type].type.counters;
	write_sysreg(0, pmccntr_el0);
	for (i = 1; i < PMCTRACK_MAX_COUNTERS && counters >> i; i++)
		pmuv3_write_counter(i, 0);
	pmct_pmu_user_access(PMUV3_USERENR_CR | PMUV3_USERENR_ER);
	isb();
}

const struct pmct_backend pmct_pmuv3 = {
	.name			= "arm64-pmuv3",
	.owns_counters	= true,
	.interrupts		= 1,
	.events			= &pmct_events_arm64,
	.probe			= pmuv3_probe,
	.nr_core_types		= pmuv3_nr_core_types,
	.core_type		= pmuv3_core_type,
	.cpu_core_type		= pmuv3_cpu_core_type,
	.translate		= pmuv3_translate,
	.claim			= pmuv3_claim,
	.release		= pmuv3_release,
	.program		= pmuv3_program,
	.read			= pmuv3_read,
	.intact			= pmuv3_intact,
	.write			= pmuv3_write,
	.user_access		= pmuv3_user_access,
	.overflow_pending	= pmuv3_overflow_pending,
	.overflow_clear		= pmuv3_overflow_clear,
};
