// SPDX-License-Identifier: GPL-2.0-only
/* Counters of x86 in memory, and the backends built on them. */
#include <linux/bitfield.h>
#include <linux/cpu.h>
#include <linux/irq_work.h>
#include <linux/percpu.h>
#include <linux/smp.h>
#include <asm/barrier.h>
#include <asm/cpufeature.h>
#include <asm/nmi.h>
#include <asm/perf_event.h>

#include "../../compat/apic.h"
#include "../../compat/cpuid.h"
#include "../../compat/msr.h"
#include "../../core/evset.h"
#include "x86_model.h"

#define MODEL_AMD_GLOBAL_STATUS	0xc0000300
#define MODEL_AMD_GLOBAL_CTL	0xc0000301
#define MODEL_AMD_GLOBAL_CLR	0xc0000302
#define MODEL_GENERAL		16
#define MODEL_FIXED		3
#define MODEL_SEL_INT		BIT_ULL(20)
#define MODEL_SEL_ANY		BIT_ULL(21)
#define MODEL_SEL_EN		BIT_ULL(22)

/* The registers of a CPU. Overflow flags have the numbers of bits in the global registers. */
struct model_regs {
	u64 select[MODEL_GENERAL];
	u64 general[MODEL_GENERAL];
	u64 fixed[MODEL_FIXED];
	u64 fixed_ctrl;
	u64 global_ctrl;
	u64 status;
	u32 lvtpc;
};

struct x86_model x86_model;
static DEFINE_PER_CPU(struct model_regs, model_regs);

static bool model_is_amd(void)
{
	return x86_model.boot.x86_vendor != X86_VENDOR_INTEL;
}

static bool model_is_core(void)
{
	return cpu_has(&x86_model.boot, X86_FEATURE_PERFCTR_CORE);
}

static const struct x86_model_pmu *model_pmu(void)
{
	bool hybrid = cpu_has(&x86_model.boot, X86_FEATURE_HYBRID_CPU);

	return &x86_model.pmu[hybrid ? raw_smp_processor_id() & 1 : 0];
}

static u64 model_width(void)
{
	return GENMASK_ULL(model_pmu()->width - 1, 0);
}

static u64 model_global(void)
{
	const struct x86_model_pmu *pmu = model_pmu();

	return (BIT_ULL(pmu->general) - 1) | (BIT_ULL(pmu->fixed) - 1) << 32;
}

static bool model_any(void)
{
	return model_pmu()->version >= 3 && !model_pmu()->no_any;
}

/**
 * struct model_place - what an MSR stands for
 * @value: the register
 * @mask: bits that can be written
 * @select: the MSR chooses the event of a counter
 * @sign: a write has 32 bits, and is extended to the width of the counter
 * @clears: a write clears the bits that are written
 * @fixed: the MSR cannot be written
 */
struct model_place {
	u64 *value;
	u64 mask;
	bool select;
	bool sign;
	bool clears;
	bool fixed;
};

/* Is @msr one of @nr registers from @first, @step apart? @i is which one. */
static bool model_among(u32 msr, u32 first, u32 step, u32 nr, u32 *i)
{
	*i = (msr - first) / step;
	return msr >= first && *i < nr && !((msr - first) % step);
}

static bool model_find_amd(struct model_regs *r, u32 msr, struct model_place *p)
{
	const struct x86_model_pmu *pmu = model_pmu();
	u32 step = model_is_core() ? 2 : 1;
	u32 i;

	if (model_among(msr, model_is_core() ? MSR_F15H_PERF_CTL : MSR_K7_EVNTSEL0, step,
			pmu->general, &i))
		*p = (struct model_place){ .value = &r->select[i], .select = true,
			.mask = GENMASK_ULL(35, 32) | (U32_MAX & ~(BIT_ULL(19) | MODEL_SEL_ANY)) };
	else if (model_among(msr, model_is_core() ? MSR_F15H_PERF_CTR : MSR_K7_PERFCTR0, step,
			     pmu->general, &i))
		*p = (struct model_place){ .value = &r->general[i], .mask = model_width() };
	else if (pmu->version < 2)
		return false;
	else if (msr == MODEL_AMD_GLOBAL_CTL)
		*p = (struct model_place){ .value = &r->global_ctrl, .mask = model_global() };
	else if (msr == MODEL_AMD_GLOBAL_STATUS || msr == MODEL_AMD_GLOBAL_CLR)
		*p = (struct model_place){ .value = &r->status, .mask = model_global(),
			.clears = msr == MODEL_AMD_GLOBAL_CLR,
			.fixed = msr == MODEL_AMD_GLOBAL_STATUS };
	else
		return false;
	return true;
}

