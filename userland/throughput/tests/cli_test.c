// SPDX-License-Identifier: GPL-2.0-or-later
/* Tests of the units that lines tell of, in whatever pieces the lines come. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "complain.h"
#include "matcher.h"
#include "tap.h"
#include "throughput.h"

static uint64_t take(struct matcher *m, struct stream *s, const char *text)
{
	return matcher_take(m, s, text, strlen(text));
}

static void number_test(void **state)
{
	struct stream s = {.length = 0};
	struct matcher m;

	(void)state;
	assert_int_equal(matcher_begin(&m, MATCH_NUMBER, "frame= *([0-9]+)"), 0);
	assert_int_equal(take(&m, &s, "frame=   10 fps=2\rfra"), 10);
	assert_int_equal(take(&m, &s, "me=  2"), 0);
	assert_int_equal(take(&m, &s, "5 x\r\nnothing\nframe=25\n"), 15);
	/* The program counts from 0 again. */
	assert_int_equal(take(&m, &s, "frame=3\n"), 3);
	assert_int_equal(take(&m, &s, "frame=99999999999999999999999\nframe=\n"), 0);
	assert_int_equal(take(&m, &s, "frame=5\n"), 2);
	matcher_end(&m);
	assert_int_equal(matcher_begin(&m, MATCH_NUMBER, "left (-?[0-9]+)"), 0);
	assert_int_equal(take(&m, &s, "left 7\nleft -1\nleft 9\n"), 9);
	matcher_end(&m);
	assert_int_equal(matcher_begin(&m, MATCH_NUMBER, "frame=([ +]*[0-9]+)"), 0);
	assert_int_equal(take(&m, &s, "frame=   10\nframe=+12\n"), 12);
	matcher_end(&m);
}

static void line_test(void **state)
{
	static char longer[3 * MATCHER_LINE];
	struct stream s = {.length = 0};
	struct matcher m;
	size_t i;

	(void)state;
	assert_int_equal(matcher_begin(&m, MATCH_LINE, "^GET"), 0);
	assert_int_equal(take(&m, &s, "GET /a\nPOST\nGET /b\n\n\nGET"), 2);
	assert_int_equal(take(&m, &s, "\n"), 1);
	assert_int_equal(matcher_take(&m, &s, "GET\0x\n", 6), 1);
	memset(longer, 'G', sizeof(longer));
	for (i = 0; i < sizeof(longer); i += 1000)
		matcher_take(&m, &s, longer + i, sizeof(longer) - i < 1000 ? sizeof(longer) - i : 1000);
	assert_true(s.length < MATCHER_LINE);
	matcher_end(&m);
	assert_int_equal(matcher_begin(&m, MATCH_BYTES, NULL), 0);
	assert_int_equal(take(&m, &s, "12345"), 5);
	matcher_end(&m);
}

static void append(const char *path, const char *text)
{
	FILE *f = fopen(path, "a");

	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

/* A log is renamed while the program still writes to it. Then a log is emptied. */
static void rotation_test(void **state)
{
	char path[] = "/tmp/rotation_test.XXXXXX", old[sizeof(path) + 2];
	uint64_t before = throughput_count();
	struct matcher m;
	struct tail t;

	(void)state;
	close(mkstemp(path));
	snprintf(old, sizeof(old), "%s.1", path);
	append(path, "GET before\n");
	assert_int_equal(matcher_begin(&m, MATCH_LINE, "^GET"), 0);
	tail_begin(&t, path);
	tail_follow(&t, &m, true);
	append(path, "GET 1\n");
	assert_int_equal(rename(path, old), 0);
	append(path, "GET 2\n");
	tail_follow(&t, &m, false);
	append(old, "GET 3\nGE");
	tail_follow(&t, &m, false);
	append(old, "T 4\n");
	append(path, "GET 5\n");
	tail_follow(&t, &m, false);
	assert_int_equal(throughput_count() - before, 5);
	assert_int_equal(truncate(path, 0), 0);
	tail_follow(&t, &m, false);
	append(path, "GET 6\n");
	tail_follow(&t, &m, false);
	assert_int_equal(throughput_count() - before, 6);
	matcher_end(&m);
	unlink(path);
	unlink(old);
}

static char said[200];

static void note(const char *program, const char *text)
{
	(void)program;
	snprintf(said, sizeof(said), "%s", text);
}

static void wrong_test(void **state)
{
	struct matcher m;

	(void)state;
	complain_to(note);
	assert_true(matcher_begin(&m, MATCH_LINE, "(") < 0);
	assert_non_null(strstr(said, "'(': "));
	assert_true(matcher_begin(&m, MATCH_NUMBER, "frame") < 0);
	assert_non_null(strstr(said, "which number?"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(number_test),
		cmocka_unit_test(line_test),
		cmocka_unit_test(wrong_test),
		cmocka_unit_test(rotation_test),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
