// SPDX-License-Identifier: GPL-2.0-only
/* The backend for Intel on counters in memory: what it finds, refuses and writes. */
#include <linux/preempt.h>
#include <asm/apicdef.h>
#include <asm/cpufeature.h>
#include <asm/perf_event.h>

#include "../../core/event_names.h"
#include "x86_model.h"

#define GLOBAL_STATUS	MSR_CORE_PERF_GLOBAL_STATUS
#define GLOBAL_CTRL	MSR_CORE_PERF_GLOBAL_CTRL
#define GLOBAL_OVF	MSR_CORE_PERF_GLOBAL_OVF_CTRL
#define FIXED_CTRL	MSR_CORE_PERF_FIXED_CTR_CTRL
#define FIXED(i)	(MSR_CORE_PERF_FIXED_CTR0 + (i))
#define SELECT(i)	(MSR_ARCH_PERFMON_EVENTSEL0 + (i))
#define LOW(i)		(MSR_ARCH_PERFMON_PERFCTR0 + (i))
#define WHOLE(i)	(MSR_IA32_PMC0 + (i))
#define NONE		(-1)

static const struct x86_model_pmu v1 = { .version = 1, .said = 2, .general = 2, .width = 40 };

static const struct x86_model_pmu v2 = {
	.version = 2, .said = 2, .general = 2, .fixed = 3, .width = 48,
};

static const struct x86_model_pmu v4 = {
	.version = 4, .said = 4, .general = 4, .fixed = 3, .width = 48, .full_width = true,
};

static const struct x86_model_pmu v5 = {
	.version = 5, .said = 8, .general = 8, .fixed = 3, .width = 48, .full_width = true,
	.no_any = true,
};

struct probe_case {
	const char *desc;
	struct x86_model_pmu pmu;
	u32 max_leaf;		/* 0: high enough */
	int feature;		/* set in this machine, NONE */
	int err;
	const char *says;	/* the refusal, or the name of the core type */
	u32 counters;
	u32 fixed;
};

static const struct probe_case probe_cases[] = {
	{ "version 1", { .version = 1, .said = 2, .general = 2, .width = 40 },
	  0, NONE, 0, "intel_perfmon_v1", 0x3, 0 },
	{ "version 1 has no fixed counters, whatever is said",
	  { .version = 1, .said = 2, .general = 2, .fixed = 3, .width = 40 },
	  0, NONE, 0, "intel_perfmon_v1", 0x3, 0 },
	{ "version 4", { .version = 4, .said = 4, .general = 4, .fixed = 3, .width = 48 },
	  0, NONE, 0, "intel_perfmon_v4", 0x7f, 0x7 },
	{ "more fixed counters than have one event",
	  { .version = 5, .said = 8, .general = 8, .fixed = 4, .width = 48 },
	  0, NONE, 0, "intel_perfmon_v5", 0x7ff, 0x7 },
	{ "a maximum leaf below 0xa", { .version = 4, .said = 4, .general = 4, .width = 48 },
	  0x9, NONE, -ENODEV, "no counters that the backend knows", },
	{ "version 6, whose registers have other names",
	  { .version = 6, .said = 8, .general = 8, .fixed = 3, .width = 48, .full_width = true },
	  0, NONE, -ENODEV, "perfmon version 6 of this CPU: nothing would keep perf from", },
	{ "version 0", { .said = 4, .general = 4, .width = 48 },
	  0, NONE, -ENODEV, "no counters that the backend knows", },
	{ "no general counters", { .version = 2, .fixed = 3, .width = 48 },
	  0, NONE, -ENODEV, "no counters that the backend knows", },
	{ "a guest without a PMU", { .width = 48 },
	  0, X86_FEATURE_HYPERVISOR, -ENODEV, "give it a virtual PMU", },
	{ "a guest without registers", { .version = 2, .said = 4, .fixed = 3, .width = 48 },
	  0, X86_FEATURE_HYPERVISOR, -ENODEV, "virtual PMU is incomplete", },
	{ "a guest with half of them",
	  { .version = 2, .said = 4, .general = 2, .fixed = 3, .width = 48 },
	  0, X86_FEATURE_HYPERVISOR, -ENODEV, "virtual PMU is incomplete", },
	{ "more counters than a set can have",
	  { .version = 2, .said = 255, .general = 16, .fixed = 3, .width = 48 },
	  0, NONE, 0, "intel_perfmon_v2", 0x7ffff, 0x7 },
	{ "microcode that uses the fourth counter",
	  { .version = 4, .said = 4, .general = 4, .fixed = 3, .width = 48 },
	  0, X86_FEATURE_TSX_FORCE_ABORT, 0, "intel_perfmon_v4", 0x3f, 0x7 },
#ifdef CONFIG_XEN_PV
	{ "Xen PV", { .version = 2, .said = 4, .general = 4, .width = 48 },
	  0, X86_FEATURE_XENPV, -ENODEV, "Xen PV", },
#endif
};

