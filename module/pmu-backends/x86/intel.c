// SPDX-License-Identifier: GPL-2.0-only
/*
 * Native backend for Intel's architectural performance monitoring, versions 1 to 5 (SDM volume 3,
 * chapter "Performance Monitoring"). CPUID tells what a CPU has; there are no tables of models.
 * Machines with two kinds of cores have a core type for each.
 */
#include <linux/cpu.h>
#include <linux/string.h>
#include <asm/barrier.h>
#include <asm/cpufeature.h>
#include <asm/perf_event.h>

#include "../list.h"
#include "others.h"
#include "places.h"
#include "x86.h"

#define INTEL_LEAF_PERFMON	0xa
#define INTEL_LEAF_CORE_TYPE	0x1a
#define INTEL_MAX_VERSION	5
#define INTEL_NR_FIXED		3	/* fixed counters that surely count one event */
#define INTEL_TSX_COUNTER	3	/* general counter */
#define INTEL_CAP_FULL_WIDTH	BIT(13)
#define INTEL_FIXED_OS		BIT(0)
#define INTEL_FIXED_USR		BIT(1)
#define INTEL_FIXED_ANY		BIT(2)
#define INTEL_FIXED_INT		BIT(3)

/* From CPUID. The same for all core types of a machine. */
static unsigned int intel_version;
static bool intel_full_width;
static bool intel_any;

/* Events that CPUID can report as missing, by bit of EBX: code, unit mask. */
static const struct { u8 code, umask; } intel_arch_events[] = {
	{ 0x3c, 0x00 }, { 0xc0, 0x00 }, { 0x3c, 0x01 }, { 0x2e, 0x4f }, { 0x2e, 0x41 },
	{ 0xc4, 0x00 }, { 0xc5, 0x00 },
};

static u32 intel_counter_msr(unsigned int i)
{
	return (intel_full_width ? MSR_IA32_PMC0 : MSR_ARCH_PERFMON_PERFCTR0) + i;
}

static u32 intel_select_msr(unsigned int i)
{
	return MSR_ARCH_PERFMON_EVENTSEL0 + i;
}

static u8 intel_id(void)
{
	if (!boot_cpu_has(X86_FEATURE_HYBRID_CPU) ||
	    boot_cpu_data.cpuid_level < INTEL_LEAF_CORE_TYPE)
		return 0;
	return cpuid_eax(INTEL_LEAF_CORE_TYPE) >> 24;
}

static const char *intel_type_name(u8 id)
{
	switch (id) {
	case 0x20: return "intel_atom";
	case 0x40: return "intel_core";
	}
	return "intel";
}

static int intel_describe(struct x86_type *t)
{
	u32 eax, ebx, ecx, edx;
	u64 caps = 0;

	if (boot_cpu_data.cpuid_level < INTEL_LEAF_PERFMON)
		return -ENODEV;
	cpuid(INTEL_LEAF_PERFMON, &eax, &ebx, &ecx, &edx);
	intel_version = eax & 0xff;
	t->nr_general = min_t(u32, eax >> 8 & 0xff, 16);
	if (!intel_version || !t->nr_general)
		return -ENODEV;
	if (intel_version >= 2)
		t->nr_fixed = min_t(u32, edx & 0x1f, INTEL_NR_FIXED);
	t->type.width = eax >> 16 & 0xff;
	/* Microcode uses the fourth counter whenever somebody executes an instruction of TSX. */
	if (boot_cpu_has(X86_FEATURE_TSX_FORCE_ABORT) &&
	    !boot_cpu_has(X86_FEATURE_RTM_ALWAYS_ABORT) && t->nr_general > INTEL_TSX_COUNTER)
		t->lacking = BIT(t->nr_fixed + INTEL_TSX_COUNTER);
	t->global = GENMASK_ULL(t->nr_general - 1, 0) |
		    (t->nr_fixed ? GENMASK_ULL(31 + t->nr_fixed, 32) : 0);
	/* CPUID of version 5 says when AnyThread is gone. */
	intel_any = intel_version >= 3 && !(edx & BIT(15));
	if (boot_cpu_has(X86_FEATURE_PDCM))
		rdmsrq_safe(MSR_IA32_PERF_CAPABILITIES, &caps);
	intel_full_width = caps & INTEL_CAP_FULL_WIDTH;
	scnprintf(t->type.name, sizeof(t->type.name), "%s_perfmon_v%u",
		  intel_type_name(t->id), intel_version);
	return 0;
}