static bool model_find_intel(struct model_regs *r, u32 msr, struct model_place *p)
{
	const struct x86_model_pmu *pmu = model_pmu();
	u64 per_fixed = model_any() ? 0xf : 0xb;
	u32 i;

	if (model_among(msr, MSR_ARCH_PERFMON_EVENTSEL0, 1, pmu->general, &i))
		*p = (struct model_place){ .value = &r->select[i], .select = true,
			.mask = U32_MAX & ~(model_any() ? 0 : MODEL_SEL_ANY) };
	else if (model_among(msr, MSR_ARCH_PERFMON_PERFCTR0, 1, pmu->general, &i))
		*p = (struct model_place){ .value = &r->general[i], .sign = true };
	else if (pmu->full_width && model_among(msr, MSR_IA32_PMC0, 1, pmu->general, &i))
		*p = (struct model_place){ .value = &r->general[i], .mask = model_width() };
	else if (pmu->version < 2)
		return false;
	else if (model_among(msr, MSR_CORE_PERF_FIXED_CTR0, 1, pmu->fixed, &i))
		*p = (struct model_place){ .value = &r->fixed[i], .mask = model_width() };
	else if (msr == MSR_CORE_PERF_FIXED_CTR_CTRL)
		*p = (struct model_place){ .value = &r->fixed_ctrl,
			.mask = (per_fixed * 0x1111) & (BIT_ULL(4 * pmu->fixed) - 1) };
	else if (msr == MSR_CORE_PERF_GLOBAL_CTRL)
		*p = (struct model_place){ .value = &r->global_ctrl, .mask = model_global() };
	else if (msr == MSR_CORE_PERF_GLOBAL_STATUS || msr == MSR_CORE_PERF_GLOBAL_OVF_CTRL)
		*p = (struct model_place){ .value = &r->status, .mask = model_global(),
			.clears = msr == MSR_CORE_PERF_GLOBAL_OVF_CTRL,
			.fixed = msr == MSR_CORE_PERF_GLOBAL_STATUS };
	else
		return false;
	return true;
}

static bool model_find(u32 msr, struct model_place *p)
{
	struct model_regs *r = this_cpu_ptr(&model_regs);

	return model_is_amd() ? model_find_amd(r, msr, p) : model_find_intel(r, msr, p);
}

static bool model_enabled(const struct model_regs *r, unsigned int i)
{
	return r->select[i] & MODEL_SEL_EN &&
	       (model_pmu()->version < 2 || r->global_ctrl & BIT_ULL(i));
}

static int model_fault(const char *what, u32 msr, u64 value)
{
	if (!x86_model.fault[0])
		scnprintf(x86_model.fault, sizeof(x86_model.fault), "%s: %#x, value %#llx",
			  what, msr, value);
	return -EIO;
}

/* Write if it is allowed. Returns NULL, or what forbids the write. */
static const char *model_write(u32 msr, u64 value)
{
	struct model_regs *r = this_cpu_ptr(&model_regs);
	struct model_place p;

	if (!model_find(msr, &p) || p.fixed)
		return "write to no register";
	if (p.sign) {
		*p.value = (u64)(s32)value & model_width();
		return NULL;
	}
	if (value & ~p.mask)
		return "write of reserved bits";
	if (p.select && value && value != *p.value && model_enabled(r, p.value - r->select))
		return "other event for a counter that counts";
	*p.value = p.clears ? *p.value & ~value : value;
	return NULL;
}

