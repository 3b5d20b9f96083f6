// SPDX-License-Identifier: GPL-2.0-or-later
/* Tests of event files: those that PMCTrack ships, and broken ones. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"
/* Included after internal.h, because cmocka.h has a macro fail(). */
#include <cmocka.h>
#include "read_text.h"

static int count_alias(const char *name, const char *const *events, void *arg)
{
	assert_non_null(name);
	assert_non_null(events[0]);
	(*(int *)arg)++;
	return 0;
}

static void shipped_test(void **state)
{
	const char *const *events;
	struct event_file *file;
	unsigned int counter;
	uint64_t limit;
	int n = 0;

	(void)state;
	setenv("PMCTRACK_EVENTS", EVENTS_SRC, 1);
	file = event_file_load("arm64");
	assert_non_null(file);
	assert_true(event_file_fixed(file, 0x11, &counter));
	assert_int_equal(counter, 0);
	assert_false(event_file_fixed(file, 0x8, &counter));
	events = event_file_alias(file, "INSTR");
	assert_non_null(events);
	assert_string_equal(events[0], "INST_RETIRED");
	assert_null(event_file_alias(file, "no_such_alias"));
	assert_string_equal(event_file_table(file, &limit), "arm_n1");
	assert_int_equal(limit, 0x40);
	assert_int_equal(event_file_each_alias(file, count_alias, &n), 0);
	assert_true(n >= 10);
	assert_false(event_file_fixed_only(file, 0x11));
	event_file_free(file);

	file = event_file_load("x86-intel");
	assert_non_null(file);
	assert_true(event_file_fixed(file, 0xc0, &counter));
	assert_false(event_file_fixed_only(file, 0xc0));
	assert_true(event_file_fixed_only(file, 0x300));
	event_file_free(file);
	file = event_file_load("x86-amd");
	assert_non_null(file);
	event_file_free(file);
}

static int check_code(const char *name, uint64_t code, void *arg)
{
	uint64_t expected;

	/* The PMU of a CPU model may lack an event of the architecture, or name it differently. */
	if (vendor_table_find("arm_n1", 0x40, name, &expected))
		return 0;
	if (expected != code)
		fail_msg("%s: %#llx, libpfm4 has %#llx", name, (unsigned long long)code,
			 (unsigned long long)expected);
	(*(int *)arg)++;
	return 0;
}

static int check_alias_codes(const char *name, const char *const *events, void *arg)
{
	uint64_t code;

	for (; *events; events++) {
		if (event_file_code(arg, *events, &code))
			fail_msg("alias %s: no code for %s", name, *events);
	}
	return 0;
}

static int ignore_event(const struct pmctrack_event_info *info, void *arg)
{
	(void)info;
	(void)arg;
	return 0;
}

/* The codes in the event file, which the kernel uses, are those of libpfm4. */
static void codes_agree_test(void **state)
{
	struct event_file *file;
	int n = 0;

	(void)state;
	setenv("PMCTRACK_EVENTS", EVENTS_SRC, 1);
	file = event_file_load("arm64");
	assert_non_null(file);
	assert_int_equal(event_file_each_code(file, check_code, &n), 0);
	assert_true(n >= 15);
	event_file_free(file);
}

/* The kernel can use each alias of arm64, because each of its events has a code. */
static void codes_test(void **state)
{
	struct event_file *file;
	uint64_t code;

	(void)state;
	setenv("PMCTRACK_EVENTS", EVENTS_SRC, 1);
	file = event_file_load("arm64");
	assert_non_null(file);
	assert_int_equal(event_file_each_alias(file, check_alias_codes, file), 0);
	assert_int_equal(event_file_code(file, "inst_retired", &code), 0);
	assert_int_equal(code, 0x08);
	assert_int_equal(event_file_code(file, "instr", &code), -ENOENT);
	event_file_free(file);
}

static void missing_test(void **state)
{
	(void)state;
	setenv("PMCTRACK_EVENTS", "/no/such/dir", 1);
	assert_null(event_file_load("arm64"));
	assert_int_equal(errno, ENOENT);
	assert_non_null(strstr(pmctrack_error(), "/no/such/dir/arm64.events: No such file"));
	assert_non_null(strstr(pmctrack_error(), "PMCTRACK_EVENTS"));
}

static void broken_test(void **state)
{
	static const char *const texts[] = {
		"ok\n", "alias\n", "alias x\n", "fixed\n", "fixed pmc0\n", "fixed pmc0 x\n",
		"fixed pmc32 1\n", "fixed counter 1\n", "fixed pmc1 0x12junk\n", "table\n",
		"code\n", "code X\n", "code X y\n", "code X 0x8 9\n", "table arm_n1\n", "table arm_n1 many\n", "table a 1\ntable b 2\n",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		char text[100];

		snprintf(text, sizeof(text), "# first\n%s", texts[i]);
		if (read_text(text))
			fail_msg("accepted: %s", texts[i]);
		assert_int_equal(errno, EINVAL);
		/* The message names the first bad line, which is the second or third one. */
		if (!strstr(pmctrack_error(), ":2: expected") && !strstr(pmctrack_error(), ":3: expected"))
			fail_msg("no line: %s", pmctrack_error());
	}
}

static void empty_test(void **state)
{
	struct event_file *file = read_text("");
	uint64_t limit;

	(void)state;
	assert_non_null(file);
	assert_null(event_file_table(file, &limit));
	assert_null(event_file_alias(file, "instr"));
	event_file_free(file);
	event_file_free(NULL);
}

/* Each kind of PMU has its own event file, because the codes in another one would be wrong. */
static void model_test(void **state)
{
	static const struct {
		const char *model, *cycles;
	} cases[] = {
		{ "perf", "0x0" },
		{ "midr=0x410fd0c0", "CPU_CYCLES" },
		{ "x86=0,6,94", "0x3c" },
		{ "x86=2,25,1", "0x76" },
		{ "x86=9,24,0", "0x76" },
	};
	struct event_file *file;

	(void)state;
	setenv("PMCTRACK_EVENTS", EVENTS_SRC, 1);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		file = event_file_of_model(cases[i].model);
		assert_non_null(file);
		assert_string_equal(event_file_alias(file, "cycles")[0], cases[i].cycles);
		event_file_free(file);
	}
	assert_null(event_file_of_model("riscv=0x489"));
	assert_int_equal(errno, ENOTSUP);
	assert_non_null(strstr(pmctrack_error(), "'riscv=0x489'"));
	assert_null(event_file_of_model("x86=22,6,1"));
	assert_null(event_file_of_model(""));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shipped_test),
		cmocka_unit_test(codes_test),
		cmocka_unit_test(model_test),
		cmocka_unit_test(missing_test),
		cmocka_unit_test(broken_test),
		cmocka_unit_test(empty_test),
	};
	const struct CMUnitTest arm_tests[] = {
		cmocka_unit_test(codes_agree_test),
	};
	int failed = cmocka_run_group_tests_name("event_file", tests, NULL, NULL);

	/* If libpfm4 has no table of ARM, only the guest test counts.sh checks the codes. */
	if (vendor_table_each("arm_n1", 0, ignore_event, NULL) == 0)
		failed += cmocka_run_group_tests_name("event_file_arm", arm_tests, NULL, NULL);
	return failed;
}
