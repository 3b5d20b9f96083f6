// SPDX-License-Identifier: GPL-2.0-only
/*
 * Native backend for AMD (APM volume 2, 13.2): the four counters of K7 and later, the six of family
 * 15h and later, and PerfMonV2. Hygon CPUs are the same.
 *
 * No register says which counter has overflowed. The register of PerfMonV2 is not needed.
 */
#include <asm/barrier.h>
#include <asm/cpufeature.h>

#include "../list.h"
#include "others.h"
#include "places.h"
#include "x86.h"

#define AMD_WIDTH		48
#define AMD_MAX_CODE		0xfff
#define AMD_RETIRED_FLOPS	0x003
#define AMD_MERGE		0xfff
#define AMD_LEAF_PERFMON	0x80000022
#define AMD_GLOBAL_CTL		0xc0000301
#define AMD_GLOBAL_STATUS_CLR	0xc0000302

static bool amd_core, amd_v2;

static u32 amd_counter_msr(unsigned int i)
{
	return amd_core ? MSR_F15H_PERF_CTR + 2 * i : MSR_K7_PERFCTR0 + i;
}

static u32 amd_select_msr(unsigned int i)
{
	return amd_core ? MSR_F15H_PERF_CTL + 2 * i : MSR_K7_EVNTSEL0 + i;
}

static u8 amd_id(void)
{
	return 0;
}

static int amd_describe(struct x86_type *t)
{
	if (boot_cpu_data.x86 < 6)
		return -ENODEV;
	amd_core = boot_cpu_has(X86_FEATURE_PERFCTR_CORE);
	amd_v2 = amd_core && boot_cpu_data.extended_cpuid_level >= AMD_LEAF_PERFMON &&
		 cpuid_eax(AMD_LEAF_PERFMON) & BIT(0);
	t->nr_general = amd_core ? 6 : 4;
	if (amd_v2)
		t->nr_general = min_t(u32, cpuid_ebx(AMD_LEAF_PERFMON) & 0xf, 16);
	if (!t->nr_general)
		return -ENODEV;
	t->type.width = AMD_WIDTH;
	t->global = GENMASK_ULL(t->nr_general - 1, 0);
	scnprintf(t->type.name, sizeof(t->type.name), "amd_%s",
		  amd_v2 ? "perfmon_v2" : amd_core ? "perfctr_core" : "k7");
	return 0;
}

static int amd_translate(const struct pmct_core_type *type, const struct pmct_event *event,
			 u64 *config, u64 *mask, struct pmct_msg *msg)
{
	*mask = GENMASK_ULL(AMD_WIDTH - 1, 0);
	/*
	 * More than 15 a cycle are possible. Those above 15 are lost unless the next counter is
	 * merged with this one.
	 */
	if (event->has_code && boot_cpu_data.x86 >= 0x17 &&
	    (event->code == AMD_RETIRED_FLOPS || event->code == AMD_MERGE))
		return pmct_refuse(msg, -EOPNOTSUPP,
				   "pmc%u=%#llx: one counter would miss events, it takes two that are merged; count it with perf, or load the module with backend=perf",
				   event->counter, event->code);
	return x86_encode(x86_type(type), event, AMD_MAX_CODE, false, config, msg) ?:
	       x86_check_place(x86_type(type), event,
			       x86_places_amd(event->code, event->extra[X86_UMASK]), msg);
}

static const char *amd_sees_others(const struct pmct_core_type *type,
				   const struct pmct_event *event)
{
	return x86_sees_others(event->code, event->extra[X86_UMASK], false);
}

static void amd_stop_counters(const struct x86_type *t)
{
	unsigned int i;

	if (amd_v2)
		pmct_wrmsr(AMD_GLOBAL_CTL, 0);
	for (i = 0; i < t->nr_general; i++)
		pmct_wrmsr(amd_select_msr(i), 0);
	if (amd_v2)
		pmct_wrmsr(AMD_GLOBAL_STATUS_CLR, t->global);
}

static void amd_save(struct x86_cpu *cpu)
{
	if (amd_v2)
		cpu->saved[0] = pmct_rdmsr(AMD_GLOBAL_CTL);
}

/* See intel_forget(). */
static void amd_forget(const struct x86_type *t)
{
	unsigned int i;

	for (i = 0; i < t->nr_general; i++)
		pmct_wrmsr(amd_counter_msr(i), 0);
}

static void amd_start(const struct x86_cpu *cpu)
{
	amd_stop_counters(cpu->type);
	amd_forget(cpu->type);
}

static void amd_stop(struct x86_cpu *cpu)
{
	amd_stop_counters(cpu->type);
	x86_drop_interrupts(cpu);
	amd_forget(cpu->type);
	if (amd_v2)
		pmct_wrmsr(AMD_GLOBAL_CTL, cpu->saved[0]);
}

