// SPDX-License-Identifier: GPL-2.0-only
/* The backend for AMD on counters in memory: what it finds, refuses and writes. */
#include <linux/preempt.h>
#include <asm/cpufeature.h>

#include "x86_model.h"

#define K7_SELECT(i)	(MSR_K7_EVNTSEL0 + (i))
#define K7_COUNTER(i)	(MSR_K7_PERFCTR0 + (i))
#define SELECT(i)	(MSR_F15H_PERF_CTL + 2 * (i))
#define COUNTER(i)	(MSR_F15H_PERF_CTR + 2 * (i))
#define GLOBAL_STATUS	0xc0000300
#define GLOBAL_CTL	0xc0000301
#define GLOBAL_CLR	0xc0000302
#define MASK		GENMASK_ULL(47, 0)

/**
 * struct amd_machine - a generation
 * @desc: for people
 * @pmu: its counters
 * @core: it has the registers of family 15h
 * @name: name of its core type
 */
struct amd_machine {
	const char *desc;
	struct x86_model_pmu pmu;
	bool core;
	const char *name;
};

static const struct amd_machine machines[] = {
	{ "K7", { .said = 4, .general = 4, .width = 48 }, false, "amd_k7" },
	{ "family 15h", { .said = 6, .general = 6, .width = 48 }, true, "amd_perfctr_core" },
	{ "PerfMonV2", { .version = 2, .said = 6, .general = 6, .width = 48 }, true,
	  "amd_perfmon_v2" },
};

