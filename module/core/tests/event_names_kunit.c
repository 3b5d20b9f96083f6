// SPDX-License-Identifier: GPL-2.0-only
/* Lists of event names: the events, codes and counters that they select. */
#include <kunit/test.h>

#include "../../pmu-backends/tests/fake.h"
#include "../event_names.h"

/* The fake PMU's big cores have pmc0 for cycles, and seven general counters. */
static const char *const events[] = {
	"cycles", "instr", NULL, "branches", "misses", "cycles:k", "time", "nothing", "strange",
	"instr:k", "instr:uk", "branches:k", "branches:uk",
};

struct names_case {
	const char *desc;
	const char *list;
	unsigned int core_type;
	int err;
	const char *result;	/* the raw string, or part of the message */
};

static const struct names_case names_cases[] = {
	{ "one event", "instr", 0, 0, "pmc1=0x10,coretype=0" },
	{ "fixed counter", "instr,cycles", 0, 0, "pmc0,pmc1=0x10,coretype=0" },
	{ "fixed counter is taken", "cycles,cycles:k", 0, 0,
	  "pmc0,pmc1=0x11,usr1=0,os1=1,coretype=0" },
	{ "names in any case", "INSTR,Cycles:k", 0, 0, "pmc0,usr0=0,os0=1,pmc1=0x10,coretype=0" },
	{ "mode of users", "instr:u", 0, 0, "pmc1=0x10,coretype=0" },
	{ "last mode counts", "instr:u:k", 0, 0, "pmc1=0x10,usr1=0,os1=1,coretype=0" },
	{ "both modes", "instr:uk", 0, 0, "pmc1=0x10,os1=1,coretype=0" },
	{ "samples by events", "instr:ebs=5000", 0, 0, "pmc1=0x10,ebs1=5000,coretype=0" },
	{ "addresses", "instr:ip=5000", 0, 0, "pmc1=0x10,ip1=5000,coretype=0" },
	{ "samples by events of the kernel", "instr:ebs=5000:k", 0, 0,
	  "pmc1=0x10,usr1=0,os1=1,ebs1=5000,coretype=0" },
	{ "next alternative", "branches", 0, 0, "pmc1=0x12,coretype=0" },
	{ "key of the backend", "misses", 0, 0, "pmc1=0x13,umask1=0x41,coretype=0" },
	{ "other core type", "misses,instr", 1, 0,
	  "pmc1=0x13,umask1=0x41,pmc2=0x10,coretype=1" },
	{ "as many as there are counters", "instr,instr:k,branches,cycles", 1, 0,
	  "pmc0,pmc1=0x10,pmc2=0x10,usr2=0,os2=1,pmc3=0x12,coretype=1" },
	{ "one more", "instr,instr:k,instr:uk,branches", 1, -E2BIG,
	  "branches: no counter is left for it: the set has 4 events, fake_small has 4 counters" },
	{ "no alternative", "instr,nothing", 0, -EOPNOTSUPP, "nothing: not an event of fake_big" },
	{ "fixed counter that is not there", "time", 1, -EOPNOTSUPP,
	  "time: not an event of fake_small" },
	{ "unknown name", "instr,strange", 0, -EINVAL, "strange: unknown event" },
	{ "not the module's", "misses:k", 0, -EINVAL, "misses:k: is not in the module's list" },
	{ "twice", "instr,cycles,INSTR:u", 0, -EINVAL, "INSTR: is in the set twice" },
	{ "empty", "", 0, -EINVAL, "without a name" },
	{ "empty item", "instr,,cycles", 0, -EINVAL, "without a name" },
	{ "trailing comma", "instr,", 0, -EINVAL, "without a name" },
	{ "only flags", ":k", 0, -EINVAL, "without a name" },
	{ "blank", "instr, cycles", 0, -EINVAL, "blanks" },
	{ "newline", "instr\n", 0, -EINVAL, "control characters" },
	{ "unknown flag", "instr:x", 0, -EINVAL, "unknown flag ':x'" },
	{ "empty flag", "instr:", 0, -EINVAL, "unknown flag ':'" },
	{ "no number of events", "instr:ebs=", 0, -EINVAL, "':ebs='" },
	{ "signed number of events", "instr:ebs=+1", 0, -EINVAL, "':ebs=+1'" },
	{ "zero events", "instr:ebs=0", 0, -EINVAL, "':ebs=0'" },
	{ "long item", "a_name_that_no_event_has_because_it_is_longer_than_sixty_three_bytes", 0,
	  -EINVAL, "too long" },
};