static int intel_check_fixed(const struct x86_type *t, const struct pmct_event *event,
			     struct pmct_msg *msg)
{
	static const char *const names[] = { "instructions", "cycles", "reference cycles" };

	if (event->has_code || event->extra[X86_UMASK] || event->extra[X86_CMASK] ||
	    event->extra[X86_EDGE] || event->extra[X86_INV])
		return pmct_refuse(msg, -EINVAL,
				   "pmc%u counts %s and nothing else; use pmc%u or higher for events with a code",
				   event->counter, names[event->counter], t->nr_fixed);
	if (event->extra[X86_ANY] > intel_any)
		return pmct_refuse(msg, -EOPNOTSUPP,
				   "any%u: %s cannot count for the other thread of the core",
				   event->counter, t->type.name);
	return 0;
}

static int intel_translate_fixed(const struct x86_type *t, const struct pmct_event *event,
				 u64 *config, struct pmct_msg *msg)
{
	int err = intel_check_fixed(t, event, msg);

	if (err)
		return err;
	*config = X86_CFG_FIXED | FIELD_PREP(X86_CFG_INDEX, event->counter);
	*config |= (event->os ? INTEL_FIXED_OS : 0) | (event->usr ? INTEL_FIXED_USR : 0) |
		   (event->extra[X86_ANY] ? INTEL_FIXED_ANY : 0) |
		   (event->ebs ? INTEL_FIXED_INT : 0);
	return 0;
}

/* Does this CPU lack an event of the architecture? CPUID says so. */
static bool intel_lacks(const struct pmct_event *event)
{
	u32 eax, ebx, ecx, edx;
	unsigned int i, n;

	cpuid(INTEL_LEAF_PERFMON, &eax, &ebx, &ecx, &edx);
	n = min_t(u32, eax >> 24, ARRAY_SIZE(intel_arch_events));
	for (i = 0; i < n; i++) {
		if (event->code == intel_arch_events[i].code &&
		    event->extra[X86_UMASK] == intel_arch_events[i].umask)
			return ebx & BIT(i);
	}
	return false;
}

/* Offcore responses. MSR_OFFCORE_RSP_0 and 1, which are perf's, choose what they count. */
static bool intel_is_offcore_response(const struct pmct_event *event)
{
	u32 umask = event->extra[X86_UMASK];

	switch (event->code) {
	case 0xb7:
		/* Atoms have two here. On CPUs with AMX, the second one is EXE.AMX_BUSY. */
		return umask == 1 || (umask == 2 && !boot_cpu_has(X86_FEATURE_AMX_TILE));
	case 0xbb:
		return umask == 1;
	case 0x2a:
	case 0x2b:
		return umask == 1 && intel_version >= 5;
	}
	return false;
}

/*
 * Errata BJ122, BV98 and HSD29: with hyperthreading, events of memory instructions also count on
 * the other hyperthread's counter of the same number, so that they spoil what others count.
 */
static bool intel_spoils_others(const struct pmct_event *event)
{
	static const u8 models[] = {
		0x2a, 0x2d,			/* Sandy Bridge */
		0x3a, 0x3e,			/* Ivy Bridge */
		0x3c, 0x3f, 0x45, 0x46,		/* Haswell */
	};

	return event->code >= 0xd0 && event->code <= 0xd3 && boot_cpu_data.x86 == 6 &&
	       memchr(models, boot_cpu_data.x86_model, sizeof(models)) && cpu_smt_possible();
}