static void probe_desc(const struct probe_case *c, char *desc)
{
	strscpy(desc, c->desc, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(probe, probe_cases, probe_desc);

static void probe_test(struct kunit *test)
{
	const struct probe_case *c = test->param_value;
	const struct pmct_core_type *type;
	struct pmct_msg msg = {};

	x86_model_reset(X86_VENDOR_INTEL, &c->pmu);
	if (c->max_leaf)
		x86_model.boot.cpuid_level = c->max_leaf;
	if (c->feature != NONE)
		set_cpu_cap(&x86_model.boot, c->feature);
	KUNIT_ASSERT_EQ(test, x86_model_intel.probe(&msg), c->err);
	if (c->err) {
		KUNIT_EXPECT_TRUE_MSG(test, strstr(msg.text, c->says), "message is: %s", msg.text);
		return;
	}
	KUNIT_ASSERT_EQ(test, x86_model_intel.nr_core_types(), 1);
	type = x86_model_intel.core_type(0);
	KUNIT_EXPECT_STREQ(test, type->name, c->says);
	KUNIT_EXPECT_EQ(test, type->counters, c->counters);
	KUNIT_EXPECT_EQ(test, type->fixed, c->fixed);
	KUNIT_EXPECT_EQ(test, type->width, c->pmu.width);
	KUNIT_EXPECT_TRUE(test, cpumask_equal(&type->cpus, cpu_online_mask));
}

/* The backend is not for other vendors, and says nothing to them. */
static void probe_other_test(struct kunit *test)
{
	struct pmct_msg msg = {};

	x86_model_reset(X86_VENDOR_AMD, &v4);
	KUNIT_EXPECT_EQ(test, x86_model_intel.probe(&msg), -ENODEV);
	KUNIT_EXPECT_STREQ(test, msg.text, "");
}

struct set_case {
	const struct x86_model_pmu *pmu;
	const char *raw;
	int err;
	const char *says;
	u64 config;		/* of the first event */
	u64 mask;
};

#define INDEX(i)	((u64)(i) << 56)
#define IS_FIXED	BIT_ULL(62)
#define BITS_48		GENMASK_ULL(47, 0)

static const struct set_case set_cases[] = {
	{ &v4, "pmc0", 0, NULL, IS_FIXED | 0x2, BITS_48 },
	{ &v4, "pmc2,os2", 0, NULL, IS_FIXED | INDEX(2) | 0x3, BITS_48 },
	{ &v4, "pmc1,usr1=0,os1", 0, NULL, IS_FIXED | INDEX(1) | 0x1, BITS_48 },
	{ &v4, "pmc0,ebs0=5000", 0, NULL, IS_FIXED | 0xa, BITS_48 },
	{ &v4, "pmc1,any1=1", 0, NULL, IS_FIXED | INDEX(1) | 0x6, BITS_48 },
	{ &v4, "pmc3=2e,umask3=0x41", 0, NULL, 0x41412e, BITS_48 },
	{ &v4, "pmc6=c0,usr6=0,os6", 0, NULL, INDEX(3) | 0x4200c0, BITS_48 },
	{ &v4, "pmc4=c0,cmask4=2,inv4=1,edge4=1,any4=1", 0, NULL,
	  INDEX(1) | 0x2e500c0 | BIT(18), BITS_48 },
	{ &v4, "pmc3=c0,ebs3=5000", 0, NULL, 0x5100c0, BITS_48 },
	{ &v2, "pmc3=c0,ebs3=5000", 0, NULL, 0x5100c0, U32_MAX },
	{ &v2, "pmc0,ebs0=5000", 0, NULL, IS_FIXED | 0xa, BITS_48 },
	{ &v1, "pmc0=c0", 0, NULL, 0x4100c0, GENMASK_ULL(39, 0) },
	{ &v4, "pmc0=c0", -EINVAL, "pmc0 counts instructions and nothing else; use pmc3" },
	{ &v4, "pmc2,umask2=1", -EINVAL, "pmc2 counts reference cycles and nothing else" },
	{ &v4, "pmc1,edge1=1", -EINVAL, "pmc1 counts cycles and nothing else" },
	{ &v4, "pmc3", -EINVAL, "pmc3 needs an event code" },
	{ &v4, "pmc3=100", -EINVAL, "event codes of intel_perfmon_v4 are at most 0xff" },
	{ &v4, "pmc3=c0,umask3=0x100", -EINVAL, "umask3=0x100: at most 0xff" },
	{ &v4, "pmc3=c0,cmask3=0x1ff", -EINVAL, "cmask3=0x1ff: at most 0xff" },
	{ &v4, "pmc3=c0,edge3=2", -EINVAL, "edge3=0x2: at most 0x1" },
	{ &v4, "pmc3=c0,inv3=2", -EINVAL, "inv3=0x2: at most 0x1" },
	{ &v4, "pmc7=c0", -EINVAL, "pmc7: intel_perfmon_v4 has 7 counters" },
	{ &v4, "pmc3=b7,umask3=1", -EOPNOTSUPP, "pmc3=0xb7,umask3=1: what this event counts" },
	{ &v4, "pmc3=b7,umask3=2", -EOPNOTSUPP, "pmc3=0xb7,umask3=2: what this event counts" },
	{ &v4, "pmc3=bb,umask3=1", -EOPNOTSUPP, "pmc3=0xbb,umask3=1: what this event counts" },
	{ &v5, "pmc3=2a,umask3=1", -EOPNOTSUPP, "pmc3=0x2a,umask3=1: what this event counts" },
	{ &v5, "pmc3=2b,umask3=1", -EOPNOTSUPP, "pmc3=0x2b,umask3=1: what this event counts" },
	{ &v4, "pmc3=b7", 0, NULL, 0x4100b7, BITS_48 },
	{ &v4, "pmc3=2a,umask3=1", 0, NULL, 0x41012a, BITS_48 },
	{ &v5, "pmc3=c0,any3=1", -EOPNOTSUPP, "any3: intel_perfmon_v5 cannot count" },
	{ &v5, "pmc0,any0=1", -EOPNOTSUPP, "any0: intel_perfmon_v5 cannot count" },
	{ &v2, "pmc3=c0,any3=1", -EOPNOTSUPP, "any3: intel_perfmon_v2 cannot count" },
};

static void set_desc(const struct set_case *c, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "v%u %s", c->pmu->version, c->raw);
}

KUNIT_ARRAY_PARAM(set, set_cases, set_desc);

static void set_test(struct kunit *test)
{
	const struct set_case *c = test->param_value;
	struct pmct_hwset set;
	struct pmct_msg msg = {};

	x86_model_reset(X86_VENDOR_INTEL, c->pmu);
	KUNIT_ASSERT_EQ(test, x86_model_intel.probe(&msg), 0);
	KUNIT_ASSERT_EQ(test, x86_model_build(&x86_model_intel, c->raw, &set, &msg), c->err);
	if (c->err) {
		KUNIT_EXPECT_TRUE_MSG(test, strstr(msg.text, c->says), "message is: %s", msg.text);
		return;
	}
	KUNIT_EXPECT_EQ(test, set.config[0], c->config);
	KUNIT_EXPECT_EQ(test, set.mask[0], c->mask);
}

/* CPUID says which architectural events this CPU lacks. */
static void lacking_test(struct kunit *test)
{
	struct x86_model_pmu pmu = v4;
	struct pmct_hwset set;
	struct pmct_msg msg = {};

	pmu.missing = BIT(3);
	x86_model_reset(X86_VENDOR_INTEL, &pmu);
	KUNIT_ASSERT_EQ(test, x86_model_intel.probe(&msg), 0);
	KUNIT_EXPECT_EQ(test, x86_model_build(&x86_model_intel, "pmc3=2e,umask3=0x41", &set,
					      &msg), 0);
	KUNIT_EXPECT_EQ(test, x86_model_build(&x86_model_intel, "pmc3=2e,umask3=0x4f", &set,
					      &msg), -EOPNOTSUPP);
	KUNIT_EXPECT_TRUE_MSG(test, strstr(msg.text, "does not have this event"),
			      "message is: %s", msg.text);
}

/* The same by names: fixed counters that exist, and architectural events. */
static void names_test(struct kunit *test)
{
	static const char *const events[] = { "instr", "ref_cycles", "llc_misses", "branches" };
	struct pmct_named_spec *named = kunit_kzalloc(test, sizeof(*named), GFP_KERNEL);
	struct x86_model_pmu pmu = v4;
	char raw[PMCTRACK_MAX_RAW];
	struct pmct_msg msg = {};

	KUNIT_ASSERT_NOT_NULL(test, named);
	x86_model_reset(X86_VENDOR_INTEL, &pmu);
	KUNIT_ASSERT_EQ(test, x86_model_intel.probe(&msg), 0);
	KUNIT_ASSERT_EQ(test, 0,
			pmct_event_names_resolve(&x86_model_intel, 0,
						 "llc_misses,ref_cycles,branches,instr", events,
						 ARRAY_SIZE(events), named, &msg));
	KUNIT_EXPECT_EQ(test, 0,
			pmct_evset_print(&named->spec, x86_model_intel.keys, raw, sizeof(raw)));
	KUNIT_EXPECT_STREQ(test, raw, "pmc0,pmc2,pmc3=0x2e,umask3=0x41,pmc4=0xc4,coretype=0");

	pmu.missing = BIT(4);
	x86_model_reset(X86_VENDOR_INTEL, &pmu);
	KUNIT_ASSERT_EQ(test, x86_model_intel.probe(&msg), 0);
	KUNIT_EXPECT_EQ(test, -EOPNOTSUPP,
			pmct_event_names_resolve(&x86_model_intel, 0, "instr,llc_misses", events,
						 ARRAY_SIZE(events), named, &msg));
	KUNIT_EXPECT_STREQ(test, msg.text, "llc_misses: not an event of intel_perfmon_v4");
}

static unsigned int overflows;

static bool count_overflows(void)
{
	overflows++;
	return true;
}

/* The machine's counters are ours. From here on, writes of this CPU are traced. */
static void begin(struct kunit *test, const struct x86_model_pmu *pmu)
{
	struct pmct_msg msg = {};

	x86_model_reset(X86_VENDOR_INTEL, pmu);
	overflows = 0;
	KUNIT_ASSERT_EQ(test, x86_model_intel.probe(&msg), 0);
	KUNIT_ASSERT_EQ(test, x86_model_intel.claim(count_overflows, &msg), 0);
	migrate_disable();
	x86_model_trace();
}

static void end(void)
{
	migrate_enable();
	x86_model_intel.release();
}

static void make(struct kunit *test, const char *raw, struct pmct_hwset *set)
{
	struct pmct_msg msg = {};

	KUNIT_EXPECT_EQ_MSG(test, x86_model_build(&x86_model_intel, raw, set, &msg), 0,
			    "%s: %s", raw, msg.text);
}

/* Memory events of some CPUs count on the other hyperthread, too. */
static void spoils_others_test(struct kunit *test)
{
	struct pmct_hwset set;
	struct pmct_msg msg = {};

	x86_model_reset(X86_VENDOR_INTEL, &v4);
	x86_model.boot.x86_model = 0x3c;
	x86_model.smt = true;
	KUNIT_ASSERT_EQ(test, x86_model_intel.probe(&msg), 0);
	KUNIT_EXPECT_EQ(test, x86_model_build(&x86_model_intel, "pmc3=d1,umask3=8", &set, &msg),
			-EOPNOTSUPP);
	KUNIT_EXPECT_TRUE_MSG(test, strstr(msg.text, "other hyperthread"), "%s", msg.text);
	make(test, "pmc3=d4", &set);
	x86_model.smt = false;
	make(test, "pmc3=d1,umask3=8", &set);
}

/* All counters stop before one gets another event, and start with one write. */
static void program_test(struct kunit *test)
{
	static const struct x86_model_write first[] = {
		{ GLOBAL_CTRL, 0 }, { SELECT(0), 0x4100c0 }, { SELECT(3), 0x51412e },
		{ GLOBAL_OVF, 0x70000000f }, { FIXED_CTRL, 0x302 },
		{ GLOBAL_CTRL, 0x500000009 }, {}
	};
	static const struct x86_model_write second[] = {
		{ GLOBAL_CTRL, 0 }, { SELECT(3), 0 }, { SELECT(3), 0x4100c5 },
		{ GLOBAL_OVF, 0x70000000f }, { FIXED_CTRL, 0 }, { GLOBAL_CTRL, 0x8 }, {}
	};
	struct pmct_hwset set;

	begin(test, &v4);
	make(test, "pmc0,pmc2,os2,pmc3=c0,pmc6=2e,umask6=0x41,ebs6=5000", &set);
	x86_model_intel.program(&set);
	x86_model_expect(test, first);
	x86_model_trace();
	make(test, "pmc6=c5", &set);
	x86_model_intel.program(&set);
	x86_model_expect(test, second);
	end();
}

/* Without global registers, each counter is stopped and started by its own register. */
static void program_v1_test(struct kunit *test)
{
	static const struct x86_model_write expected[] = {
		{ SELECT(0), 0 }, { SELECT(1), 0 }, { SELECT(1), 0x4100c0 }, {}
	};
	struct pmct_hwset set;

	begin(test, &v1);
	make(test, "pmc1=c0", &set);
	x86_model_intel.program(&set);
	x86_model_expect(test, expected);
	end();
}

/* Counters of the set count, others stand still. Values are in the order of the set. */
static void count_test(struct kunit *test)
{
	u64 values[PMCTRACK_MAX_COUNTERS] = {};
	struct pmct_hwset set;

	begin(test, &v4);
	make(test, "pmc1,pmc3=c0,pmc5=2e", &set);
	x86_model_intel.program(&set);
	x86_model_count(1000);
	KUNIT_EXPECT_EQ(test, x86_model_intel.read(&set, values), 0);
	KUNIT_EXPECT_EQ(test, values[0], 1000);
	KUNIT_EXPECT_EQ(test, values[1], 1000);
	KUNIT_EXPECT_EQ(test, values[2], 1000);
	KUNIT_EXPECT_EQ(test, x86_model_get(FIXED(0)), 0);
	KUNIT_EXPECT_EQ(test, x86_model_get(WHOLE(1)), 0);
	make(test, "pmc4=c0", &set);
	x86_model_intel.program(&set);
	x86_model_count(500);
	x86_model_intel.read(&set, values);
	KUNIT_EXPECT_EQ(test, values[0], 500);
	KUNIT_EXPECT_EQ(test, x86_model_get(WHOLE(0)), 1000);
	end();
}

/* A counter is written in full width if possible. Else the sign of the low half is extended. */
static void write_test(struct kunit *test)
{
	static const struct x86_model_write whole[] = {
		{ FIXED(1), 0xfffffffff000 }, { WHOLE(2), 0xfffffffff000 }, {}
	};
	static const struct x86_model_write low[] = { { LOW(1), 0xfffff000 }, {} };

	begin(test, &v4);
	x86_model_intel.write(1, 0xfffffffff000);
	x86_model_intel.write(5, 0xfffffffff000);
	x86_model_expect(test, whole);
	end();
	begin(test, &v2);
	x86_model_intel.write(4, 0xfffff000);
	x86_model_expect(test, low);
	KUNIT_EXPECT_EQ(test, x86_model_get(LOW(1)), 0xfffffffff000);
	end();
}

/* Afterwards, what perf had is there again, and every reservation is given back. */
static void give_back_test(struct kunit *test)
{
	struct pmct_hwset set;
	struct pmct_msg msg = {};

	x86_model_reset(X86_VENDOR_INTEL, &v4);
	KUNIT_ASSERT_EQ(test, x86_model_intel.probe(&msg), 0);
	migrate_disable();
	x86_model_set(GLOBAL_CTRL, 0x70000000f);
	x86_model_set(FIXED_CTRL, 0xb0);
	x86_model_set(GLOBAL_STATUS, 0x2);
	KUNIT_EXPECT_EQ(test, x86_model_intel.claim(count_overflows, &msg), 0);
	KUNIT_EXPECT_EQ(test, x86_model.reserved, 8);
	KUNIT_EXPECT_EQ(test, x86_model_get(GLOBAL_STATUS), 0);
	make(test, "pmc0,pmc3=c0", &set);
	x86_model_intel.program(&set);
	KUNIT_EXPECT_EQ(test, x86_model_get(SELECT(0)), 0x4100c0);
	x86_model_intel.release();
	KUNIT_EXPECT_EQ(test, x86_model_get(GLOBAL_CTRL), 0x70000000f);
	KUNIT_EXPECT_EQ(test, x86_model_get(FIXED_CTRL), 0xb0);
	KUNIT_EXPECT_EQ(test, x86_model_get(SELECT(0)), 0);
	migrate_enable();
}

/* If other software has one of the registers, none is taken. */
static void busy_test(struct kunit *test)
{
	static const u32 busy[] = { WHOLE(0), SELECT(0), WHOLE(3), SELECT(3) };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(busy); i++) {
		struct pmct_msg msg = {};

		x86_model_reset(X86_VENDOR_INTEL, &v4);
		KUNIT_ASSERT_EQ(test, x86_model_intel.probe(&msg), 0);
		x86_model.busy = busy[i];
		KUNIT_EXPECT_EQ(test, x86_model_intel.claim(count_overflows, &msg), -EBUSY);
		KUNIT_EXPECT_TRUE_MSG(test, strstr(msg.text, "sysctl kernel.nmi_watchdog=0"),
				      "message is: %s", msg.text);
		KUNIT_EXPECT_EQ(test, x86_model.reserved, 0);
		KUNIT_EXPECT_NULL(test, x86_model.handler);
	}
}

