// SPDX-License-Identifier: GPL-2.0-or-later
/* Texts of users: what terminals would obey, and what JSON does not have, is replaced. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "utf8.h"

static const struct {
	const char *text, *printable, *mended;
} cases[] = {
	{ "", "", "" },
	{ "plain", "plain", "plain" },
	{ "caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80", "caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80",
	  "caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80" },
	{ "caf\xe9", "caf?", "caf?" },
	{ "\xe9t\xe9", "?t?", "?t?" },
	{ "a\x1b[2J\n", "a.[2J.", "a\x1b[2J\n" },
	{ "\xc2\x9b", "..", "\xc2\x9b" },
	{ "\xc0\x80 \xed\xa0\x80", "?? ???", "?? ???" },
	{ "cut \xe2\x82", "cut ??", "cut ??" },
};

static void cases_test(void **state)
{
	char text[64], *mended;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		snprintf(text, sizeof(text), "%s", cases[i].text);
		utf8_make_printable(text);
		assert_string_equal(text, cases[i].printable);
		mended = utf8_mended(cases[i].text);
		assert_string_equal(mended, cases[i].mended);
		free(mended);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(cases_test) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