static int intel_translate(const struct pmct_core_type *type, const struct pmct_event *event,
			   u64 *config, u64 *mask, struct pmct_msg *msg)
{
	const struct x86_type *t = x86_type(type);
	int err;

	*mask = GENMASK_ULL(type->width - 1, 0);
	if (event->counter < t->nr_fixed)
		return intel_translate_fixed(t, event, config, msg);
	err = x86_encode(t, event, 0xff, intel_any, config, msg);
	if (err)
		return err;
	if (intel_lacks(event))
		return pmct_refuse(msg, -EOPNOTSUPP,
				   "pmc%u=%#llx,umask%u=%#x: %s does not have this event",
				   event->counter, event->code, event->counter,
				   event->extra[X86_UMASK], type->name);
	if (intel_is_offcore_response(event))
		return pmct_refuse(msg, -EOPNOTSUPP,
				   "pmc%u=%#llx,umask%u=%u: what this event counts is chosen in a register that perf owns; count it with perf",
				   event->counter, event->code, event->counter,
				   event->extra[X86_UMASK]);
	if (intel_spoils_others(event))
		return pmct_refuse(msg, -EOPNOTSUPP,
				   "pmc%u=%#llx: on this CPU it changes counts of the other hyperthread (an erratum); boot with 'nosmt=force', or count it with perf",
				   event->counter, event->code);
	err = x86_check_place(t, event, x86_places_intel(intel_version, event->code,
							 event->extra[X86_UMASK]), msg);
	if (err)
		return err;
	/* A write sets the low half, and extends its sign, so windows cannot be longer. */
	if (event->ebs && !intel_full_width)
		*mask = U32_MAX;
	return 0;
}

static const char *intel_sees_others(const struct pmct_core_type *type,
				     const struct pmct_event *event)
{
	return x86_sees_others(event->code, event->extra[X86_UMASK],
			       intel_any && event->extra[X86_ANY] == 1);
}

/* Convert bits of the global registers to counters, and back. */
static u64 intel_from_global(const struct x86_type *t, u64 bits)
{
	bits &= t->global;
	return bits >> 32 | (bits & U32_MAX) << t->nr_fixed;
}

static u64 intel_to_global(const struct x86_type *t, u64 counters)
{
	u64 fixed = counters & t->type.fixed;

	return fixed << 32 | (counters & t->type.counters) >> t->nr_fixed;
}

/* Version 1 has no flags. On a CPU that is not ours, no counter overflows. */
static u64 intel_overflowed(const struct x86_cpu *cpu, u64 counters)
{
	if (unlikely(!cpu->type))
		return 0;
	if (intel_version < 2)
		return x86_unflagged_pending(cpu) & counters;
	return intel_from_global(cpu->type, pmct_rdmsr(MSR_CORE_PERF_GLOBAL_STATUS)) & counters;
}

static u64 intel_pending(const struct x86_cpu *cpu)
{
	return intel_overflowed(cpu, cpu->interrupts);
}

static void intel_stop_counters(const struct x86_type *t)
{
	unsigned int i;

	if (intel_version >= 2) {
		pmct_wrmsr(MSR_CORE_PERF_GLOBAL_CTRL, 0);
		return;
	}
	for (i = 0; i < t->nr_general; i++)
		pmct_wrmsr(intel_select_msr(i), 0);
}

static void intel_clear_status(u64 bits)
{
	if (intel_version >= 2)
		pmct_wrmsr(MSR_CORE_PERF_GLOBAL_OVF_CTRL, bits);
}

/* Save these, because perf does not write again what it believes to be there. */
static void intel_save(struct x86_cpu *cpu)
{
	if (intel_version < 2)
		return;
	cpu->saved[0] = pmct_rdmsr(MSR_CORE_PERF_GLOBAL_CTRL);
	cpu->saved[1] = pmct_rdmsr(MSR_CORE_PERF_FIXED_CTR_CTRL);
}

/*
 * Nobody may find what was counted: perf lets its users read all counters (RDPMC), and clears only
 * those that it has used itself.
 */
static void intel_forget(const struct x86_type *t)
{
	unsigned int i;

	for (i = 0; i < t->nr_general; i++) {
		pmct_wrmsr(intel_select_msr(i), 0);
		pmct_wrmsr(intel_counter_msr(i), 0);
	}
	for (i = 0; i < t->nr_fixed; i++)
		pmct_wrmsr(MSR_CORE_PERF_FIXED_CTR0 + i, 0);
	intel_clear_status(t->global);
}