static void no_handler_test(struct kunit *test)
{
	struct pmct_msg msg = {};

	x86_model_reset(X86_VENDOR_INTEL, &v4);
	KUNIT_ASSERT_EQ(test, x86_model_intel.probe(&msg), 0);
	x86_model.nmi_error = -ENOMEM;
	KUNIT_EXPECT_EQ(test, x86_model_intel.claim(count_overflows, &msg), -ENOMEM);
	KUNIT_EXPECT_TRUE_MSG(test, strstr(msg.text, "cannot handle NMIs"),
			      "message is: %s", msg.text);
	KUNIT_EXPECT_EQ(test, x86_model.reserved, 0);
}

/* The whole life of an overflow. NMIs that are not ours are left to others. */
static void interrupt_test(struct kunit *test)
{
	const struct x86_model_pmu *pmu = *(const struct x86_model_pmu *const *)test->param_value;
	unsigned int counter = pmu->version < 2 ? 0 : 3;
	struct pmct_hwset set;
	u64 mask;

	begin(test, pmu);
	make(test, counter ? "pmc3=c0,ebs3=5000" : "pmc0=c0,ebs0=5000", &set);
	mask = set.mask[0];
	x86_model_intel.program(&set);
	x86_model_intel.write(counter, -5000 & mask);
	KUNIT_EXPECT_FALSE(test, x86_model_count(4999));
	KUNIT_EXPECT_EQ(test, x86_model_intel.overflow_pending(), 0);
	KUNIT_EXPECT_FALSE(test, x86_model_nmi());
	KUNIT_EXPECT_TRUE(test, x86_model_count(1));
	KUNIT_EXPECT_TRUE(test, x86_model_nmi());
	KUNIT_EXPECT_EQ(test, overflows, 1);
	/* The overflow is pending until it is cleared, but a second NMI is not ours. */
	KUNIT_EXPECT_EQ(test, x86_model_intel.overflow_pending(), BIT_ULL(counter));
	KUNIT_EXPECT_FALSE(test, x86_model_nmi());
	KUNIT_EXPECT_EQ(test, overflows, 1);
	x86_model_intel.write(counter, -5000 & mask);
	x86_model_intel.overflow_clear(BIT_ULL(counter));
	KUNIT_EXPECT_EQ(test, x86_model_intel.overflow_pending(), 0);
	/* The entry of the local APIC is open again. */
	KUNIT_EXPECT_TRUE(test, x86_model_count(5000));
	/* A switch cleared the flag before the NMI came. That NMI is ours, the next one is not. */
	x86_model_intel.write(counter, -5000 & mask);
	x86_model_intel.overflow_clear(BIT_ULL(counter));
	KUNIT_EXPECT_TRUE(test, x86_model_nmi());
	KUNIT_EXPECT_EQ(test, overflows, 1);
	KUNIT_EXPECT_FALSE(test, x86_model_nmi());
	end();
}