/* Let something happen in the middle of something else. */
static void model_race(u32 msr)
{
	if (!msr || msr != x86_model.before)
		return;
	x86_model.before = 0;
	x86_model.raised = x86_model_count(x86_model.events);
	if (x86_model.nmi)
		x86_model_nmi();
}

static void model_wrmsr(u32 msr, u64 value)
{
	const char *wrong;

	model_race(msr);
	wrong = model_write(msr, value);
	if (raw_smp_processor_id() == x86_model.traced && x86_model.nr_writes < X86_MODEL_WRITES)
		x86_model.writes[x86_model.nr_writes++] =
			(struct x86_model_write){ msr, value };
	if (wrong)
		model_fault(wrong, msr, value);
}

static int model_wrmsr_safe(u32 msr, u64 value)
{
	return model_write(msr, value) ? -EIO : 0;
}

static int model_rdmsr_safe(u32 msr, u64 *value)
{
	struct model_place p;

	*value = 0;
	if (msr == MSR_IA32_PERF_CAPABILITIES && cpu_has(&x86_model.boot, X86_FEATURE_PDCM)) {
		*value = model_pmu()->full_width ? BIT(13) : 0;
		return 0;
	}
	if (!model_find(msr, &p))
		return -EIO;
	*value = p.clears ? 0 : *p.value;
	return 0;
}

static u64 model_rdmsr(u32 msr)
{
	u64 value;

	if (model_rdmsr_safe(msr, &value))
		model_fault("read of no register", msr, 0);
	return value;
}

static u64 model_rdpmc(u32 index)
{
	const struct model_regs *r = this_cpu_ptr(&model_regs);
	bool fixed = index & BIT(30);
	u32 i = index & ~BIT(30);

	if (i >= (fixed ? model_pmu()->fixed : model_pmu()->general)) {
		model_fault("RDPMC of no counter", index, 0);
		return 0;
	}
	return fixed ? r->fixed[i] : r->general[i];
}

static void model_cpuid(u32 leaf, u32 *eax, u32 *ebx, u32 *ecx, u32 *edx)
{
	const struct x86_model_pmu *pmu = model_pmu();

	*eax = 0;
	*ebx = 0;
	*ecx = 0;
	*edx = 0;
	switch (leaf) {
	case 0xa:
		*eax = pmu->version | pmu->said << 8 | pmu->width << 16 | 7 << 24;
		*ebx = pmu->missing;
		*edx = pmu->fixed | pmu->width << 5 | (pmu->no_any ? BIT(15) : 0);
		break;
	case 0x1a:
		*eax = (u32)pmu->core_type << 24;
		break;
	case 0x80000022:
		*eax = pmu->version >= 2;
		*ebx = pmu->said;
		break;
	}
}

static u32 model_cpuid_eax(u32 leaf)
{
	u32 eax, ebx, ecx, edx;

	model_cpuid(leaf, &eax, &ebx, &ecx, &edx);
	return eax;
}

static u32 model_cpuid_ebx(u32 leaf)
{
	u32 eax, ebx, ecx, edx;

	model_cpuid(leaf, &eax, &ebx, &ecx, &edx);
	return ebx;
}

static bool model_reserve(u32 msr)
{
	if (msr == x86_model.busy)
		return false;
	x86_model.reserved++;
	return true;
}

static void model_unreserve(u32 msr)
{
	x86_model.reserved--;
}

static int model_register_nmi(int (*handler)(unsigned int type, struct pt_regs *regs),
			      u64 flags, const char *name)
{
	if (!x86_model.nmi_error)
		x86_model.handler = handler;
	return x86_model.nmi_error;
}

static void model_unregister_nmi(unsigned int type, const char *name)
{
	x86_model.handler = NULL;
}

static u32 model_apic_read(u32 reg)
{
	return this_cpu_read(model_regs.lvtpc);
}

static void model_apic_write(u32 reg, u32 value)
{
	this_cpu_write(model_regs.lvtpc, value);
}

