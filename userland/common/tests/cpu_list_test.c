// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "cpu_list.h"

static void lists_are_read(void **state)
{
	cpu_set_t set;

	(void)state;
	assert_int_equal(cpu_list_parse("0-3,8", &set), 0);
	assert_int_equal(CPU_COUNT(&set), 5);
	assert_true(CPU_ISSET(8, &set) && !CPU_ISSET(4, &set));
	assert_int_equal(cpu_list_parse("1023", &set), 0);
	assert_true(CPU_COUNT(&set) == 1 && CPU_ISSET(1023, &set));
	assert_int_equal(cpu_list_parse("2,1,1-2", &set), 0);
	assert_int_equal(CPU_COUNT(&set), 2);
}

static void others_are_refused(void **state)
{
	static const char *const wrong[] = {
		"", "a", "1-", "3-1", "1,", ",1", "-1", "99999", "1;2", "1024", "0-1024", " 1", "1, 2", "+1",
		"1--2", "1-2-3", "0x3", "99999999999999999999999", "18446744073709551616", "1\n",
	};
	cpu_set_t set;

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		if (cpu_list_parse(wrong[i], &set) != -EINVAL)
			fail_msg("accepted: '%s'", wrong[i]);
	}
}

static void lists_are_printed(void **state)
{
	cpu_set_t set;
	char text[20];

	(void)state;
	assert_int_equal(cpu_list_parse("0-3,8,10-11", &set), 0);
	cpu_list_print(text, sizeof(text), &set);
	assert_string_equal(text, "0-3,8,10-11");
	/* Printed as far as there is room. */
	cpu_list_print(text, 6, &set);
	assert_string_equal(text, "0-3,8");
	CPU_ZERO(&set);
	cpu_list_print(text, sizeof(text), &set);
	assert_string_equal(text, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lists_are_read),
		cmocka_unit_test(others_are_refused),
		cmocka_unit_test(lists_are_printed),
	};

	return cmocka_run_group_tests_name("CPU lists", tests, NULL, NULL);
}