static void intel_start(const struct x86_cpu *cpu)
{
	intel_stop_counters(cpu->type);
	intel_forget(cpu->type);
}

static void intel_stop(struct x86_cpu *cpu)
{
	intel_stop_counters(cpu->type);
	x86_drop_interrupts(cpu);
	intel_forget(cpu->type);
	if (intel_version < 2)
		return;
	pmct_wrmsr(MSR_CORE_PERF_FIXED_CTR_CTRL, cpu->saved[1]);
	pmct_wrmsr(MSR_CORE_PERF_GLOBAL_CTRL, cpu->saved[0]);
}

/*
 * Disable the interrupts of counters that the next set may leave out. perf may enable these
 * counters, see intel_global_intact(), and nobody would acknowledge their interrupts.
 */
static void intel_disarm(const struct x86_type *t, u64 interrupts)
{
	unsigned int i;

	for (i = 0; i < t->nr_general; i++) {
		if (interrupts & BIT_ULL(t->nr_fixed + i))
			pmct_wrmsr(intel_select_msr(i), 0);
	}
}

static void intel_program(const struct pmct_hwset *set)
{
	struct x86_cpu *cpu = this_cpu_ptr(&x86_cpu);
	const struct x86_type *t = cpu->type;
	u64 fixed = 0;
	unsigned int i;

	if (unlikely(!t))
		return;
	intel_stop_counters(t);
	if (unlikely(cpu->interrupts)) {
		intel_disarm(t, cpu->interrupts);
		x86_drop_interrupts(cpu);
	}
	for (i = 0; i < set->nr; i++) {
		unsigned int n = FIELD_GET(X86_CFG_INDEX, set->config[i]);
		u64 reg = set->config[i] & X86_CFG_REGISTER;

		if (set->config[i] & X86_CFG_FIXED)
			fixed |= reg << (4 * n);
		else
			pmct_wrmsr(intel_select_msr(n), reg);
	}
	if (unlikely(set->ebs))
		x86_open_lvtpc();
	if (intel_version < 2)
		return;
	intel_clear_status(t->global);
	if (unlikely(set->ebs))
		WRITE_ONCE(cpu->interrupts, BIT_ULL(set->counter[set->ebs_index]));
	pmct_wrmsr(MSR_CORE_PERF_FIXED_CTR_CTRL, fixed);
	pmct_wrmsr(MSR_CORE_PERF_GLOBAL_CTRL, intel_to_global(t, set->counters));
}

static u64 __no_kcsan intel_read(const struct pmct_hwset *set, u64 *values)
{
	u64 overflow = 0;

	if (unlikely(set->narrow)) {
		overflow = intel_overflowed(this_cpu_ptr(&x86_cpu), set->counters);
		/* A flag must not be newer than the value that is read next. */
		rmb();
	}
	x86_read(set, values);
	return overflow;
}

static u64 intel_overflow_pending(void)
{
	return intel_overflowed(this_cpu_ptr(&x86_cpu), U64_MAX);
}

/* Overflows from here on keep their flags, because their NMIs are still to come. */
static void intel_overflow_clear(u64 counters)
{
	struct x86_cpu *cpu = this_cpu_ptr(&x86_cpu);
	u64 overflowed = intel_overflowed(cpu, counters);
	u64 interrupts = overflowed & cpu->interrupts;

	if (!overflowed)
		return;
	/* The flags must not be cleared before the earlier reads are done. */
	rmb();
	x86_clear_begin(cpu, interrupts);
	if (intel_version < 2)
		x86_set_loaded(cpu, cpu->interrupts & ~overflowed);
	else
		intel_clear_status(intel_to_global(cpu->type, overflowed));
	x86_clear_end(interrupts);
	if (interrupts)
		x86_open_lvtpc();
}

/* Write a general counter of version 1, which has no flags. */
static void intel_write_v1(struct x86_cpu *cpu, unsigned int counter, u64 value)
{
	bool over = x86_is_loaded(cpu, counter) && x86_unload(cpu, counter);
	u64 interrupts = cpu->interrupts;

	/* The hardware extends the sign of @value. */
	if (value & BIT(31))
		interrupts |= BIT_ULL(counter);
	pmct_wrmsr(intel_counter_msr(counter), value);
	x86_set_loaded(cpu, interrupts);
	if (over)
		x86_open_lvtpc();
}