/* What the backends ask of the machine. Their own symbols get other names. */
#undef rdmsrq_safe
#undef wrmsrq_safe
#undef register_nmi_handler
#define rdmsrq_safe		model_rdmsr_safe
#define wrmsrq_safe		model_wrmsr_safe
#define pmct_rdmsr		model_rdmsr
#define pmct_wrmsr		model_wrmsr
#define pmct_rdpmc		model_rdpmc
#define pmct_apic_read		model_apic_read
#define pmct_apic_write		model_apic_write
#define cpuid			model_cpuid
#define cpuid_eax		model_cpuid_eax
#define cpuid_ebx		model_cpuid_ebx
#define boot_cpu_data		x86_model.boot
#define cpu_smt_possible()	x86_model.smt
#define reserve_perfctr_nmi	model_reserve
#define reserve_evntsel_nmi	model_reserve
#define release_perfctr_nmi	model_unreserve
#define release_evntsel_nmi	model_unreserve
#define register_nmi_handler(type, fn, flags, name)	model_register_nmi(fn, flags, name)
#define unregister_nmi_handler	model_unregister_nmi
#define x86_keys		x86_model_keys
#define x86_cpu			x86_model_cpu
#define x86_probe		x86_model_probe
#define x86_nr_core_types	x86_model_nr_core_types
#define x86_core_type		x86_model_core_type
#define x86_cpu_core_type	x86_model_cpu_core_type
#define x86_cpu_online		x86_model_cpu_online
#define x86_cpu_up		x86_model_cpu_up
#define x86_cpu_down		x86_model_cpu_down
#define x86_exit		x86_model_exit_backend
#define x86_claim		x86_model_claim
#define x86_release		x86_model_release
#define x86_set_code		x86_model_set_code
#define x86_encode		x86_model_encode
#define x86_clear_begin		x86_model_clear_begin
#define x86_clear_end		x86_model_clear_end
#define x86_drop_interrupts	x86_model_drop_interrupts
#define x86_open_lvtpc		x86_model_open_lvtpc
#define x86_lvtpc_intact	x86_model_lvtpc_intact
#define x86_unload		x86_model_unload
#define x86_unflagged_pending	x86_model_unflagged_pending
#define x86_sees_others		x86_model_sees_others
#define x86_others_table	x86_model_others_table
#define x86_nr_others		x86_model_nr_others
#define x86_places_intel	x86_model_places_intel
#define x86_places_amd		x86_model_places_amd
#define x86_check_place		x86_model_check_place
#define pmct_intel		x86_model_intel
#define pmct_amd		x86_model_amd

#include "../x86/x86.c"
#include "../x86/intel.c"
#include "../x86/amd.c"
#include "../x86/others.c"
#include "../x86/places.c"

void x86_model_reset(u8 vendor, const struct x86_model_pmu *pmu)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		memset(per_cpu_ptr(&model_regs, cpu), 0, sizeof(struct model_regs));
		/* No NMI of an earlier machine is on its way. */
		per_cpu(x86_cpu, cpu).late = 0;
	}
	memset(&x86_model, 0, sizeof(x86_model));
	x86_model.traced = -1;
	x86_model.boot.x86_vendor = vendor;
	x86_model.boot.x86 = vendor == X86_VENDOR_INTEL ? 6 : 0x17;
	x86_model.boot.cpuid_level = 0x1f;
	x86_model.boot.extended_cpuid_level = 0x80000022;
	set_cpu_cap(&x86_model.boot, X86_FEATURE_PDCM);
	set_cpu_cap(&x86_model.boot, X86_FEATURE_APIC);
	x86_model.pmu[0] = *pmu;
	x86_model.pmu[1] = *pmu;
}

u64 x86_model_get(u32 msr)
{
	struct model_place p;

	return model_find(msr, &p) ? *p.value : 0;
}

void x86_model_set(u32 msr, u64 value)
{
	struct model_place p;

	if (model_find(msr, &p))
		*p.value = value;
}

u32 *x86_model_lvtpc(void)
{
	return this_cpu_ptr(&model_regs.lvtpc);
}

