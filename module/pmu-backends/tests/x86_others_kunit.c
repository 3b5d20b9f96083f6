// SPDX-License-Identifier: GPL-2.0-only
/* Events of x86 that count other people's work: the table, and what it must contain. */
#include <asm/cpufeature.h>

#include "../x86/others.h"
#include "../x86/x86.h"
#include "x86_model.h"

static const struct x86_model_pmu intel = {
	.version = 4, .said = 4, .general = 4, .fixed = 3, .width = 48, .full_width = true,
};

static const struct x86_model_pmu old_intel = {
	.version = 2, .said = 2, .general = 2, .fixed = 3, .width = 40,
};

static const struct x86_model_pmu no_any = {
	.version = 5, .said = 8, .general = 8, .fixed = 3, .width = 48, .no_any = true,
};

static const struct x86_model_pmu amd = { .said = 4, .general = 4, .width = 48 };

/* Set up a machine whose CPUs are of this family and model. */
static const struct pmct_backend *machine(struct kunit *test, u8 vendor, u8 family, u8 model,
					  const struct x86_model_pmu *pmu)
{
	const struct pmct_backend *backend =
		vendor == X86_VENDOR_INTEL ? &x86_model_intel : &x86_model_amd;
	struct pmct_msg msg = {};

	x86_model_reset(vendor, pmu);
	x86_model.boot.x86 = family;
	x86_model.boot.x86_model = model;
	KUNIT_ASSERT_EQ_MSG(test, backend->probe(&msg), 0, "%s", msg.text);
	return backend;
}

static const char *sees(struct kunit *test, const struct pmct_backend *backend, const char *raw)
{
	struct pmct_msg msg = {};
	struct pmct_event event;

	KUNIT_EXPECT_EQ_MSG(test, x86_model_parse(backend, raw, &event, &msg), 0, "%s: %s", raw,
			    msg.text);
	return backend->sees_others(backend->core_type(0), &event);
}

/* Like sees(), for an event of a general counter, as in rows of the table. */
static const char *sees_code(const struct pmct_backend *backend, u32 code, u32 umask, bool any)
{
	struct pmct_event event = { .counter = 3, .has_code = true, .usr = true, .code = code };

	event.extra[X86_UMASK] = umask;
	event.extra[X86_ANY] = any;
	return backend->sees_others(backend->core_type(0), &event);
}

static const struct x86_model_pmu *pmu_of(const struct x86_others *o)
{
	return o->vendor == X86_VENDOR_INTEL ? &intel : &amd;
}

/* Check all events of a row on one kind of CPU, and that they are harmless with other bits. */
static void walk_row(struct kunit *test, const struct x86_others *o, u8 family, u8 model)
{
	const struct pmct_backend *backend = machine(test, o->vendor, family, model, pmu_of(o));
	u32 max = o->vendor == X86_VENDOR_INTEL ? 0xff : 0xfff;
	u32 code = o->code_bits ? o->code : 0xc0;
	u32 bad = o->differs ? o->umask ^ (o->umask_bits & -o->umask_bits) : o->umask;
	u32 good = o->differs ? o->umask : 0;
	u32 i;

	for (i = 0; i <= max; i++) {
		if ((i & o->code_bits) == o->code)
			KUNIT_EXPECT_NOT_NULL_MSG(test, sees_code(backend, i, bad, o->any),
						  "%#x, mask %#x", i, bad);
	}
	for (i = 0; i <= 0xff; i++) {
		if (((i & o->umask_bits) == o->umask) != o->differs)
			KUNIT_EXPECT_STREQ(test, sees_code(backend, code, i, o->any), o->who);
	}
	if (o->any || o->umask_bits)
		KUNIT_EXPECT_NULL(test, sees_code(backend, code, good, false));
	if (o->code_bits)
		KUNIT_EXPECT_NULL(test, sees_code(backend, 0xc0, bad, o->any));
}

static void table_test(struct kunit *test)
{
	const struct x86_others *o;
	const u8 *model;
	unsigned int i;

	for (i = 0; (o = x86_model_others(i)); i++) {
		if (!o->models) {
			walk_row(test, o, o->first_family, 0xff);
			walk_row(test, o, o->last_family, 0xff);
		}
		for (model = o->models; model && *model; model++)
			walk_row(test, o, o->first_family, *model);
	}
	KUNIT_EXPECT_GT(test, i, 6);
}