static void intel_write(unsigned int counter, u64 value)
{
	struct x86_cpu *cpu = this_cpu_ptr(&x86_cpu);
	const struct x86_type *t = cpu->type;

	if (unlikely(!t))
		return;
	if (intel_version < 2)
		intel_write_v1(cpu, counter, value);
	else if (counter < t->nr_fixed)
		pmct_wrmsr(MSR_CORE_PERF_FIXED_CTR0 + counter, value);
	else
		pmct_wrmsr(intel_counter_msr(counter - t->nr_fixed), value);
}

/*
 * More counters may be enabled. At the switches of a task with a software event that has outlived
 * its group's hardware leader, perf enables all counters.
 */
static bool intel_global_intact(const struct x86_type *t, const struct pmct_hwset *set, u64 fixed)
{
	u64 enabled = intel_to_global(t, set->counters);

	return intel_version < 2 ||
	       ((pmct_rdmsr(MSR_CORE_PERF_GLOBAL_CTRL) & enabled) == enabled &&
		pmct_rdmsr(MSR_CORE_PERF_FIXED_CTR_CTRL) == fixed);
}

static bool intel_intact(const struct pmct_hwset *set)
{
	const struct x86_cpu *cpu = this_cpu_ptr(&x86_cpu);
	u64 fixed = 0;
	unsigned int i;

	if (unlikely(!cpu->type))
		return true;
	for (i = 0; i < set->nr; i++) {
		unsigned int n = FIELD_GET(X86_CFG_INDEX, set->config[i]);
		u64 reg = set->config[i] & X86_CFG_REGISTER;

		if (set->config[i] & X86_CFG_FIXED)
			fixed |= reg << (4 * n);
		else if (pmct_rdmsr(intel_select_msr(n)) != reg)
			return false;
	}
	return intel_global_intact(cpu->type, set, fixed) &&
	       (!set->ebs || x86_lvtpc_intact(cpu));
}

static const struct x86_vendor intel_vendor = {
	.counter_msr	= intel_counter_msr,
	.select_msr	= intel_select_msr,
	.id		= intel_id,
	.describe	= intel_describe,
	.save		= intel_save,
	.start		= intel_start,
	.stop		= intel_stop,
	.pending	= intel_pending,
};

static int intel_probe(struct pmct_msg *msg)
{
	unsigned int version = 0;

	if (boot_cpu_data.x86_vendor != X86_VENDOR_INTEL)
		return -ENODEV;
	if (boot_cpu_data.cpuid_level >= INTEL_LEAF_PERFMON)
		version = cpuid_eax(INTEL_LEAF_PERFMON) & 0xff;
	/* Its registers have new names, which the kernel's reservations do not know. */
	if (version > INTEL_MAX_VERSION)
		return pmct_refuse(msg, -ENODEV,
				   "perfmon version %u of this CPU: nothing would keep perf from using the same counters (known are versions 1 to %u)",
				   version, INTEL_MAX_VERSION);
	return x86_probe(&intel_vendor, msg);
}

const struct pmct_backend pmct_intel = {
	.name			= "x86-intel",
	.owns_counters	= true,
	.interrupts		= 2,
	.keys			= x86_keys,
	.events			= &pmct_events_x86_intel,
	.set_code		= x86_set_code,
	.probe			= intel_probe,
	.nr_core_types		= x86_nr_core_types,
	.core_type		= x86_core_type,
	.cpu_core_type		= x86_cpu_core_type,
	.cpu_online		= x86_cpu_online,
	.cpu_up			= x86_cpu_up,
	.cpu_down		= x86_cpu_down,
	.exit			= x86_exit,
	.translate		= intel_translate,
	.sees_others		= intel_sees_others,
	.claim			= x86_claim,
	.release		= x86_release,
	.program		= intel_program,
	.read			= intel_read,
	.intact			= intel_intact,
	.write			= intel_write,
	.overflow_pending	= intel_overflow_pending,
	.overflow_clear		= intel_overflow_clear,
};
