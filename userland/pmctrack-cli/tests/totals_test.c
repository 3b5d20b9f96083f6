// SPDX-License-Identifier: GPL-2.0-or-later
/* Tests of totals: their values, and whether they are exact. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "complain.h"
#include "losses.h"
#include "run_fixture.h"

/* An output that only adds its rows to totals. */
static struct output rows;

static void begin_rows(void)
{
	output_init(&rows, &options, &sets, &metrics);
}

static void add_row(void)
{
	output_row(&rows, rec);
}

/* Expect these totals if the run ended now, with this outcome. */
static void expect_totals_at(const struct outcome *end, const char *expected)
{
	struct output w;

	begin_output(&w);
	w.totals = rows.totals;
	end_output(&w, end);
	assert_string_equal(text, expected);
	forget_text();
}

static void expect_totals(const char *expected)
{
	expect_totals_at(&outcome, expected);
}

/* A scaled number has its coverage. There is no number if nothing was counted. */
static void totals_test(void **state)
{
	(void)state;
	options.aggregate = true;
	options.no_mappings = true;
	add_set("pmc0=cycles");
	add_set("pmc1=b");
	begin_rows();
	expect_totals(
		      "expid   counter              counted coverage         extrapolated  event\n"
		      "    0      pmc0                    0     0.0%          not counted  cycles\n"
		      "    1      pmc1                    0     0.0%          not counted  b\n");
	set_counts(0x1, 30, 0, 0);
	set_times(100, 100);
	add_row();
	expect_totals(
		      "expid   counter              counted coverage         extrapolated  event\n"
		      "    0      pmc0                   30   100.0%                    =  cycles\n"
		      "    1      pmc1                    0     0.0%          not counted  b\n");
	set_counts(0x2, 30, 0, 0);
	set_times(300, 300);
	rec->set = 1;
	add_row();
	expect_totals(
		      "expid   counter              counted coverage         extrapolated  event\n"
		      "    0      pmc0                   30    25.0%                 ~120  cycles\n"
		      "    1      pmc1                   30    75.0%                  ~40  b\n");
	options.format = &writer_csv;
	expect_totals(
		      "expid,coretype,counter,event,counted,coverage,extrapolated,exact\r\n"
		      "0,-1,pmc0,cycles,30,0.25,120,0\r\n"
		      "1,-1,pmc1,b,30,0.75,40,0\r\n");
	options.format = &writer_table;
	options.aggregate = false;
	options.summary = true;
	options.argv = (char *[]){ "a", "b", NULL };
	expect_totals(
		      "\nCounters of a b\n\n"
		      "                    ~120  cycles                   extrapolated from 25.0% of the time\n"
		      "                     ~40  b                        extrapolated from 75.0% of the time\n"
		      "\n                1.500000  seconds elapsed\n"
		      "                0.000000  seconds on CPUs\n"
		      "                0.500000  seconds user\n                0.000000  seconds system\n");
}

/* Write the totals in all formats, one after the other, to @text. */
static void print_all_formats(const struct outcome *end)
{
	static const struct { const struct writer *writer; bool summary; } formats[] = {
		{ &writer_table, false }, { &writer_table, true }, { &writer_csv, false },
		{ &writer_json, false },
	};
	char *all = strdup("");

	options.no_mappings = true;
	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
		struct output w;
		char *longer;

		options.format = formats[i].writer;
		options.summary = formats[i].summary;
		options.aggregate = !options.summary;
		begin_output(&w);
		w.totals = rows.totals;
		end_output(&w, end);
		assert_true(asprintf(&longer, "%s%s", all, text) > 0);
		forget_text();
		free(all);
		all = longer;
	}
	text = all;
}

static void expect_part(const char *part)
{
	if (!strstr(text, part))
		fail_msg("no '%s' in:\n%s", part, text);
}

static void expect_no_part(const char *part)
{
	if (strstr(text, part))
		fail_msg("'%s' in:\n%s", part, text);
}

static void set_virt(uint32_t virt, uint64_t value)
{
	rec->virt = virt;
	rec->nr_virt = virt != 0;
	rec->counts[rec->nr_counts] = value;
}