/* A row does not apply to other CPUs. */
static void other_cpus_test(struct kunit *test)
{
	const struct pmct_backend *backend;

	/* Nehalem has other events there, and AMD since Bulldozer has other counters. */
	backend = machine(test, X86_VENDOR_INTEL, 6, 0x1a, &intel);
	KUNIT_EXPECT_NULL(test, sees(test, backend, "pmc3=24,umask3=0xc0"));
	KUNIT_EXPECT_NULL(test, sees(test, backend, "pmc3=60,umask3=0x1"));
	backend = machine(test, X86_VENDOR_AMD, 0x15, 2, &amd);
	KUNIT_EXPECT_NULL(test, sees(test, backend, "pmc3=e0"));
	KUNIT_EXPECT_NULL(test, sees(test, backend, "pmc3=3c,umask3=2"));
	/* Without AnyThread, translate() refuses these, and a privilege would not help. */
	backend = machine(test, X86_VENDOR_INTEL, 6, 0x7e, &no_any);
	KUNIT_EXPECT_NULL(test, sees(test, backend, "pmc3=c0,any3=1"));
	KUNIT_EXPECT_NULL(test, sees(test, backend, "pmc0,any0=1"));
	backend = machine(test, X86_VENDOR_AMD, 0x17, 1, &amd);
	KUNIT_EXPECT_NULL(test, sees(test, backend, "pmc3=c0,any3=1"));
}

struct raw_case {
	u8 vendor, family, model;
	const struct x86_model_pmu *pmu;
	const char *raw;
	const char *says;	/* NULL: nothing */
};

static void raw_desc(const struct raw_case *c, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "family %#x, model %#x: %s", c->family, c->model,
		 c->raw);
}

/* Whom events show, one by one, because a table without a row passes its own walk. */
static const struct raw_case seen[] = {
	{ X86_VENDOR_INTEL, 6, 0x5e, &intel, "pmc1,any1=1", "the other hyperthread of the core" },
	{ X86_VENDOR_INTEL, 6, 0x5e, &intel, "pmc1", NULL },
	{ X86_VENDOR_INTEL, 6, 0x5e, &intel, "pmc3=c0,any3=1",
	  "the other hyperthread of the core" },
	{ X86_VENDOR_INTEL, 6, 0x5e, &intel, "pmc3=c0,edge3=1,inv3=1,cmask3=255", NULL },
	{ X86_VENDOR_INTEL, 6, 0x5e, &intel, "pmc3=3c,umask3=2",
	  "the other hyperthread of the core" },
	{ X86_VENDOR_INTEL, 6, 0x5e, &intel, "pmc3=3c", NULL },
	{ X86_VENDOR_INTEL, 6, 0x5e, &intel, "pmc3=3c,umask3=1", NULL },
	{ X86_VENDOR_INTEL, 6, 0x7e, &no_any, "pmc3=ec,umask3=2",
	  "the other hyperthread of the core" },
	{ X86_VENDOR_INTEL, 6, 0x5e, &intel, "pmc3=b1,umask3=2,cmask3=1",
	  "the other hyperthread of the core" },
	{ X86_VENDOR_INTEL, 6, 0x5e, &intel, "pmc3=b1,umask3=1", NULL },
	{ X86_VENDOR_INTEL, 6, 0x7e, &no_any, "pmc3=a4,umask3=1",
	  "the other hyperthread of the core" },
	{ X86_VENDOR_INTEL, 6, 0x7e, &no_any, "pmc3=a4,umask3=2", NULL },
	{ X86_VENDOR_INTEL, 6, 0x55, &intel, "pmc3=28,umask3=0x18",
	  "the other hyperthread of the core" },
	{ X86_VENDOR_INTEL, 6, 0x5e, &intel, "pmc3=28,umask3=0x18", NULL },
	{ X86_VENDOR_INTEL, 6, 0x55, &intel, "pmc3=ef,umask3=8",
	  "the cores that look into its caches" },
	{ X86_VENDOR_INTEL, 6, 0x2c, &intel, "pmc3=b8,umask3=1",
	  "the cores that look into its caches" },
	{ X86_VENDOR_INTEL, 6, 0x17, &old_intel, "pmc3=24,umask3=0xf0",
	  "the other cores at its L2 cache" },
	{ X86_VENDOR_INTEL, 6, 0x17, &old_intel, "pmc3=30,umask3=0xff",
	  "the other cores at its L2 cache" },
	{ X86_VENDOR_INTEL, 6, 0x17, &old_intel, "pmc3=24,umask3=0x70", NULL },
	{ X86_VENDOR_INTEL, 6, 0x17, &old_intel, "pmc3=2e,umask3=0x41", NULL },
	{ X86_VENDOR_INTEL, 6, 0x17, &old_intel, "pmc3=2e,umask3=0x4f", NULL },
	{ X86_VENDOR_INTEL, 6, 0x17, &old_intel, "pmc3=70,umask3=0x60",
	  "the other cores at its bus" },
	{ X86_VENDOR_INTEL, 6, 0x17, &old_intel, "pmc3=70,umask3=0xc0",
	  "the other cores at its bus" },
	{ X86_VENDOR_INTEL, 6, 0x17, &old_intel, "pmc3=62", "the other cores at its bus" },
	{ X86_VENDOR_INTEL, 6, 0x17, &old_intel, "pmc3=70,umask3=0x40", NULL },
	{ X86_VENDOR_AMD, 0x10, 4, &amd, "pmc0=e0,umask0=7", "all CPUs of the node" },
	{ X86_VENDOR_AMD, 0x10, 4, &amd, "pmc0=4e1,umask0=0xf7", "all CPUs of the node" },
	{ X86_VENDOR_AMD, 0x10, 4, &amd, "pmc0=7e,umask0=7", NULL },
	{ X86_VENDOR_AMD, 0x14, 1, &amd, "pmc0=e9,umask0=0xb8", "all CPUs of the node" },
	{ X86_VENDOR_AMD, 0x17, 1, &amd, "pmc0=62,umask0=1", "the other thread of the core" },
	{ X86_VENDOR_AMD, 0x10, 4, &amd, "pmc0=62,umask0=1", NULL },
	{ X86_VENDOR_HYGON, 0x18, 1, &amd, "pmc0=62,umask0=1", "the other thread of the core" },
	{ X86_VENDOR_INTEL, 6, 0x7e, &no_any, "pmc3=3c,umask3=8",
	  "the other hyperthread of the core" },
	{ X86_VENDOR_INTEL, 6, 0x86, &no_any, "pmc3=63,umask3=2",
	  "the other cores at its L2 cache" },
	{ X86_VENDOR_INTEL, 6, 0x7e, &no_any, "pmc3=63,umask3=2", NULL },
	{ X86_VENDOR_AMD, 0x17, 1, &amd, "pmc0=c0", NULL },
};

