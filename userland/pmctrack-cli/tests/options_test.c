// SPDX-License-Identifier: GPL-2.0-or-later
/* Tests of the command line: what options mean, and which are refused. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "exit_status.h"
#include "options.h"
#include "writer.h"

/* Parse these arguments: parse(&o, "-T", "2", "prog", NULL). */
static int parse(struct options *o, ...)
{
	static char *argv[32];
	va_list args;
	int argc = 1;

	argv[0] = "pmctrack";
	va_start(args, o);
	while ((argv[argc] = va_arg(args, char *)))
		argc++;
	va_end(args);
	optind = 0;
	opterr = 0;
	return options_parse(o, argc, argv);
}

static void meaning_test(void **state)
{
	struct options o;

	(void)state;
	assert_int_equal(parse(&o, "prog", "-T", "7", NULL), 0);
	assert_int_equal(o.nr_events, 0);
	assert_true(o.period == 1 && o.format == &writer_table && !o.system);
	assert_string_equal(o.argv[0], "prog");
	assert_string_equal(o.argv[1], "-T");

	assert_int_equal(parse(&o, "-T", "0.25", "-c", "cycles", "-n", "3", "-N", "1.5", "-k", "64K",
			       "-b", "0,2-3", "-Lt", "--no-inherit", "-o", "file", "--", "-prog", NULL), 0);
	assert_true(o.period == 0.25);
	assert_string_equal(o.events[0], "cycles");
	assert_int_equal(o.max_samples, 3);
	assert_true(o.max_seconds == 1.5);
	assert_int_equal(o.ring_size, 65536);
	assert_true(o.bind && CPU_COUNT(&o.cpus) == 3 && CPU_ISSET(2, &o.cpus));
	assert_true(o.no_mappings && o.times && o.no_inherit && !o.raw);
	assert_string_equal(o.output, "file");
	assert_string_equal(o.argv[0], "-prog");

	assert_int_equal(parse(&o, "-c", "a,b", "-A", "-c", "c", "--strict", "prog", NULL), 0);
	assert_int_equal(o.nr_events, 2);
	assert_string_equal(o.events[1], "c");
	assert_true(o.aggregate && o.strict);

	assert_int_equal(parse(&o, "-S", "-V", "ipc", "-m", "a=b/c", "-m", "ipc", "--json", "-A", NULL), 0);
	assert_true(o.system && !o.argv && !o.cgroup && o.format == &writer_json);
	assert_string_equal(o.virts, "ipc");
	assert_int_equal(o.nr_metrics, 2);
	assert_int_equal(parse(&o, "--cgroup", "dir", "--csv", "--summary", "prog", NULL), 0);
	assert_true(o.system && o.argv && o.summary && o.format == &writer_csv);
	assert_string_equal(o.cgroup, "dir");

	assert_int_equal(parse(&o, "-p", "12,345", "-p", "6", NULL), 0);
	assert_int_equal(o.nr_processes, 3);
	assert_int_equal(o.processes[1], 345);
	assert_null(o.argv);
}

static void refusal_test(void **state)
{
	static const char *const bad[][2] = {
		{ "-T", "x" }, { "-T", "-1" }, { "-T", "nan" }, { "-T", "inf" }, { "-T", "1s" },
		{ "-T", "" }, { "-T", "100000" }, { "-n", "0" }, { "-n", "-3" }, { "-n", "1.5" }, { "-n", " -3" },
		{ "-n", "+3" }, { "-T", " 1" }, { "-T", "-0" }, { "-k", " 4096" },
		{ "-N", "0" }, { "-N", "soon" }, { "-k", "1G" }, { "-k", "0" }, { "-k", "-1" },
		{ "-k", "9999999999999" }, { "-b", "a" }, { "-b", "" },
		{ "-p", "" }, { "-p", "1," }, { "-p", "0" }, { "-p", "1;2" }, { "-p", "99999999999" },
	};
	struct options o;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		if (parse(&o, bad[i][0], bad[i][1], "prog", NULL) != STATUS_USAGE)
			fail_msg("accepted: %s %s", bad[i][0], bad[i][1]);
	}
	assert_int_equal(parse(&o, NULL), STATUS_USAGE);
	assert_int_equal(parse(&o, "-c", "cycles", NULL), STATUS_USAGE);
	assert_int_equal(parse(&o, "-r", "prog", NULL), STATUS_USAGE);
	assert_int_equal(parse(&o, "--frobnicate", "prog", NULL), STATUS_USAGE);
	assert_int_equal(parse(&o, "-T", NULL), STATUS_USAGE);
	assert_int_equal(parse(&o, "-p", "1", "prog", NULL), STATUS_USAGE);
	assert_int_equal(parse(&o, "-p", "1", "-b", "0", NULL), STATUS_USAGE);
	assert_int_equal(parse(&o, "-p", "1", "-t", NULL), STATUS_USAGE);
	assert_int_equal(parse(&o, "-p", "1", "-S", NULL), STATUS_USAGE);
	assert_int_equal(parse(&o, "-S", "-t", NULL), STATUS_USAGE);
	assert_int_equal(parse(&o, "--csv", "--json", "prog", NULL), STATUS_USAGE);
	assert_int_equal(parse(&o, "--openmetrics", "prog", NULL), STATUS_USAGE);
	assert_int_equal(parse(&o, "-A", "--summary", "prog", NULL), STATUS_USAGE);
}

static void cpus_test(void **state)
{
	static const struct { const char *text; int count, last; } good[] = {
		{ "0", 1, 0 }, { "0,2-3", 3, 3 }, { "5-5,1", 2, 5 }, { "0xd", 3, 3 },
		{ "0x8000000000000000", 1, 63 }, { "1023", 1, 1023 },
	};
	static const char *const bad[] = {
		"", ",", "1,", ",1", "1,,2", "3-1", "-1", "1-", "1 2", "1024", "0x", "0x0", "0xg",
		"0x1ffffffffffffffff", "99999999999999999999", "+1",
	};
	cpu_set_t set;

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		if (parse_cpus(good[i].text, &set) || CPU_COUNT(&set) != good[i].count ||
		    !CPU_ISSET(good[i].last, &set))
			fail_msg("%s", good[i].text);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		if (!parse_cpus(bad[i], &set))
			fail_msg("accepted '%s'", bad[i]);
	}
}

static void size_test(void **state)
{
	uint32_t bytes = 0;

	(void)state;
	assert_int_equal(parse_size("4096", &bytes), 0);
	assert_int_equal(bytes, 4096);
	assert_int_equal(parse_size("2m", &bytes), 0);
	assert_int_equal(bytes, 2 << 20);
	assert_int_equal(parse_size("4095M", &bytes), 0);
	assert_int_equal(parse_size("4096M", &bytes), -EINVAL);
	assert_int_equal(parse_size("17592186044416M", &bytes), -EINVAL);
	assert_int_equal(parse_size("17592186044417M", &bytes), -EINVAL);
	assert_int_equal(parse_size("64KB", &bytes), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(meaning_test),
		cmocka_unit_test(refusal_test),
		cmocka_unit_test(cpus_test),
		cmocka_unit_test(size_test),
	};

	return cmocka_run_group_tests_name("options", tests, NULL, NULL);
}