/* Sums keep all their digits, and exact sums have no mark. */
static void large_test(void **state)
{
	const uint64_t large = (1ull << 60) + 1;

	(void)state;
	add_set("pmc0=a");
	add_virt(3, "energy", "uJ", false);
	begin_rows();
	set_counts(0x1, large, 0, 0);
	set_virt(1 << 3, large + 1);
	set_times(10, 10);
	add_row();
	print_all_formats(&outcome);
	expect_part("    0      pmc0  1152921504606846977   100.0%                    =  a\n");
	expect_part("energy: 1152921504606846978 uJ\n");
	expect_part("\n1,152,921,504,606,846,977  a ");
	expect_part("     1152921504606846978  energy                   uJ\n");
	expect_part("pmc0,a,1152921504606846977,1,1152921504606846977,1\r\n");
	expect_part(",,virt3,energy,1152921504606846978,,,1\r\n");
	expect_part("\"counted\":1152921504606846977,\"coverage\":1.0,\"extrapolated\":1152921504606846977,\"estimate\":false");
	expect_part("\"virtual\":{\"energy\":1152921504606846978},\"virtual_estimates\":{\"energy\":false}");
	expect_part("\"left_out_threads\":0,");
	expect_part("\"revoked\":false,\"estimate\":false}");
	expect_no_part("Not everything");
}

/* Sets are counted all the time, but events are missing: for each reason, in each format. */
static void missed_test(void **state)
{
	static const struct {
		struct pmctrack_session_stats stats;
		uint16_t flags;
		uint16_t kind;
		const char *words;
		const char *json;
	} cases[] = {
		{ { .lost = 2 }, 0, 0, "2 last samples of threads were lost", "\"lost_samples\":2," },
		{ { .skipped_threads = 3 }, 0, 0, "3 threads were not monitored: the kernel had no memory",
		  "\"skipped_threads\":3," },
		{ { .left_out_threads = 4 }, 0, 0, "4 threads of the process were not monitored",
		  "\"left_out_threads\":4," },
		{ { .revoked = 1 }, 0, PMCTRACK_RECORD_REVOKED, "an administrator ended the session",
		  "\"revoked\":true," },
		{ { .threads = 5 }, 0, 0, "5 threads of background processes still run",
		  "\"threads_left\":5," },
		{ { .sz = 0 }, PMCTRACK_RECORD_F_SETUID, 0, "1 threads executed a program with other privileges",
		  "\"setuid_threads\":1," },
		{ { .sz = 0 }, 0, PMCTRACK_RECORD_REVOKED, "1 threads were taken over by somebody",
		  "\"taken_over_threads\":1," },
	};

	(void)state;
	add_set("pmc0=a");
	add_virt(0, "v", "", false);
	add_virt(1, "g", "", true);
	use_metric("m=a*2");
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct outcome end = { .elapsed_s = 1, .stats = cases[i].stats };

		begin_rows();
		set_counts(0x1, 30, 7, 0);
		rec->counts[2] = 8;
		rec->virt = 3;
		rec->nr_virt = 2;
		set_times(100, 100);
		rec->flags = cases[i].flags;
		rec->kind = cases[i].kind;
		add_row();
		print_all_formats(&end);
		expect_part(cases[i].words);
		expect_part(cases[i].json);
		expect_part("\nNot everything was counted:\n  ");
		expect_part("   100.0%                 >=30  a\nv: >=7 \ng: ~8  (mean)\nm: ~60\n");
		expect_part(" >=30  a                        at least\n");
		expect_part(" >=7  v  ");
		expect_part(" ~60  m  ");
		expect_part("pmc0,a,30,1,30,0\r\n,,virt0,v,7,,,0\r\n,,virt1,g,8,,,0\r\n,,,m,,,60,0\r\n");
		expect_part("\"extrapolated\":30,\"estimate\":true}");
		expect_part("\"virtual_estimates\":{\"v\":true,\"g\":true}");
		expect_part("\"estimate\":true}\n");
		expect_no_part("seconds were on CPUs");
		forget_text();
	}
}

