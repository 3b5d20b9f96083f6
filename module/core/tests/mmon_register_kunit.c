// SPDX-License-Identifier: GPL-2.0-only
/* Which monitoring modules and which values of virtual counters are accepted. */
#include <kunit/test.h>
#include <linux/module.h>
#include <pmctrack/mmon.h>

#define LONGEST	"a_name_of_31_characters-1234567"

struct register_case {
	const char *desc;
	const char *name, *description;
	struct pmct_vcounter virt;
	int err;
};

#define VIRT(_name)	{ .name = _name, .unit = "uJ", .description = "of the test" }

static const struct register_case register_cases[] = {
	{ "a word", "kunit-Test_1", "ok", VIRT("energy_1") },
	{ "the longest names", LONGEST, "ok", VIRT(LONGEST) },
	{ "a description with blanks", "kunit", "watts, volts: Größe", VIRT("energy") },
	{ "no name", NULL, "ok", VIRT("energy"), -EINVAL },
	{ "empty name", "", "ok", VIRT("energy"), -EINVAL },
	{ "long name", LONGEST "8", "ok", VIRT("energy"), -EINVAL },
	{ "name that means no module", "none", "ok", VIRT("energy"), -EINVAL },
	{ "blank in a name", "my module", "ok", VIRT("energy"), -EINVAL },
	{ "comma in a name", "my,module", "ok", VIRT("energy"), -EINVAL },
	{ "colon in a name", "my:module", "ok", VIRT("energy"), -EINVAL },
	{ "newline in a name", "my\nmodule", "ok", VIRT("energy"), -EINVAL },
	{ "name that is not ASCII", "größe", "ok", VIRT("energy"), -EINVAL },
	{ "no description", "kunit", NULL, VIRT("energy"), -EINVAL },
	{ "description of two lines", "kunit", "one\n[*] two", VIRT("energy"), -EINVAL },
	{ "virtual counter without a name", "kunit", "ok", VIRT(NULL), -EINVAL },
	{ "virtual counter with an empty name", "kunit", "ok", VIRT(""), -EINVAL },
	{ "virtual counter with a long name", "kunit", "ok", VIRT(LONGEST "8"), -EINVAL },
	{ "blank in a virtual counter", "kunit", "ok", VIRT("my energy"), -EINVAL },
	{ "comma in a virtual counter", "kunit", "ok", VIRT("my,energy"), -EINVAL },
	{ "colon in a virtual counter", "kunit", "ok", VIRT("my:energy"), -EINVAL },
	{ "tabulator in a virtual counter", "kunit", "ok", VIRT("my\tenergy"), -EINVAL },
	{ "virtual counter without a unit", "kunit", "ok",
	  { .name = "energy", .description = "ok" }, -EINVAL },
	{ "newline in a unit", "kunit", "ok",
	  { .name = "energy", .unit = "u\nJ", .description = "ok" }, -EINVAL },
	{ "virtual counter without a description", "kunit", "ok",
	  { .name = "energy", .unit = "" }, -EINVAL },
};

static void register_desc(const struct register_case *c, char *desc)
{
	strscpy(desc, c->desc, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(register, register_cases, register_desc);

static void register_test(struct kunit *test)
{
	const struct register_case *c = test->param_value;
	struct monitoring_module mm = {
		.name = c->name, .description = c->description, .owner = THIS_MODULE,
		.virt = &c->virt, .nr_virt = 1,
	};
	int err = register_monitoring_module(&mm);

	KUNIT_EXPECT_EQ(test, err, c->err);
	if (!err)
		unregister_monitoring_module(&mm);
}

static void register_twice_test(struct kunit *test)
{
	struct monitoring_module mm = {
		.name = "kunit", .description = "ok", .owner = THIS_MODULE,
	};
	struct monitoring_module again = mm;

	KUNIT_ASSERT_EQ(test, register_monitoring_module(&mm), 0);
	KUNIT_EXPECT_EQ(test, register_monitoring_module(&again), -EEXIST);
	unregister_monitoring_module(&mm);
}

static void register_incomplete_test(struct kunit *test)
{
	struct monitoring_module mm = { .name = "kunit", .description = "ok" };

	KUNIT_EXPECT_EQ(test, register_monitoring_module(&mm), -EINVAL);
	mm.owner = THIS_MODULE;
	mm.nr_virt = PMCTRACK_MAX_VIRT + 1;
	KUNIT_EXPECT_EQ(test, register_monitoring_module(&mm), -EINVAL);
	mm.nr_virt = 0;
	mm.nr_events = PMCT_MAX_MMON_EVENTS + 1;
	KUNIT_EXPECT_EQ(test, register_monitoring_module(&mm), -EINVAL);
}

/* Values outside the array must change nothing. */
static void sample_virt_test(struct kunit *test)
{
	struct pmct_sample sample = {}, before;

	pmct_sample_virt(&sample, PMCTRACK_MAX_VIRT - 1, 5);
	KUNIT_EXPECT_EQ(test, sample.virt[PMCTRACK_MAX_VIRT - 1], 5ULL);
	KUNIT_EXPECT_EQ(test, sample.virt_mask, BIT(PMCTRACK_MAX_VIRT - 1));
	before = sample;
	pmct_sample_virt(&sample, PMCTRACK_MAX_VIRT, 6);
	pmct_sample_virt(&sample, U32_MAX, 7);
	KUNIT_EXPECT_EQ(test, memcmp(&sample, &before, sizeof(sample)), 0);
}

static struct kunit_case register_cases_of_suite[] = {
	KUNIT_CASE_PARAM(register_test, register_gen_params),
	KUNIT_CASE(register_twice_test),
	KUNIT_CASE(register_incomplete_test),
	KUNIT_CASE(sample_virt_test),
	{}
};

static struct kunit_suite register_suite = {
	.name = "pmctrack_mmon_register",
	.test_cases = register_cases_of_suite,
};

kunit_test_suite(register_suite);
