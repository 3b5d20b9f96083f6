// SPDX-License-Identifier: GPL-2.0-or-later
/* Tests of what is made of a table of options: a parser, a usage text, a list. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "exit_status.h"
#include "option_table.h"

struct taken {
	char text[200];
	int other;
};

static int take(void *options, const struct option_entry *e, const char *argument)
{
	struct taken *taken = options;
	size_t len = strlen(taken->text);

	snprintf(taken->text + len, sizeof(taken->text) - len, "%c%s=%s ", e->letter ? e->letter : '-',
		 e->name ? e->name : "", argument ? argument : "");
	return 0;
}

static int set_other(void *options, const struct option_entry *e, const char *argument)
{
	*(int *)((char *)options + e->offset) = atoi(argument);
	return *(const int *)e->data;
}

static const int nine = 9;

static const struct option_entry entries[] = {
	{ 'f', NULL, "FILE", ARGUMENT_FILE, "one line\nand another", .set = take },
	{ 0, "long-as-can-be", "LIST", ARGUMENT_EVENTS, "behind it", .set = take },
	{ .letter = 'b', .name = "both", .help = "has two names", .set = take },
	{ .name = "alone", .help = "has one", .set = take },
	{ 'o', "other", "N", ARGUMENT_OTHER, "ends it", set_other, offsetof(struct taken, other), &nine },
	{ .name = "secret", .set = take },
};

static struct option_table table = {
	.program = "prog", .before = "Usage:\n\n", .after = "\nThe end.\n",
	.of = entries, .nr = sizeof(entries) / sizeof(entries[0]),
};

static void expect_print(void (*print)(const struct option_table *t, FILE *out), const char *expected)
{
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	print(&table, out);
	fclose(out);
	assert_string_equal(text, expected);
	free(text);
}

static void usage_test(void **state)
{
	(void)state;
	expect_print(option_table_usage,
		     "Usage:\n\n"
		     "  -f FILE       one line\n"
		     "                and another\n"
		     "      --long-as-can-be LIST  behind it\n"
		     "  -b, --both    has two names\n"
		     "      --alone   has one\n"
		     "  -o, --other N ends it\n"
		     "  -h, --help    print this text\n"
		     "      --version print the version\n"
		     "\nThe end.\n");
}

static void list_test(void **state)
{
	(void)state;
	expect_print(option_table_list,
		     "-f - file FILE\n"
		     "- --long-as-can-be events LIST\n"
		     "-b --both - -\n"
		     "- --alone - -\n"
		     "-o --other other N\n"
		     "-h --help - -\n"
		     "- --version - -\n");
}

/* Used as parse(&taken, "-f", "x", NULL). Afterwards, the operands begin at optind. */
static int parse(struct taken *taken, ...)
{
	static char *argv[32];
	va_list args;
	int argc = 1;

	argv[0] = (char *)"prog";
	va_start(args, taken);
	while ((argv[argc] = va_arg(args, char *)))
		argc++;
	va_end(args);
	optind = 0;
	opterr = 0;
	memset(taken, 0, sizeof(*taken));
	return option_table_parse(&table, taken, argc, argv);
}

static void parse_test(void **state)
{
	struct taken taken;

	(void)state;
	assert_int_equal(parse(&taken, "-fx", "--both", "-b", "--alone", "--long-as-can-be=y", "--secret", NULL), 0);
	assert_string_equal(taken.text, "f=x bboth= bboth= -alone= -long-as-can-be=y -secret= ");
	/* A result of @set that is not 0 ends parsing. */
	assert_int_equal(parse(&taken, "-o", "7", "-b", NULL), 9);
	assert_int_equal(taken.other, 7);
	assert_string_equal(taken.text, "");
	assert_int_equal(parse(&taken, "--other", "8", NULL), 9);
	assert_int_equal(taken.other, 8);
	/* Options behind an operand are ours, or those of a program to run. */
	assert_int_equal(parse(&taken, "word", "-b", NULL), 0);
	assert_string_equal(taken.text, "bboth= ");
	assert_int_equal(optind, 2);
	table.stop_at_operand = 1;
	assert_int_equal(parse(&taken, "--alone", "word", "-b", NULL), 0);
	assert_string_equal(taken.text, "-alone= ");
	assert_int_equal(optind, 2);
	table.stop_at_operand = 0;
	assert_int_equal(parse(&taken, "-x", NULL), STATUS_USAGE);
	assert_int_equal(parse(&taken, "-f", NULL), STATUS_USAGE);
	assert_int_equal(parse(&taken, "--alone=1", NULL), STATUS_USAGE);
	assert_int_equal(parse(&taken, "--version", NULL), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(usage_test),
		cmocka_unit_test(list_test),
		cmocka_unit_test(parse_test),
	};

	return cmocka_run_group_tests_name("option_table", tests, NULL, NULL);
}