static void machine_desc(const struct amd_machine *m, char *desc)
{
	strscpy(desc, m->desc, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(machine, machines, machine_desc);

static void reset(const struct amd_machine *m)
{
	x86_model_reset(X86_VENDOR_AMD, &m->pmu);
	if (m->core)
		set_cpu_cap(&x86_model.boot, X86_FEATURE_PERFCTR_CORE);
}

static void probe_test(struct kunit *test)
{
	const struct amd_machine *m = test->param_value;
	const struct pmct_core_type *type;
	struct pmct_msg msg = {};

	reset(m);
	KUNIT_ASSERT_EQ(test, x86_model_amd.probe(&msg), 0);
	KUNIT_ASSERT_EQ(test, x86_model_amd.nr_core_types(), 1);
	type = x86_model_amd.core_type(0);
	KUNIT_EXPECT_STREQ(test, type->name, m->name);
	KUNIT_EXPECT_EQ(test, type->counters, GENMASK(m->pmu.general - 1, 0));
	KUNIT_EXPECT_EQ(test, type->fixed, 0);
	KUNIT_EXPECT_EQ(test, type->width, 48);
}

/* Without the local APIC, nobody would hear of overflows, and its registers are not mapped. */
static void without_apic_test(struct kunit *test)
{
	struct pmct_msg msg = {};

	reset(&machines[2]);
	clear_bit(X86_FEATURE_APIC % 32,
		  (unsigned long *)&x86_model.boot.x86_capability[X86_FEATURE_APIC / 32]);
	KUNIT_EXPECT_EQ(test, x86_model_amd.probe(&msg), -ENODEV);
	KUNIT_EXPECT_TRUE(test, strstr(msg.text, "boot without nolapic"));
}

/* Registers that do not hold values, a leaf that does not exist, and CPUs without registers. */
static void probe_bad_test(struct kunit *test)
{
	struct amd_machine m = machines[2];
	struct pmct_msg msg = {};

	m.pmu.said = 0;
	reset(&m);
	KUNIT_EXPECT_EQ(test, x86_model_amd.probe(&msg), -ENODEV);
	m = machines[2];
	m.pmu.general = 3;
	reset(&m);
	msg.text[0] = '\0';
	KUNIT_EXPECT_EQ(test, x86_model_amd.probe(&msg), -ENODEV);
	KUNIT_EXPECT_TRUE_MSG(test, strstr(msg.text, "incomplete"), "message is: %s", msg.text);
	reset(&machines[1]);
	x86_model.boot.extended_cpuid_level = 0x8000001f;
	KUNIT_EXPECT_EQ(test, x86_model_amd.probe(&msg), 0);
	KUNIT_EXPECT_STREQ(test, x86_model_amd.core_type(0)->name, "amd_perfctr_core");
	reset(&machines[0]);
	x86_model.boot.x86 = 5;
	KUNIT_EXPECT_EQ(test, x86_model_amd.probe(&msg), -ENODEV);
	x86_model_reset(X86_VENDOR_INTEL, &machines[0].pmu);
	msg.text[0] = '\0';
	KUNIT_EXPECT_EQ(test, x86_model_amd.probe(&msg), -ENODEV);
	KUNIT_EXPECT_STREQ(test, msg.text, "");
}

static const struct set_case {
	const char *raw;
	int err;
	const char *says;
	u64 config;
} set_cases[] = {
	{ "pmc0=c0", 0, NULL, 0x4100c0 },
	{ "pmc3=1cf,umask3=2,os3", 0, NULL, 3ULL << 56 | 0x1004302cf },
	{ "pmc1=c0,cmask1=1,inv1=1,edge1=1,ebs1=1000", 0, NULL, 1ULL << 56 | 0x1d500c0 },
	{ "pmc0=3", -EOPNOTSUPP, "pmc0=0x3: one counter would miss events" },
	{ "pmc1=fff", -EOPNOTSUPP, "pmc1=0xfff: one counter would miss events" },
	{ "pmc0=2", 0, NULL, 0x410002 },
	{ "pmc1=1000", -EINVAL, "event codes of amd_perfctr_core are at most 0xfff" },
	{ "pmc1", -EINVAL, "pmc1 needs an event code" },
	{ "pmc1=c0,any1=1", -EOPNOTSUPP, "any1: amd_perfctr_core cannot count" },
	{ "pmc1=c0,umask1=0x1ff", -EINVAL, "umask1=0x1ff: at most 0xff" },
	{ "pmc6=c0", -EINVAL, "pmc6: amd_perfctr_core has 6 counters" },
};

static void set_desc(const struct set_case *c, char *desc)
{
	strscpy(desc, c->raw, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(set, set_cases, set_desc);

static void set_test(struct kunit *test)
{
	const struct set_case *c = test->param_value;
	struct pmct_hwset set;
	struct pmct_msg msg = {};

	reset(&machines[1]);
	KUNIT_ASSERT_EQ(test, x86_model_amd.probe(&msg), 0);
	KUNIT_ASSERT_EQ(test, x86_model_build(&x86_model_amd, c->raw, &set, &msg), c->err);
	if (c->err) {
		KUNIT_EXPECT_TRUE_MSG(test, strstr(msg.text, c->says), "message is: %s", msg.text);
		return;
	}
	KUNIT_EXPECT_EQ(test, set.config[0], c->config);
	KUNIT_EXPECT_EQ(test, set.mask[0], MASK);
}

static unsigned int overflows;

static bool count_overflows(void)
{
	overflows++;
	return true;
}

static void begin(struct kunit *test, const struct amd_machine *m, const char *raw,
		  struct pmct_hwset *set)
{
	struct pmct_msg msg = {};

	reset(m);
	overflows = 0;
	KUNIT_ASSERT_EQ(test, x86_model_amd.probe(&msg), 0);
	KUNIT_ASSERT_EQ(test, x86_model_build(&x86_model_amd, raw, set, &msg), 0);
	KUNIT_ASSERT_EQ(test, x86_model_amd.claim(count_overflows, &msg), 0);
	migrate_disable();
	x86_model_trace();
}

static void end(void)
{
	migrate_enable();
	x86_model_amd.release();
}

/* Each counter is stopped before the set is written. With PerfMonV2, all start at once. */
static void program_test(struct kunit *test)
{
	static const struct x86_model_write k7[] = {
		{ K7_SELECT(0), 0 }, { K7_SELECT(1), 0 }, { K7_SELECT(2), 0 }, { K7_SELECT(3), 0 },
		{ K7_SELECT(0), 0x4100c0 }, { K7_SELECT(2), 0x51007d }, {}
	};
	static const struct x86_model_write core[] = {
		{ SELECT(0), 0 }, { SELECT(1), 0 }, { SELECT(2), 0 }, { SELECT(3), 0 },
		{ SELECT(4), 0 }, { SELECT(5), 0 }, { SELECT(0), 0x4100c0 },
		{ SELECT(2), 0x51007d }, {}
	};
	static const struct x86_model_write second[] = {
		{ GLOBAL_CTL, 0 }, { SELECT(0), 0 }, { SELECT(1), 0 }, { SELECT(2), 0 },
		{ SELECT(3), 0 }, { SELECT(4), 0 }, { SELECT(5), 0 }, { GLOBAL_CLR, 0x3f },
		{ SELECT(0), 0x4100c0 }, { SELECT(2), 0x51007d }, { GLOBAL_CTL, 0x5 }, {}
	};
	const struct amd_machine *m = test->param_value;
	struct pmct_hwset set;

	begin(test, m, "pmc0=c0,pmc2=7d,ebs2=5000", &set);
	x86_model_amd.program(&set);
	x86_model_expect(test, m->pmu.version ? second : m->core ? core : k7);
	end();
}

static void count_test(struct kunit *test)
{
	u64 values[PMCTRACK_MAX_COUNTERS];
	struct pmct_hwset set;

	begin(test, test->param_value, "pmc1=c0,pmc3=7d", &set);
	x86_model_amd.program(&set);
	x86_model_count(1000);
	KUNIT_EXPECT_EQ(test, x86_model_amd.read(&set, values), 0);
	KUNIT_EXPECT_EQ(test, values[0], 1000);
	KUNIT_EXPECT_EQ(test, values[1], 1000);
	end();
}

/* Only the top bit shows an overflow, which is pending until it is cleared. */
static void interrupt_test(struct kunit *test)
{
	struct pmct_hwset set;

	begin(test, test->param_value, "pmc2=c0,ebs2=5000", &set);
	x86_model_amd.program(&set);
	/* If a counter was not loaded, a small value is no overflow. */
	KUNIT_EXPECT_EQ(test, x86_model_amd.overflow_pending(), 0);
	x86_model_amd.write(2, -5000 & MASK);
	KUNIT_EXPECT_FALSE(test, x86_model_count(4999));
	KUNIT_EXPECT_FALSE(test, x86_model_nmi());
	KUNIT_EXPECT_TRUE(test, x86_model_count(1));
	KUNIT_EXPECT_TRUE(test, x86_model_nmi());
	KUNIT_EXPECT_EQ(test, overflows, 1);
	KUNIT_EXPECT_EQ(test, x86_model_amd.overflow_pending(), 0x4);
	KUNIT_EXPECT_FALSE(test, x86_model_nmi());
	x86_model_amd.write(2, -5000 & MASK);
	x86_model_amd.overflow_clear(0x4);
	KUNIT_EXPECT_EQ(test, x86_model_amd.overflow_pending(), 0);
	KUNIT_EXPECT_TRUE(test, x86_model_count(5000));
	KUNIT_EXPECT_TRUE(test, x86_model_nmi());
	KUNIT_EXPECT_EQ(test, overflows, 2);
	x86_model_amd.overflow_clear(0x4);
	/* A switch loads the counter before the NMI comes. That NMI is ours, the next is not. */
	x86_model_amd.write(2, -5000 & MASK);
	KUNIT_EXPECT_TRUE(test, x86_model_count(5000));
	x86_model_amd.write(2, -5000 & MASK);
	x86_model_amd.overflow_clear(0x4);
	KUNIT_EXPECT_TRUE(test, x86_model_nmi());
	KUNIT_EXPECT_EQ(test, overflows, 2);
	KUNIT_EXPECT_FALSE(test, x86_model_nmi());
	end();
}

/* perf finds its global enable bits again, and the counters stand still. */
static void give_back_test(struct kunit *test)
{
	const struct amd_machine *m = test->param_value;
	u32 select = m->core ? SELECT(0) : K7_SELECT(0);
	struct pmct_hwset set;
	struct pmct_msg msg = {};

	reset(m);
	KUNIT_ASSERT_EQ(test, x86_model_amd.probe(&msg), 0);
	KUNIT_ASSERT_EQ(test, x86_model_build(&x86_model_amd, "pmc0=c0", &set, &msg), 0);
	migrate_disable();
	x86_model_set(GLOBAL_CTL, 0x3f);
	KUNIT_EXPECT_EQ(test, x86_model_amd.claim(count_overflows, &msg), 0);
	KUNIT_EXPECT_EQ(test, x86_model.reserved, 2 * m->pmu.general);
	x86_model_amd.program(&set);
	KUNIT_EXPECT_EQ(test, x86_model_get(select), 0x4100c0);
	x86_model_amd.release();
	KUNIT_EXPECT_EQ(test, x86_model_get(select), 0);
	KUNIT_EXPECT_EQ(test, x86_model_get(GLOBAL_CTL), m->pmu.version ? 0x3f : 0);
	migrate_enable();
}

static struct kunit_case amd_cases[] = {
	KUNIT_CASE_PARAM(probe_test, machine_gen_params),
	KUNIT_CASE(without_apic_test),
	KUNIT_CASE(probe_bad_test),
	KUNIT_CASE_PARAM(set_test, set_gen_params),
	KUNIT_CASE_PARAM(program_test, machine_gen_params),
	KUNIT_CASE_PARAM(count_test, machine_gen_params),
	KUNIT_CASE_PARAM(interrupt_test, machine_gen_params),
	KUNIT_CASE_PARAM(give_back_test, machine_gen_params),
	{}
};

static struct kunit_suite amd_suite = {
	.name = "pmctrack_amd",
	.init = x86_model_init,
	.exit = x86_model_exit,
	.test_cases = amd_cases,
};

kunit_test_suite(amd_suite);
