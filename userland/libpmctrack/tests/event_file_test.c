// SPDX-License-Identifier: GPL-2.0-or-later
/* Event files: those shipped, and broken ones. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"
/* After internal.h: it has a macro fail(). */
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
		"table arm_n1\n", "table arm_n1 many\n", "table a 1\ntable b 2\n",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		char text[100];

		snprintf(text, sizeof(text), "# first\n%s", texts[i]);
		if (read_text(text))
			fail_msg("accepted: %s", texts[i]);
		assert_int_equal(errno, EINVAL);
		/* The line is named: the first bad one is the second or third. */
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shipped_test),
		cmocka_unit_test(missing_test),
		cmocka_unit_test(broken_test),
		cmocka_unit_test(empty_test),
	};

	return cmocka_run_group_tests_name("event_file", tests, NULL, NULL);
}
