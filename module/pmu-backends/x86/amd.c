// SPDX-License-Identifier: GPL-2.0-only
/*
 * Native backend for AMD (APM volume 2, 13.2): the four counters of K7 and
 * later, the six of family 15h and later, and PerfMonV2. Hygon is the same.
 *
 * No register says which counter has overflowed; that of PerfMonV2 is not
 * needed.
 */
#include <asm/barrier.h>
#include <asm/cpufeature.h>

#include "../list.h"
#include "x86.h"

#define AMD_WIDTH		48
#define AMD_MAX_CODE		0xfff
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
	return x86_encode(x86_type(type), event, AMD_MAX_CODE, false, config, msg);
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

static void amd_start(struct x86_cpu *cpu)
{
	unsigned int i;

	if (amd_v2)
		cpu->saved[0] = pmct_rdmsr(AMD_GLOBAL_CTL);
	amd_stop_counters(cpu->type);
	for (i = 0; i < cpu->type->nr_general; i++)
		pmct_wrmsr(amd_counter_msr(i), 0);
}

static void amd_stop(struct x86_cpu *cpu)
{
	amd_stop_counters(cpu->type);
	if (amd_v2)
		pmct_wrmsr(AMD_GLOBAL_CTL, cpu->saved[0]);
}

static void amd_program(const struct pmct_hwset *set)
{
	struct x86_cpu *cpu = this_cpu_ptr(&x86_cpu);
	unsigned int i;

	amd_stop_counters(cpu->type);
	/* None is loaded: an old small value is no overflow. */
	x86_set_loaded(cpu, 0);
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
	struct x86_cpu *cpu = this_cpu_ptr(&x86_cpu);

	return cpu->type ? x86_unflagged_pending(cpu) : 0;
}

static void amd_overflow_clear(u64 counters)
{
	struct x86_cpu *cpu = this_cpu_ptr(&x86_cpu);
	u64 pending = x86_unflagged_pending(cpu);

	x86_forget_overflows(cpu, counters, pending);
	x86_set_loaded(cpu, cpu->interrupts & ~(counters & pending));
	if (amd_v2)
		pmct_wrmsr(AMD_GLOBAL_STATUS_CLR, counters);
}

static void amd_write(unsigned int counter, u64 value)
{
	struct x86_cpu *cpu = this_cpu_ptr(&x86_cpu);

	/* The new value hides that the old one has overflowed, just now. */
	if (x86_is_loaded(cpu, counter))
		amd_overflow_clear(BIT_ULL(counter));
	pmct_wrmsr(amd_counter_msr(counter), value);
	if (value & BIT_ULL(AMD_WIDTH - 1))
		x86_set_loaded(cpu, cpu->interrupts | BIT_ULL(counter));
}

static const struct x86_vendor amd_vendor = {
	.counter_msr	= amd_counter_msr,
	.select_msr	= amd_select_msr,
	.id		= amd_id,
	.describe	= amd_describe,
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
	.keys			= x86_keys,
	.probe			= amd_probe,
	.nr_core_types		= x86_nr_core_types,
	.core_type		= x86_core_type,
	.cpu_core_type		= x86_cpu_core_type,
	.translate		= amd_translate,
	.claim			= x86_claim,
	.release		= x86_release,
	.program		= amd_program,
	.read			= amd_read,
	.write			= amd_write,
	.overflow_pending	= amd_overflow_pending,
	.overflow_clear		= amd_overflow_clear,
};