const struct x86_others *x86_model_others(unsigned int i)
{
	return i < x86_nr_others ? &x86_others_table[i] : NULL;
}

/* Returns whether the counter has overflowed. */
static bool model_advance(u64 *counter, u64 events)
{
	bool overflow = events > model_width() - *counter;

	*counter = (*counter + events) & model_width();
	return overflow;
}

bool x86_model_count(u64 events)
{
	struct model_regs *r = this_cpu_ptr(&model_regs);
	bool interrupt = false;
	unsigned int i;

	for (i = 0; i < model_pmu()->general; i++) {
		if (model_enabled(r, i) && model_advance(&r->general[i], events)) {
			r->status |= BIT_ULL(i);
			interrupt |= r->select[i] & MODEL_SEL_INT;
		}
	}
	for (i = 0; i < model_pmu()->fixed; i++) {
		u64 ctrl = r->fixed_ctrl >> (4 * i);

		if (ctrl & 3 && r->global_ctrl & BIT_ULL(32 + i) &&
		    model_advance(&r->fixed[i], events)) {
			r->status |= BIT_ULL(32 + i);
			interrupt |= ctrl & BIT(3);
		}
	}
	if (!interrupt || r->lvtpc != APIC_DM_NMI)
		return false;
	/* Intel's APIC masks its entry when it raises the interrupt. */
	if (!model_is_amd())
		r->lvtpc |= APIC_LVT_MASKED;
	return true;
}

bool x86_model_nmi(void)
{
	bool ours = x86_model.handler && x86_model.handler(NMI_LOCAL, NULL) == NMI_HANDLED;

	irq_work_sync(this_cpu_ptr(&x86_cpu.work));
	return ours;
}

void x86_model_trace(void)
{
	x86_model.nr_writes = 0;
	x86_model.traced = raw_smp_processor_id();
}

void x86_model_expect(struct kunit *test, const struct x86_model_write *expected)
{
	unsigned int i;

	for (i = 0; i < x86_model.nr_writes && expected[i].msr; i++) {
		KUNIT_EXPECT_EQ_MSG(test, x86_model.writes[i].msr, expected[i].msr, "write %u", i);
		KUNIT_EXPECT_EQ_MSG(test, x86_model.writes[i].value, expected[i].value,
				    "write %u, to %#x", i, expected[i].msr);
	}
	KUNIT_EXPECT_EQ_MSG(test, x86_model.nr_writes, i, "a write too many");
	KUNIT_EXPECT_EQ_MSG(test, expected[i].msr, 0, "a write too few");
	x86_model.traced = -1;
}

int x86_model_init(struct kunit *test)
{
	/* Release what an earlier test could not give back. */
	if (x86_claimed)
		x86_release();
	return 0;
}

void x86_model_exit(struct kunit *test)
{
	x86_exit();
	KUNIT_EXPECT_STREQ(test, x86_model.fault, "");
	KUNIT_EXPECT_EQ(test, x86_model.reserved, 0);
	KUNIT_EXPECT_NULL(test, x86_model.handler);
}

int x86_model_parse(const struct pmct_backend *backend, const char *raw,
		    struct pmct_event *first, struct pmct_msg *msg)
{
	struct pmct_evset_spec *spec = kzalloc(sizeof(*spec), GFP_KERNEL);
	int err;

	if (!spec)
		return -ENOMEM;
	err = pmct_evset_parse(raw, backend->keys, spec, msg);
	*first = spec->event[0];
	kfree(spec);
	return err;
}

int x86_model_build(const struct pmct_backend *backend, const char *raw,
		    struct pmct_hwset *set, struct pmct_msg *msg)
{
	struct pmct_evset_spec *spec = kzalloc(sizeof(*spec), GFP_KERNEL);
	int err;

	if (!spec)
		return -ENOMEM;
	err = pmct_evset_parse(raw, backend->keys, spec, msg) ?:
	      pmct_evset_build(backend, spec, 0, set, msg);
	kfree(spec);
	return err;
}