static void names_desc(const struct names_case *c, char *desc)
{
	strscpy(desc, c->desc, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(names, names_cases, names_desc);

static void resolve_test(struct kunit *test)
{
	const struct names_case *c = test->param_value;
	struct pmct_named_spec *named = kunit_kzalloc(test, sizeof(*named), GFP_KERNEL);
	char *raw = kunit_kzalloc(test, PMCTRACK_MAX_RAW, GFP_KERNEL);
	struct pmct_msg msg = {};
	int err;

	KUNIT_ASSERT_NOT_NULL(test, named);
	KUNIT_ASSERT_NOT_NULL(test, raw);
	pmct_fake_reset();
	err = pmct_event_names_resolve(&pmct_fake, c->core_type, c->list, events,
				       ARRAY_SIZE(events), named, &msg);
	KUNIT_EXPECT_EQ_MSG(test, err, c->err, "message is: %s", msg.text);
	if (err) {
		KUNIT_EXPECT_TRUE_MSG(test, strstr(msg.text, c->result), "message is: %s",
				      msg.text);
		return;
	}
	err = pmct_evset_print(&named->spec, pmct_fake.keys, raw, PMCTRACK_MAX_RAW);
	KUNIT_EXPECT_EQ(test, err, 0);
	KUNIT_EXPECT_STREQ(test, raw, c->result);
}

static void map_test(struct kunit *test)
{
	struct pmct_named_spec *named = kunit_kzalloc(test, sizeof(*named), GFP_KERNEL);
	u8 where[PMCT_MAX_NAMED_EVENTS];
	struct pmct_msg msg = {};

	KUNIT_ASSERT_NOT_NULL(test, named);
	pmct_fake_reset();
	KUNIT_ASSERT_EQ(test, 0,
			pmct_event_names_resolve(&pmct_fake, 0, "misses,instr,cycles", events,
						 ARRAY_SIZE(events), named, &msg));
	pmct_event_names_map(named, where);
	/* Order by counter: cycles (pmc0), misses (pmc1), instr (pmc2). */
	KUNIT_EXPECT_EQ(test, where[0], 0);
	KUNIT_EXPECT_EQ(test, where[4], 1);
	KUNIT_EXPECT_EQ(test, where[1], 2);
	KUNIT_EXPECT_EQ(test, where[2], U8_MAX);
	KUNIT_EXPECT_EQ(test, where[5], U8_MAX);
	KUNIT_EXPECT_EQ(test, where[PMCT_MAX_NAMED_EVENTS - 1], U8_MAX);
}

/* What /proc/pmc/info lists can be counted, and nothing else can. */
static void has_test(struct kunit *test)
{
	struct pmct_named_spec *named = kunit_kzalloc(test, sizeof(*named), GFP_KERNEL);
	const struct pmct_event_table *table = pmct_fake.events;
	unsigned int i, type, has = 0;
	struct pmct_msg msg = {};

	KUNIT_ASSERT_NOT_NULL(test, named);
	pmct_fake_reset();
	for (type = 0; type < 2; type++) {
		for (i = 0; i < table->nr_names; i++) {
			const char *name = table->names[i].name;
			int err = pmct_event_names_resolve(&pmct_fake, type, name, &name, 1, named,
							   &msg);

			KUNIT_EXPECT_EQ_MSG(test, !err,
					    pmct_event_names_has(&pmct_fake, type,
								 &table->names[i]),
					    "%s", name);
			has += !err;
		}
	}
	KUNIT_EXPECT_GT(test, has, table->nr_names);
	KUNIT_EXPECT_LT(test, has, 2 * table->nr_names);
}

struct core_type_case {
	const char *desc;
	const char *list;
	int core_type;
	const char *rest;	/* NULL: refused */
};

static const struct core_type_case core_type_cases[] = {
	{ "none", "instr,cycles", PMCT_ANY_CORE_TYPE, "instr,cycles" },
	{ "with a colon", "coretype=1:instr", 1, "instr" },
	{ "with a comma", "coretype=0,instr:k", 0, "instr:k" },
	{ "too large", "coretype=2:instr", 0, NULL },
	{ "no number", "coretype=:instr", 0, NULL },
	{ "two digits", "coretype=01:instr", 0, NULL },
	{ "not a number", "coretype=x:instr", 0, NULL },
	{ "no events", "coretype=1", 0, NULL },
};

static void core_type_desc(const struct core_type_case *c, char *desc)
{
	strscpy(desc, c->desc, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(core_type, core_type_cases, core_type_desc);

static void core_type_test(struct kunit *test)
{
	const struct core_type_case *c = test->param_value;
	const char *list = c->list;
	struct pmct_msg msg = {};
	int core_type;
	int err = pmct_event_names_core_type(&list, 2, &core_type, &msg);

	KUNIT_EXPECT_EQ(test, err, c->rest ? 0 : -EINVAL);
	KUNIT_EXPECT_EQ(test, !!err, !!msg.text[0]);
	if (err)
		return;
	KUNIT_EXPECT_EQ(test, core_type, c->core_type);
	KUNIT_EXPECT_STREQ(test, list, c->rest);
}

/* Tables made from events/: each name has a code, and no name occurs twice. */
static void tables_test(struct kunit *test)
{
	const struct pmct_event_table *table;
	const struct pmct_backend *const *b;
	unsigned int i, n;

	for (b = pmct_backends; *b; b++) {
		table = (*b)->events;
		KUNIT_ASSERT_NOT_NULL(test, table);
		KUNIT_EXPECT_STREQ(test, table->names[0].name, "instr");
		for (i = 0; i < table->nr_names; i++) {
			KUNIT_EXPECT_GT(test, table->names[i].nr, 0);
			KUNIT_EXPECT_LE(test, table->names[i].nr, PMCT_MAX_EVENT_CODES);
			for (n = 0; n < i; n++)
				KUNIT_EXPECT_STRNEQ(test, table->names[n].name,
						    table->names[i].name);
		}
	}
}

static struct kunit_case event_names_cases[] = {
	KUNIT_CASE_PARAM(resolve_test, names_gen_params),
	KUNIT_CASE(map_test),
	KUNIT_CASE(has_test),
	KUNIT_CASE_PARAM(core_type_test, core_type_gen_params),
	KUNIT_CASE(tables_test),
	{}
};

static struct kunit_suite event_names_suite = {
	.name = "pmctrack_event_names",
	.test_cases = event_names_cases,
};

kunit_test_suite(event_names_suite);
