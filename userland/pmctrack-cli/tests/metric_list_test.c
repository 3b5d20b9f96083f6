// SPDX-License-Identifier: GPL-2.0-or-later
/* Tests of the list of ready metrics: which of them a machine can count. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"
#include "metric_list.h"
/* Included after internal.h, because cmocka.h has a macro fail(). */
#include <cmocka.h>

/* The PMU has these of perf's events: cycles, instructions, branches and branch misses. */
static uint8_t implemented[] = { 0x33, 0x00 };

static struct pmctrack_ctl ctl = {
	.nr_pmus = 1,
	.pmus = { {
		.name = (char *)"test_pmu", .model = (char *)"perf", .counters = 0x3, .width = 64,
		.events = implemented, .nr_events = 10,
	} },
};

static char *list(const struct pmctrack_ctl *of)
{
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	assert_int_equal(metrics_print(out, of), 0);
	fclose(out);
	return text;
}

/* Find the line of a metric. Check that it is among the metrics that can be counted, or not. */
static const char *line_of(const char *text, const char *name, bool countable)
{
	const char *others = strstr(text, "\nNot on this machine:\n");
	char begin[40];
	const char *line;

	snprintf(begin, sizeof(begin), "\n%s ", name);
	line = strncmp(text, begin + 1, strlen(begin) - 1) ? strstr(text, begin) : text;
	if (!line)
		fail_msg("no %s in: %s", name, text);
	if (!others)
		fail_msg("all can be counted? %s", text);
	assert_true(countable == (line < others));
	return line;
}

static void list_test(void **state)
{
	char *text;

	(void)state;
	setenv("PMCTRACK_EVENTS", EVENTS_SRC, 1);
	ctl.pmus[0].file = event_file_load("perf");
	assert_non_null(ctl.pmus[0].file);
	text = list(&ctl);
	assert_non_null(strstr(line_of(text, "ipc", true), "instructions per cycle\n"));
	line_of(text, "ghz", true);
	line_of(text, "branch_mpki", true);
	assert_non_null(strstr(line_of(text, "llc_mpki", false),
			       " event 'llc_misses': test_pmu has no event for it\n"));
	assert_non_null(strstr(line_of(text, "l1d_miss_rate", false), " unknown event 'l1d_misses'\n"));
	free(text);

	/* One counter is not enough for two events. */
	ctl.pmus[0].counters = 0x1;
	text = list(&ctl);
	assert_non_null(strstr(line_of(text, "ipc", false), " no counter left for 'cycles'"));
	line_of(text, "ghz", true);
	free(text);
	event_file_free(ctl.pmus[0].file);

	/* Without the module: all metrics, and nothing about this machine. */
	text = list(NULL);
	assert_non_null(strstr(text, "\nl1d_mpki "));
	assert_null(strstr(text, "Not on this machine"));
	free(text);
	setenv("PMCTRACK_EVENTS", "/no/such/dir", 1);
	assert_int_not_equal(metrics_print(stdout, &ctl), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(list_test),
	};

	return cmocka_run_group_tests_name("metric_list", tests, NULL, NULL);
}