/* Events of lost samples are in the totals; only the other events are extrapolated. */
static void lost_test(void **state)
{
	static const struct outcome end = { .stats = { .lost = 1 } };

	(void)state;
	add_set("pmc0=a,pmc2=b,coretype=0");
	add_set("pmc0=c,coretype=1");
	add_set("pmc0=d,coretype=1");
	sets.nr_core_types = 2;
	begin_rows();
	set_counts(0x5, 30, 40, 0);
	set_times(100, 100);
	add_row();
	rec->core_type = 1;
	set_counts(0x1, 10, 0, 0);
	add_row();
	rec->set = 1;
	add_row();
	totals_add_lost(&rows.totals, 0, 0, 2, 5);
	totals_add_lost(&rows.totals, 1, 1, 0, 7);
	/* A core type, set or counter that cannot exist is ignored. */
	totals_add_lost(&rows.totals, PMCTRACK_MAX_CORE_TYPES, 0, 0, 9);
	totals_add_lost(&rows.totals, 0, PMCTRACK_MAX_SETS, 0, 9);
	totals_add_lost(&rows.totals, 0, 0, PMCTRACK_MAX_COUNTERS, 9);
	options.no_mappings = true;
	options.aggregate = true;
	expect_totals_at(&end,
			 "expid coretype   counter              counted coverage         extrapolated  event\n"
			 "    0        0      pmc0                   30   100.0%                 >=30  a\n"
			 "    0        0      pmc2                   45   100.0%                 >=45  b\n"
			 "    1        1      pmc0                   10    50.0%                  ~20  c\n"
			 "    2        1      pmc0                   17    50.0%                  ~27  d\n"
			 "\nNot everything was counted:\n"
			 "  1 last samples of threads were lost; the totals have their events (5 b, 7 d), not their time\n");
	/* All samples of the only thread are lost. */
	begin_rows();
	totals_add_lost(&rows.totals, 0, 0, 0, 6);
	options.format = &writer_csv;
	expect_totals_at(&end,
			 "expid,coretype,counter,event,counted,coverage,extrapolated,exact\r\n"
			 "0,0,pmc0,a,6,1,6,0\r\n"
			 "0,0,pmc2,b,0,0,,0\r\n"
			 "1,1,pmc0,c,0,0,,0\r\n"
			 "2,1,pmc0,d,0,0,,0\r\n");
}

/* A sample has no value of a virtual counter. */
static void virt_test(void **state)
{
	(void)state;
	add_set("pmc0=a");
	add_virt(2, "v", "", false);
	use_metric("m=v/run_ns");
	begin_rows();
	set_counts(0x1, 30, 0, 0);
	set_virt(1 << 2, 50);
	set_times(100, 100);
	add_row();
	print_all_formats(&outcome);
	expect_part("v: 50 \nm: 0.5\n");
	forget_text();
	set_virt(0, 0);
	add_row();
	print_all_formats(&outcome);
	/* The total of the event is still exact. */
	expect_part("   100.0%                    =  a\nv: >=50 \nm: ~0.25\n");
	expect_part("\nNot everything was counted:\n  virtual counter v: 1 of 2 samples have no value\n");
	expect_part("pmc0,a,60,1,60,1\r\n,,virt2,v,50,,,0\r\n,,,m,,,0.25,0\r\n");
	expect_part("\"virtual\":{\"v\":50},\"virtual_estimates\":{\"v\":true}");
	expect_part("\"estimate\":false}\n");
}

/* There is no mean if the time is 0, and a total without a value is not exact. */
static void no_mean_test(void **state)
{
	(void)state;
	add_set("pmc0=a");
	add_virt(2, "v", "", true);
	begin_rows();
	set_counts(0x1, 30, 0, 0);
	set_virt(1 << 2, 50);
	add_row();
	print_all_formats(&outcome);
	expect_part("v: no value\n");
	expect_part(",,virt2,v,,,,0\r\n");
	expect_part("\"virtual\":{\"v\":null},\"virtual_estimates\":{\"v\":true}");
}

