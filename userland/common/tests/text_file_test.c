// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <cmocka.h>

#include "text_file.h"

static const char nowhere[] = "/nonexistent/file";
static char path[] = "/tmp/text_file_test.XXXXXX";

static void write_text(const char *text)
{
	FILE *f = fopen(path, "we");

	assert_non_null(f);
	fputs(text, f);
	assert_int_equal(fclose(f), 0);
}

static void whole_files(void **state)
{
	char text[6] = "old";

	(void)state;
	write_text("a\nb");
	assert_int_equal(text_file_read(path, text, sizeof(text)), 3);
	assert_string_equal(text, "a\nb");
	write_text("123456789");
	assert_int_equal(text_file_read(path, text, sizeof(text)), 5);
	assert_string_equal(text, "12345");
	assert_int_equal(text_file_read(nowhere, text, sizeof(text)), -ENOENT);
	assert_string_equal(text, "");
	assert_int_equal(text_file_read("/tmp", text, sizeof(text)), -EISDIR);
}

static void first_lines(void **state)
{
	char line[8];

	(void)state;
	write_text("one\ntwo\n");
	assert_true(text_file_line(path, line, sizeof(line)));
	assert_string_equal(line, "one");
	write_text("no end");
	assert_true(text_file_line(path, line, sizeof(line)));
	assert_string_equal(line, "no end");
	write_text("");
	assert_false(text_file_line(path, line, sizeof(line)));
	assert_false(text_file_line(nowhere, line, sizeof(line)));
}

static void words(void **state)
{
	(void)state;
	write_text("first\nflags: fpu hypervisor\n");
	assert_true(text_file_has(path, " hypervisor"));
	assert_false(text_file_has(path, "first\nflags: x"));
	assert_false(text_file_has(path, "absent"));
	assert_false(text_file_has(nowhere, ""));
}

static void values(void **state)
{
	char value[8];

	(void)state;
	write_text("name:x\nnames: no\nname: value\nname: later\nempty: \nlong: 123456789\n");
	assert_true(text_file_value(path, "name", value, sizeof(value)));
	assert_string_equal(value, "value");
	assert_true(text_file_value(path, "empty", value, sizeof(value)));
	assert_string_equal(value, "");
	assert_true(text_file_value(path, "long", value, sizeof(value)));
	assert_string_equal(value, "1234567");
	assert_false(text_file_value(path, "absent", value, sizeof(value)));
	assert_string_equal(value, "");
	assert_false(text_file_value(nowhere, "name", value, sizeof(value)));
}

static int remove_file(void **state)
{
	(void)state;
	return unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whole_files), cmocka_unit_test(first_lines),
		cmocka_unit_test(words), cmocka_unit_test(values),
	};
	int fd = mkstemp(path);

	if (fd < 0)
		return 1;
	close(fd);
	return cmocka_run_group_tests_name("text files", tests, NULL, remove_file);
}