static void amd_program(const struct pmct_hwset *set)
{
	struct x86_cpu *cpu = this_cpu_ptr(&x86_cpu);
	unsigned int i;

	if (unlikely(!cpu->type))
		return;
	amd_stop_counters(cpu->type);
	if (unlikely(cpu->interrupts))
		x86_drop_interrupts(cpu);
	if (unlikely(set->ebs))
		x86_open_lvtpc();
	for (i = 0; i < set->nr; i++)
		pmct_wrmsr(amd_select_msr(set->counter[i]), set->config[i] & X86_CFG_REGISTER);
	if (amd_v2)
		pmct_wrmsr(AMD_GLOBAL_CTL, set->counters);
}

static u64 __no_kcsan amd_read(const struct pmct_hwset *set, u64 *values)
{
	u64 overflow = 0;

	if (unlikely(set->narrow)) {
		overflow = x86_unflagged_pending(this_cpu_ptr(&x86_cpu));
		/* A flag must not be newer than the value that is read next. */
		rmb();
	}
	x86_read(set, values);
	return overflow;
}

static u64 amd_overflow_pending(void)
{
	return x86_unflagged_pending(this_cpu_ptr(&x86_cpu));
}

static void amd_overflow_clear(u64 counters)
{
	struct x86_cpu *cpu = this_cpu_ptr(&x86_cpu);
	u64 overflowed = x86_unflagged_pending(cpu) & counters;

	if (overflowed) {
		x86_clear_begin(cpu, overflowed);
		x86_set_loaded(cpu, cpu->interrupts & ~overflowed);
		x86_clear_end(overflowed);
	}
	if (amd_v2 && cpu->type)
		pmct_wrmsr(AMD_GLOBAL_STATUS_CLR, counters);
}

static void amd_write(unsigned int counter, u64 value)
{
	struct x86_cpu *cpu = this_cpu_ptr(&x86_cpu);
	u64 interrupts;

	if (unlikely(!cpu->type))
		return;
	if (x86_is_loaded(cpu, counter))
		x86_unload(cpu, counter);
	interrupts = cpu->interrupts;
	if (value & BIT_ULL(AMD_WIDTH - 1))
		interrupts |= BIT_ULL(counter);
	pmct_wrmsr(amd_counter_msr(counter), value);
	x86_set_loaded(cpu, interrupts);
}

static bool amd_intact(const struct pmct_hwset *set)
{
	const struct x86_cpu *cpu = this_cpu_ptr(&x86_cpu);
	unsigned int i;

	if (unlikely(!cpu->type))
		return true;
	for (i = 0; i < set->nr; i++) {
		if (pmct_rdmsr(amd_select_msr(set->counter[i])) !=
		    (set->config[i] & X86_CFG_REGISTER))
			return false;
	}
	/* perf may have enabled more counters, see intel_global_intact(). */
	if (amd_v2 && (pmct_rdmsr(AMD_GLOBAL_CTL) & set->counters) != set->counters)
		return false;
	return !set->ebs || x86_lvtpc_intact(cpu);
}

static const struct x86_vendor amd_vendor = {
	.counter_msr	= amd_counter_msr,
	.select_msr	= amd_select_msr,
	.id		= amd_id,
	.describe	= amd_describe,
	.save		= amd_save,
	.start		= amd_start,
	.stop		= amd_stop,
	.pending	= x86_unflagged_pending,
};

static int amd_probe(struct pmct_msg *msg)
{
	if (boot_cpu_data.x86_vendor != X86_VENDOR_AMD &&
	    boot_cpu_data.x86_vendor != X86_VENDOR_HYGON)
		return -ENODEV;
	return x86_probe(&amd_vendor, msg);
}

const struct pmct_backend pmct_amd = {
	.name			= "x86-amd",
	.owns_counters	= true,
	.interrupts		= 2,
	.keys			= x86_keys,
	.events			= &pmct_events_x86_amd,
	.set_code		= x86_set_code,
	.probe			= amd_probe,
	.nr_core_types		= x86_nr_core_types,
	.core_type		= x86_core_type,
	.cpu_core_type		= x86_cpu_core_type,
	.cpu_online		= x86_cpu_online,
	.cpu_up			= x86_cpu_up,
	.cpu_down		= x86_cpu_down,
	.exit			= x86_exit,
	.translate		= amd_translate,
	.sees_others		= amd_sees_others,
	.claim			= x86_claim,
	.release		= x86_release,
	.program		= amd_program,
	.read			= amd_read,
	.intact			= amd_intact,
	.write			= amd_write,
	.overflow_pending	= amd_overflow_pending,
	.overflow_clear		= amd_overflow_clear,
};
