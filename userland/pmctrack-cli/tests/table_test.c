// SPDX-License-Identifier: GPL-2.0-or-later
/* The sample table, to the letter. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "cli.h"

static void table_test(void **state)
{
	static const char expected[] =
		"[Event-to-counter mappings]\n"
		"pmc0=cycles\n"
		"pmc3=llc_misses\n"
		"[Event counts]\n"
		"nsample    pid      event          pmc0          pmc3\n"
		"      1   4711       tick     123456789             0\n"
		"      2   4711       exit 18446744073709551615             7\n";
	/* The raw form names counters without a PMU at hand. */
	struct pmctrack_evset *set = pmctrack_evset__parse_raw(NULL, "pmc0=cycles,pmc3=llc_misses");
	struct pmctrack_record *rec = calloc(1, sizeof(*rec) + 2 * sizeof(rec->counts[0]));
	struct table t = { 0 };
	char *text = NULL;
	size_t len;

	(void)state;
	t.out = open_memstream(&text, &len);
	table_begin(&t, set, true);
	rec->tid = 4711;
	rec->kind = PMCTRACK_RECORD_TICK;
	rec->nr_counts = 2;
	rec->counts[0] = 123456789;
	table_row(&t, rec);
	rec->kind = PMCTRACK_RECORD_EXIT;
	rec->counts[0] = UINT64_MAX;
	rec->counts[1] = 7;
	rec->flags = PMCTRACK_RECORD_F_MERGED | PMCTRACK_RECORD_F_SETUID;
	table_row(&t, rec);
	fclose(t.out);
	assert_string_equal(text, expected);
	assert_int_equal(t.nr_samples, 2);
	assert_int_equal(t.merged, 1);
	assert_int_equal(t.setuid, 1);
	free(text);
	free(rec);
	pmctrack_evset__free(set);
}

static void no_mappings_test(void **state)
{
	struct pmctrack_evset *set = pmctrack_evset__parse_raw(NULL, "pmc1=0x8");
	struct table t = { 0 };
	char *text = NULL;
	size_t len;

	(void)state;
	t.out = open_memstream(&text, &len);
	table_begin(&t, set, false);
	fclose(t.out);
	assert_string_equal(text, "nsample    pid      event          pmc1\n");
	free(text);
	pmctrack_evset__free(set);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(table_test),
		cmocka_unit_test(no_mappings_test),
	};

	return cmocka_run_group_tests_name("table", tests, NULL, NULL);
}