/* Time on CPUs without usable counters, and on a core type without a set for an event. */
static void uncounted_test(void **state)
{
	(void)state;
	add_set("pmc0=a,coretype=0");
	add_set("pmc0=b,coretype=1");
	use_metric("m=a*2");
	sets.nr_core_types = 2;
	options.no_mappings = true;
	options.aggregate = true;
	begin_rows();
	set_counts(0x1, 30, 0, 0);
	set_times(100, 100);
	add_row();
	expect_totals("expid coretype   counter              counted coverage         extrapolated  event\n"
		      "    0        0      pmc0                   30   100.0%                    =  a\n"
		      "    1        1      pmc0                    0     0.0%          not counted  b\n"
		      "m: 60\n");
	rec->core_type = 1;
	add_row();
	expect_totals("expid coretype   counter              counted coverage         extrapolated  event\n"
		      "    0        0      pmc0                   30   100.0%                    =  a\n"
		      "    1        1      pmc0                   30   100.0%                    =  b\n"
		      "m: ~60\n");
	rec->core_type = PMCTRACK_MAX_CORE_TYPES;
	set_counts(0, 0, 0, 0);
	set_times(1000000007, 0);
	add_row();
	expect_totals("expid coretype   counter              counted coverage         extrapolated  event\n"
		      "    0        0      pmc0                   30   100.0%                 >=30  a\n"
		      "    1        1      pmc0                   30   100.0%                 >=30  b\n"
		      "m: ~60\n"
		      "\nNot everything was counted:\n"
		      "  1.000000007 seconds were on CPUs whose counters cannot be used\n");
}

/* Time on CPUs without usable counters, with a set for all core types. */
static void uncounted_any_test(void **state)
{
	(void)state;
	add_set("pmc0=a");
	begin_rows();
	set_counts(0x1, 30, 0, 0);
	set_times(500000000, 500000000);
	add_row();
	rec->core_type = PMCTRACK_MAX_CORE_TYPES;
	set_counts(0, 0, 0, 0);
	set_times(1500000000, 0);
	add_row();
	print_all_formats(&outcome);
	expect_part(" 30    25.0%                 ~120  a\n");
	expect_part("  1.500000000 seconds were on CPUs whose counters cannot be used\n");
	expect_part("pmc0,a,30,0.25,120,0\r\n");
	expect_part("\"uncounted_s\":1.5,");
}

/* hw_ns is extrapolated like events, and exact under the same conditions. */
static void times_test(void **state)
{
	(void)state;
	add_set("pmc0=a");
	use_metric("m=hw_ns/run_ns");
	begin_rows();
	set_counts(0x1, 30, 0, 0);
	set_times(100, 100);
	add_row();
	print_all_formats(&outcome);
	expect_part("\nm: 1\n");
	forget_text();
	set_times(100, 99);
	add_row();
	print_all_formats(&outcome);
	expect_part("\nm: ~1\n");
}

static char *complaints;

static void add_complaint(const char *program, const char *complaint)
{
	char *longer;

	(void)program;
	assert_true(asprintf(&longer, "%s%s\n", complaints, complaint) > 0);
	free(complaints);
	complaints = longer;
}

/* Messages have remedies, and are printed even without totals. */
static void messages_test(void **state)
{
	const struct pmctrack_session_stats stats = { .left_out_threads = 3, .revoked = 1, .threads = 2 };

	(void)state;
	add_set("pmc0=a");
	add_virt(2, "v", "", false);
	begin_rows();
	rec->flags = PMCTRACK_RECORD_F_MERGED;
	add_row();
	totals_end(&rows.totals, &stats);
	complaints = strdup("");
	complain_to(add_complaint);
	losses_complain(&rows.totals);
	text = complaints;
	expect_part("1 samples cover more than one period, because the kernel's buffer was full; ");
	expect_part("\n3 threads of the process were not monitored: it has more than one request may attach (attach_max_threads=");
	expect_part("\nan administrator ended the session; the counts end there: sessions without CAP_PERFMON are not allowed");
	expect_part("\n2 threads of background processes still run; ");
	expect_part("\nvirtual counter v: 1 of 1 samples have no value\n");
	expect_no_part("lost");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		test_of_run(totals_test),
		test_of_run(large_test),
		test_of_run(missed_test),
		test_of_run(lost_test),
		test_of_run(virt_test),
		test_of_run(no_mean_test),
		test_of_run(uncounted_test),
		test_of_run(uncounted_any_test),
		test_of_run(times_test),
		test_of_run(messages_test),
	};

	return cmocka_run_group_tests_name("totals", tests, NULL, NULL);
}
