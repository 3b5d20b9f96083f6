// SPDX-License-Identifier: GPL-2.0-only
/* Which events the arm64 backend accepts on PMUs of several versions. No register is used. */
#include <kunit/test.h>

#include "../arm64/pmuv3.h"
#include "../list.h"

struct event_case {
	const char *desc;
	unsigned int version;
	struct pmct_event event;
	int err;
	const char *says;
};

#define CODE(_counter, _code)	\
	{ .counter = _counter, .has_code = true, .usr = true, .code = _code }

static const struct event_case event_cases[] = {
	{ "cycles", 1, { .counter = PMUV3_CYCLES, .usr = true } },
	{ "cycles with their code", 1, CODE(PMUV3_CYCLES, PMUV3_EVENT_CPU_CYCLES) },
	{ "another event of the cycle counter", 1, CODE(PMUV3_CYCLES, 8), -EINVAL,
	  "pmc0 counts cycles only" },
	{ "no code", 1, { .counter = 1 }, -EINVAL, "pmc1 needs an event code" },
	{ "an event that is there", 1, CODE(1, 8) },
	{ "an event that is not there", 1, CODE(1, 9), -EOPNOTSUPP, "does not have this event" },
	{ "the carry of another counter", 1, CODE(1, PMUV3_EVENT_CHAIN), -EOPNOTSUPP,
	  "does not have this event" },
	{ "a code of the implementation", 1, CODE(1, 0x3ff) },
	/* Other PMUs have the code, so the next code of a name is tried. */
	{ "a code of a later version", 1, CODE(1, 0x4000), -EOPNOTSUPP, "at most 0x3ff" },
	{ "the same in that version", PMUV3_VER_P1, CODE(1, 0x4000) },
	{ "a code of no version", 1, CODE(1, 0x10000), -EINVAL, "at most 0x3ff" },
	{ "the same in a later version", PMUV3_VER_P1, CODE(1, 0x10000), -EINVAL,
	  "at most 0xffff" },
};

static void event_desc(const struct event_case *c, char *desc)
{
	strscpy(desc, c->desc, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(event, event_cases, event_desc);

static void event_test(struct kunit *test)
{
	const struct event_case *c = test->param_value;
	struct pmuv3_type t = { .version = c->version };
	struct pmct_msg msg = {};
	u64 config, mask;

	__set_bit(8, t.common);
	__set_bit(PMUV3_EVENT_CHAIN, t.common);
	__set_bit(0, t.extended);
	KUNIT_EXPECT_EQ_MSG(test, c->err,
			    pmct_pmuv3.translate(&t.type, &c->event, &config, &mask, &msg),
			    "message is: %s", msg.text);
	if (c->err)
		KUNIT_EXPECT_TRUE_MSG(test, strstr(msg.text, c->says), "message is: %s", msg.text);
}

static struct kunit_case pmuv3_cases[] = {
	KUNIT_CASE_PARAM(event_test, event_gen_params),
	{}
};

static struct kunit_suite pmuv3_suite = {
	.name = "pmctrack_pmuv3",
	.test_cases = pmuv3_cases,
};

kunit_test_suite(pmuv3_suite);