KUNIT_ARRAY_PARAM(seen, seen, raw_desc);

static void seen_test(struct kunit *test)
{
	const struct raw_case *s = test->param_value;
	const char *who = sees(test, machine(test, s->vendor, s->family, s->model, s->pmu),
			       s->raw);

	if (s->says)
		KUNIT_EXPECT_STREQ(test, who, s->says);
	else
		KUNIT_EXPECT_NULL(test, who);
}

/* Events that count on some counters only: elsewhere they would count nothing, and nobody told. */
static const struct raw_case place_cases[] = {
	{ X86_VENDOR_INTEL, 6, 0x3c, &intel, "pmc5=48,umask5=1", NULL },
	{ X86_VENDOR_INTEL, 6, 0x3c, &intel, "pmc3=48,umask3=1", "on pmc5 only" },
	{ X86_VENDOR_INTEL, 6, 0x3c, &intel, "pmc3=48,umask3=2", NULL },
	{ X86_VENDOR_INTEL, 6, 0x1a, &intel, "pmc5=40,umask5=1", "on pmc3, pmc4 only" },
	{ X86_VENDOR_INTEL, 6, 0x7e, &no_any, "pmc6=51,umask6=1", NULL },
	{ X86_VENDOR_INTEL, 6, 0x7e, &no_any, "pmc7=51,umask7=1",
	  "on pmc3, pmc4, pmc5, pmc6 only" },
	{ X86_VENDOR_INTEL, 6, 0x7e, &no_any, "pmc10=c5", NULL },
	{ X86_VENDOR_INTEL, 6, 0x8f, &no_any, "pmc4=ce,umask4=1", "on pmc3 only" },
	{ X86_VENDOR_AMD, 0x15, 2, &amd, "pmc0=3,umask0=1", "on pmc3 only" },
	{ X86_VENDOR_AMD, 0x15, 2, &amd, "pmc3=81", "on pmc0, pmc1, pmc2 only" },
	{ X86_VENDOR_AMD, 0x15, 2, &amd, "pmc0=31,umask0=3", "on no counter" },
	{ X86_VENDOR_AMD, 0x15, 2, &amd, "pmc3=c0", NULL },
	{ X86_VENDOR_AMD, 0x17, 1, &amd, "pmc3=81", NULL },
};

KUNIT_ARRAY_PARAM(place, place_cases, raw_desc);

static void place_test(struct kunit *test)
{
	const struct raw_case *c = test->param_value;
	const struct pmct_backend *backend = machine(test, c->vendor, c->family, c->model, c->pmu);
	struct pmct_hwset set;
	struct pmct_msg msg = {};

	KUNIT_EXPECT_EQ(test, x86_model_build(backend, c->raw, &set, &msg),
			c->says ? -EOPNOTSUPP : 0);
	if (c->says)
		KUNIT_EXPECT_TRUE_MSG(test, strstr(msg.text, c->says), "%s", msg.text);
}

static struct kunit_case others_cases[] = {
	KUNIT_CASE(table_test),
	KUNIT_CASE(other_cpus_test),
	KUNIT_CASE_PARAM(seen_test, seen_gen_params),
	KUNIT_CASE_PARAM(place_test, place_gen_params),
	{}
};

static struct kunit_suite others_suite = {
	.name = "pmctrack_x86_others",
	.init = x86_model_init,
	.exit = x86_model_exit,
	.test_cases = others_cases,
};

kunit_test_suite(others_suite);
