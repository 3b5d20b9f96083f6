// SPDX-License-Identifier: GPL-2.0-only
/* The kinds of machines of the register model, for tests that apply to all of them. */
#include <linux/preempt.h>
#include <asm/apicdef.h>
#include <asm/cpufeature.h>
#include <asm/perf_event.h>

#include "x86_model.h"

#define INTEL(_version, ...) \
	.vendor = X86_VENDOR_INTEL, .backend = &x86_model_intel, .counter = 3, \
	.ebs = "pmc0,pmc3=c0,ebs3=5000", .plain = "pmc1,pmc4=c0", \
	.select = MSR_ARCH_PERFMON_EVENTSEL0, .global = MSR_CORE_PERF_GLOBAL_CTRL, \
	.pmu = { .version = _version, .fixed = 3, .width = 48, __VA_ARGS__ }
#define AMD(_version, ...) \
	.vendor = X86_VENDOR_AMD, .backend = &x86_model_amd, .counter = 2, \
	.ebs = "pmc0=76,pmc2=c0,ebs2=5000", .plain = "pmc1=c0,pmc3=76", \
	.pmu = { .version = _version, .width = 48, __VA_ARGS__ }

const struct x86_machine x86_machines[] = {
	{ .desc = "Intel, version 1", .vendor = X86_VENDOR_INTEL, .backend = &x86_model_intel,
	  .pmu = { .version = 1, .said = 2, .general = 2, .width = 40 }, .counter = 0,
	  .ebs = "pmc0=c0,ebs0=5000,pmc1=3c", .plain = "pmc1=c0",
	  .select = MSR_ARCH_PERFMON_EVENTSEL0, .value = MSR_ARCH_PERFMON_PERFCTR0 },
	{ .desc = "Intel, version 2", INTEL(2, .said = 2, .general = 2),
	  .value = MSR_ARCH_PERFMON_PERFCTR0 },
	{ .desc = "Intel, version 4", INTEL(4, .said = 4, .general = 4, .full_width = true),
	  .value = MSR_IA32_PMC0 },
	{ .desc = "Intel, version 5",
	  INTEL(5, .said = 8, .general = 8, .full_width = true, .no_any = true),
	  .value = MSR_IA32_PMC0 },
	{ .desc = "AMD, K7", AMD(0, .said = 4, .general = 4), .select = MSR_K7_EVNTSEL0 + 2,
	  .value = MSR_K7_PERFCTR0 + 2 },
	{ .desc = "AMD, family 15h", AMD(0, .said = 6, .general = 6), .core = true,
	  .select = MSR_F15H_PERF_CTL + 4, .value = MSR_F15H_PERF_CTR + 4 },
	{ .desc = "AMD, PerfMonV2", AMD(2, .said = 6, .general = 6), .core = true,
	  .select = MSR_F15H_PERF_CTL + 4, .value = MSR_F15H_PERF_CTR + 4,
	  .global = 0xc0000301 },
	{}
};

const void *x86_machine_gen_params(const void *prev, char *desc)
{
	const struct x86_machine *m = prev ? (const struct x86_machine *)prev + 1 : x86_machines;

	if (!m->desc)
		return NULL;
	strscpy(desc, m->desc, KUNIT_PARAM_DESC_SIZE);
	return m;
}

const struct x86_machine *x86_machine_begin(struct kunit *test, bool (*overflow)(void))
{
	const struct x86_machine *m = test->param_value;
	struct pmct_msg msg = {};

	x86_model_reset(m->vendor, &m->pmu);
	if (m->core)
		set_cpu_cap(&x86_model.boot, X86_FEATURE_PERFCTR_CORE);
	migrate_disable();
	/* What perf has put there. */
	x86_model_set(m->global, 0x3);
	*x86_model_lvtpc() = APIC_DM_NMI | APIC_LVT_MASKED;
	KUNIT_EXPECT_EQ_MSG(test, m->backend->probe(&msg), 0, "%s", msg.text);
	KUNIT_EXPECT_EQ_MSG(test, m->backend->claim(overflow, &msg), 0, "%s", msg.text);
	return m;
}

void x86_machine_end(const struct x86_machine *m)
{
	m->backend->release();
	migrate_enable();
}

void x86_machine_program(struct kunit *test, const struct x86_machine *m, const char *raw,
			 struct pmct_hwset *set)
{
	struct pmct_msg msg = {};

	KUNIT_EXPECT_EQ_MSG(test, x86_model_build(m->backend, raw, set, &msg), 0, "%s: %s", raw,
			    msg.text);
	m->backend->program(set);
}