static const struct x86_model_pmu *const interrupt_pmus[] = { &v1, &v2, &v4, &v5 };

static void interrupt_desc(const struct x86_model_pmu *const *pmu, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "version %u", (*pmu)->version);
}

KUNIT_ARRAY_PARAM(interrupt, interrupt_pmus, interrupt_desc);

/* The flag of a counter without an interrupt is read once, with the values. */
static void narrow_test(struct kunit *test)
{
	struct x86_model_pmu pmu = v2;
	u64 values[PMCTRACK_MAX_COUNTERS];
	struct pmct_hwset set;

	pmu.width = 32;
	begin(test, &pmu);
	make(test, "pmc0,pmc3=c0", &set);
	KUNIT_EXPECT_TRUE(test, set.narrow);
	x86_model_intel.program(&set);
	x86_model_set(FIXED(0), U32_MAX);
	KUNIT_EXPECT_FALSE(test, x86_model_count(1));
	KUNIT_EXPECT_EQ(test, x86_model_intel.read(&set, values), 0x1);
	KUNIT_EXPECT_EQ(test, values[0], 0);
	KUNIT_EXPECT_EQ(test, values[1], 1);
	x86_model_intel.overflow_clear(0x1);
	KUNIT_EXPECT_EQ(test, x86_model_intel.read(&set, values), 0);
	KUNIT_EXPECT_FALSE(test, x86_model_nmi());
	end();
}

