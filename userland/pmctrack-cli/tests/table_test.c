// SPDX-License-Identifier: GPL-2.0-or-later
/* The sample table, to the letter. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "cli.h"

static struct sets sets = { .nr_core_types = 1 };
static char *text;
static size_t len;

/* The raw form names counters without a PMU at hand. */
static void use_sets(const char *first, const char *second)
{
	sets_free(&sets);
	sets.nr = 0;
	sets.set[sets.nr++] = pmctrack_evset__parse_raw(NULL, first);
	if (second)
		sets.set[sets.nr++] = pmctrack_evset__parse_raw(NULL, second);
}

static struct pmctrack_record *new_record(void)
{
	struct pmctrack_record *rec = calloc(1, sizeof(*rec) + 2 * sizeof(rec->counts[0]));

	rec->tid = 4711;
	rec->kind = PMCTRACK_RECORD_TICK;
	return rec;
}

static void expect_text(FILE *out, const char *expected)
{
	fclose(out);
	assert_string_equal(text, expected);
	free(text);
	text = NULL;
}

static void table_test(void **state)
{
	struct pmctrack_record *rec = new_record();
	struct table t = { .sets = &sets, .out = open_memstream(&text, &len) };

	(void)state;
	use_sets("pmc0=cycles,pmc3=llc_misses", NULL);
	table_mappings(t.out, &sets);
	table_begin(&t);
	rec->counters = 0x9;
	rec->nr_counts = 2;
	rec->counts[0] = 123456789;
	table_row(&t, 1, rec);
	rec->kind = PMCTRACK_RECORD_EXIT;
	rec->counts[0] = UINT64_MAX;
	rec->counts[1] = 7;
	table_row(&t, 2, rec);
	/* From a CPU without counters. */
	rec->counters = 0;
	rec->nr_counts = 0;
	table_row(&t, 3, rec);
	expect_text(t.out,
		    "[Event-to-counter mappings]\n"
		    "pmc0=cycles\n"
		    "pmc3=llc_misses\n"
		    "[Event counts]\n"
		    "nsample    pid      event          pmc0          pmc3\n"
		    "      1   4711       tick     123456789             0\n"
		    "      2   4711       exit 18446744073709551615             7\n"
		    "      3   4711       exit             -             -\n");
	free(rec);
}

static void several_sets_test(void **state)
{
	struct pmctrack_record *rec = new_record();
	struct table t = { .sets = &sets, .out = open_memstream(&text, &len) };

	(void)state;
	use_sets("pmc0=cycles,pmc1=a", "pmc2=b,coretype=0");
	sets.nr_core_types = 2;
	table_mappings(t.out, &sets);
	table_begin(&t);
	rec->counters = 0x3;
	rec->counts[0] = 5;
	rec->counts[1] = 6;
	table_row(&t, 1, rec);
	rec->counters = 0x4;
	rec->set = 1;
	table_row(&t, 2, rec);
	expect_text(t.out,
		    "[Event-to-counter mappings]\n"
		    "[Set 0]\n"
		    "pmc0=cycles\n"
		    "pmc1=a\n"
		    "[Set 1, core type 0]\n"
		    "pmc2=b\n"
		    "[Event counts]\n"
		    "nsample    pid expid coretype      event          pmc0          pmc1          pmc2\n"
		    "      1   4711     0        0       tick             5             6             -\n"
		    "      2   4711     1        0       tick             -             -             5\n");
	sets.nr_core_types = 1;
	free(rec);
}

/* Never a scaled number without its coverage, and none where nothing was counted. */
static void aggregate_test(void **state)
{
	struct pmctrack_record *rec = new_record();
	struct aggregate a = { .sets = &sets };
	FILE *out;

	(void)state;
	use_sets("pmc0=cycles", "pmc1=b");
	out = open_memstream(&text, &len);
	aggregate_print(&a, out);
	expect_text(out,
		    "expid   counter              counted coverage         extrapolated  event\n"
		    "    0      pmc0                    0     0.0%          not counted  cycles\n"
		    "    1      pmc1                    0     0.0%          not counted  b\n");
	rec->nr_counts = 1;
	rec->counts[0] = 30;
	rec->run_ns = 100;
	rec->hw_ns = 100;
	aggregate_add(&a, rec);
	out = open_memstream(&text, &len);
	aggregate_print(&a, out);
	expect_text(out,
		    "expid   counter              counted coverage         extrapolated  event\n"
		    "    0      pmc0                   30   100.0%                    =  cycles\n"
		    "    1      pmc1                    0     0.0%          not counted  b\n");
	rec->set = 1;
	rec->run_ns = 300;
	rec->hw_ns = 300;
	aggregate_add(&a, rec);
	out = open_memstream(&text, &len);
	aggregate_print(&a, out);
	expect_text(out,
		    "expid   counter              counted coverage         extrapolated  event\n"
		    "    0      pmc0                   30    25.0%                 ~120  cycles\n"
		    "    1      pmc1                   30    75.0%                  ~40  b\n");
	sets_free(&sets);
	sets.nr = 0;
	free(rec);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(table_test),
		cmocka_unit_test(several_sets_test),
		cmocka_unit_test(aggregate_test),
	};

	return cmocka_run_group_tests_name("table", tests, NULL, NULL);
}