static void hybrid_machine(void)
{
	x86_model_reset(X86_VENDOR_INTEL, &v5);
	set_cpu_cap(&x86_model.boot, X86_FEATURE_HYBRID_CPU);
	x86_model.pmu[0].core_type = 0x40;
	x86_model.pmu[1].core_type = 0x20;
	x86_model.pmu[1].said = 6;
	x86_model.pmu[1].general = 6;
}

/* Two kinds of cores. The small one has fewer counters. */
static void hybrid_test(struct kunit *test)
{
	const struct pmct_core_type *type;
	struct pmct_msg msg = {};

	if (num_online_cpus() < 2)
		kunit_skip(test, "needs two CPUs");
	hybrid_machine();
	KUNIT_ASSERT_EQ(test, x86_model_intel.probe(&msg), 0);
	KUNIT_ASSERT_EQ(test, x86_model_intel.nr_core_types(), 2);
	type = x86_model_intel.core_type(0);
	KUNIT_EXPECT_STREQ(test, type->name, "intel_core_perfmon_v5");
	KUNIT_EXPECT_EQ(test, type->counters, 0x7ff);
	KUNIT_EXPECT_TRUE(test, cpumask_test_cpu(0, &type->cpus));
	KUNIT_EXPECT_FALSE(test, cpumask_test_cpu(1, &type->cpus));
	type = x86_model_intel.core_type(1);
	KUNIT_EXPECT_STREQ(test, type->name, "intel_atom_perfmon_v5");
	KUNIT_EXPECT_EQ(test, type->counters, 0x1ff);
	KUNIT_EXPECT_TRUE(test, cpumask_test_cpu(1, &type->cpus));
	/* The registers of both kinds are reserved: as many as either has. */
	KUNIT_ASSERT_EQ(test, x86_model_intel.claim(count_overflows, &msg), 0);
	KUNIT_EXPECT_EQ(test, x86_model.reserved, 16);
	x86_model_intel.release();
}

/* A CPU comes online: one of our types, with blank registers; and one of an unknown type. */
static void online_test(struct kunit *test)
{
	static const struct x86_model_write blank[] = {
		{ GLOBAL_CTRL, 0 },
		{ SELECT(0), 0 }, { LOW(0), 0 }, { SELECT(1), 0 }, { LOW(1), 0 },
		{ FIXED(0), 0 }, { FIXED(1), 0 }, { FIXED(2), 0 }, { GLOBAL_OVF, 0x700000003 }, {}
	};

	begin(test, &v2);
	x86_model_set(LOW(0), 77);
	x86_model_intel.cpu_up(raw_smp_processor_id());
	KUNIT_EXPECT_EQ(test, x86_model_intel.cpu_core_type(raw_smp_processor_id()), 0);
	x86_model_expect(test, blank);
	set_cpu_cap(&x86_model.boot, X86_FEATURE_HYBRID_CPU);
	x86_model.pmu[raw_smp_processor_id() & 1].core_type = 0x20;
	KUNIT_EXPECT_EQ(test, x86_model_intel.cpu_core_type(raw_smp_processor_id()),
			PMCT_NO_CORE_TYPE);
	clear_bit(X86_FEATURE_HYBRID_CPU % 32,
		  (unsigned long *)&x86_model.boot.x86_capability[X86_FEATURE_HYBRID_CPU / 32]);
	end();
}

static struct kunit_case intel_cases[] = {
	KUNIT_CASE_PARAM(probe_test, probe_gen_params),
	KUNIT_CASE(probe_other_test),
	KUNIT_CASE(spoils_others_test),
	KUNIT_CASE_PARAM(set_test, set_gen_params),
	KUNIT_CASE(lacking_test),
	KUNIT_CASE(names_test),
	KUNIT_CASE(program_test),
	KUNIT_CASE(program_v1_test),
	KUNIT_CASE(count_test),
	KUNIT_CASE(write_test),
	KUNIT_CASE(give_back_test),
	KUNIT_CASE(busy_test),
	KUNIT_CASE(no_handler_test),
	KUNIT_CASE_PARAM(interrupt_test, interrupt_gen_params),
	KUNIT_CASE(narrow_test),
	KUNIT_CASE(hybrid_test),
	KUNIT_CASE(online_test),
	{}
};

static struct kunit_suite intel_suite = {
	.name = "pmctrack_intel",
	.init = x86_model_init,
	.exit = x86_model_exit,
	.test_cases = intel_cases,
};

kunit_test_suite(intel_suite);
