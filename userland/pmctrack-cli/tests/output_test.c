// SPDX-License-Identifier: GPL-2.0-or-later
/* What is printed, to the letter. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>
#include <json-c/json.h>

#include "exit_status.h"
#include "metric.h"
#include "options.h"
#include "output.h"
#include "sets.h"
#include "writer.h"

static struct sets sets = { .nr_core_types = 1 };
static struct metrics metrics;
static struct options options = { .format = &writer_table };
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
	struct pmctrack_record *rec = calloc(1, sizeof(*rec) + 3 * sizeof(rec->counts[0]));

	rec->tid = 4711;
	rec->kind = PMCTRACK_RECORD_TICK;
	return rec;
}

/* For the present options. What is written becomes @text when the stream is closed. */
static void new_output(struct output *w)
{
	output_init(w, &options, &sets, &metrics);
	w->report.out = open_memstream(&text, &len);
}

static const struct outcome outcome = { .elapsed_s = 1.5, .has_times = true, .user_s = 0.5 };

static void forget_text(void)
{
	free(text);
	text = NULL;
}

/* After its end, which a table and CSV do not write when they have rows. */
static void expect_text(struct output *w, const char *expected)
{
	output_end(w, &outcome);
	assert_int_equal(w->error, 0);
	fclose(w->report.out);
	assert_string_equal(text, expected);
	forget_text();
}

static void table_test(void **state)
{
	struct pmctrack_record *rec = new_record();
	struct output t;

	(void)state;
	use_sets("pmc0=cycles,pmc3=llc_misses", NULL);
	new_output(&t);
	output_begin(&t);
	rec->counters = 0x9;
	rec->nr_counts = 2;
	rec->counts[0] = 123456789;
	output_row(&t, rec);
	rec->kind = PMCTRACK_RECORD_EXIT;
	rec->counts[0] = UINT64_MAX;
	rec->counts[1] = 7;
	output_row(&t, rec);
	/* From a CPU without counters. */
	rec->counters = 0;
	rec->nr_counts = 0;
	output_row(&t, rec);
	expect_text(&t,
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
	struct output t;

	(void)state;
	use_sets("pmc0=cycles,pmc1=a", "pmc2=b,coretype=0");
	sets.nr_core_types = 2;
	new_output(&t);
	output_begin(&t);
	rec->counters = 0x3;
	rec->nr_counts = 2;
	rec->counts[0] = 5;
	rec->counts[1] = 6;
	output_row(&t, rec);
	rec->counters = 0x4;
	rec->nr_counts = 1;
	rec->set = 1;
	output_row(&t, rec);
	expect_text(&t,
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

/* What the totals would be now. */
static void expect_totals(const struct output *rows, const char *expected)
{
	struct output w;

	new_output(&w);
	w.totals = rows->totals;
	output_begin(&w);
	expect_text(&w, expected);
}

/* Never a scaled number without its coverage, and none where nothing was counted. */
static void totals_test(void **state)
{
	struct pmctrack_record *rec = new_record();
	struct output w;

	(void)state;
	options.aggregate = true;
	options.no_mappings = true;
	use_sets("pmc0=cycles", "pmc1=b");
	new_output(&w);
	output_begin(&w);
	expect_totals(&w,
		      "expid   counter              counted coverage         extrapolated  event\n"
		      "    0      pmc0                    0     0.0%          not counted  cycles\n"
		      "    1      pmc1                    0     0.0%          not counted  b\n");
	rec->counters = 1;
	rec->nr_counts = 1;
	rec->counts[0] = 30;
	rec->run_ns = 100;
	rec->hw_ns = 100;
	output_row(&w, rec);
	expect_totals(&w,
		      "expid   counter              counted coverage         extrapolated  event\n"
		      "    0      pmc0                   30   100.0%                    =  cycles\n"
		      "    1      pmc1                    0     0.0%          not counted  b\n");
	rec->counters = 2;
	rec->set = 1;
	rec->run_ns = 300;
	rec->hw_ns = 300;
	output_row(&w, rec);
	expect_totals(&w,
		      "expid   counter              counted coverage         extrapolated  event\n"
		      "    0      pmc0                   30    25.0%                 ~120  cycles\n"
		      "    1      pmc1                   30    75.0%                  ~40  b\n");
	options.format = &writer_csv;
	expect_totals(&w,
		      "expid,coretype,counter,event,counted,coverage,extrapolated\r\n"
		      "0,-1,pmc0,cycles,30,0.25,120\r\n"
		      "1,-1,pmc1,b,30,0.75,40\r\n");
	options.format = &writer_table;
	options.aggregate = false;
	options.summary = true;
	options.argv = (char *[]){ "a", "b", NULL };
	expect_totals(&w,
		      "\nCounters of a b\n\n"
		      "                    ~120  cycles                   extrapolated from 25.0% of the time\n"
		      "                     ~40  b                        extrapolated from 75.0% of the time\n"
		      "\n                1.500000  seconds elapsed\n"
		      "                0.000000  seconds on CPUs\n"
		      "                0.500000  seconds user\n                0.000000  seconds system\n");
	output_end(&w, &outcome);
	fclose(w.report.out);
	forget_text();
	options.summary = false;
	options.no_mappings = false;
	options.argv = NULL;
	free(rec);
}

static void use_metric(const char *formula)
{
	char why[100];

	metrics.of = calloc(1, sizeof(*metrics.of));
	metrics.nr = 1;
	assert_int_equal(metric_parse(metrics.of, formula, why, sizeof(why)), 0);
}

static void csv_test(void **state)
{
	struct pmctrack_record *rec = new_record();
	struct output w;

	(void)state;
	use_sets("pmc0=cycles,pmc1=a", "pmc2=b");
	use_metric("m=a/cycles");
	options.format = &writer_csv;
	new_output(&w);
	output_begin(&w);
	rec->counters = 3;
	rec->nr_counts = 2;
	rec->counts[0] = 4;
	rec->counts[1] = 6;
	rec->run_ns = 10;
	rec->hw_ns = 9;
	output_row(&w, rec);
	/* Of the other set: the metric has no value, nor has a division by zero. */
	rec->counters = 4;
	rec->nr_counts = 1;
	rec->set = 1;
	output_row(&w, rec);
	rec->counters = 3;
	rec->nr_counts = 2;
	rec->set = 0;
	rec->counts[0] = 0;
	rec->flags = PMCTRACK_RECORD_F_WIDENED | PMCTRACK_RECORD_F_DISTURBED;
	output_row(&w, rec);
	expect_text(&w,
		    "nsample,time_ns,kind,pid,tgid,cpu,coretype,expid,run_ns,hw_ns,merged,widened,disturbed,cycles,a,b,m\r\n"
		    "1,0,tick,4711,0,0,0,0,10,9,0,0,0,4,6,,1.5\r\n"
		    "2,0,tick,4711,0,0,0,1,10,9,0,0,0,,,4,\r\n"
		    "3,0,tick,4711,0,0,0,0,10,9,0,1,1,0,6,,\r\n");
	options.format = &writer_table;
	metrics_free(&metrics);
	metrics.nr = 0;
	free(rec);
}

/* The lines are JSON, with the numbers where the manual says. */
static void json_test(void **state)
{
	struct pmctrack_record *rec = new_record();
	struct output w;
	struct json_object *line[3], *o;
	char *at, *rest;

	(void)state;
	use_sets("pmc0=cycles", NULL);
	use_metric("m=1/cycles");
	options.format = &writer_json;
	new_output(&w);
	output_begin(&w);
	rec->counters = 1;
	rec->nr_counts = 1;
	rec->counts[0] = UINT64_MAX;
	rec->run_ns = 10;
	rec->hw_ns = 5;
	output_row(&w, rec);
	output_end(&w, &outcome);
	fclose(w.report.out);
	rest = text;
	for (int i = 0; i < 3; i++) {
		at = strsep(&rest, "\n");
		line[i] = json_tokener_parse(at);
		assert_non_null(line[i]);
	}
	assert_string_equal(rest, "");
	assert_string_equal(json_object_get_string(json_object_object_get(line[0], "type")), "header");
	assert_int_equal(json_object_get_int(json_object_object_get(line[0], "version")), 1);
	o = json_object_object_get(json_object_object_get(line[1], "counts"), "cycles");
	assert_true(json_object_get_uint64(o) == UINT64_MAX);
	o = json_object_array_get_idx(json_object_object_get(line[2], "events"), 0);
	assert_true(json_object_get_double(json_object_object_get(o, "coverage")) == 0.5);
	assert_true(json_object_get_double(json_object_object_get(o, "extrapolated")) > 3e19);
	for (int i = 0; i < 3; i++)
		json_object_put(line[i]);
	free(text);
	text = NULL;
	options.format = &writer_table;
	metrics_free(&metrics);
	metrics.nr = 0;
	sets_free(&sets);
	sets.nr = 0;
	free(rec);
}

/* Of the sample in the first line that has one. */
static struct json_object *sample_counts(char *lines)
{
	struct json_object *line, *counts = NULL;
	char *at;

	while (!counts && (at = strsep(&lines, "\n"))) {
		line = json_tokener_parse(at);
		counts = json_object_get(json_object_object_get(line, "counts"));
		json_object_put(line);
	}
	assert_non_null(counts);
	return counts;
}

static uint64_t count_named(struct json_object *counts, const char *name)
{
	struct json_object *o = json_object_object_get(counts, name);

	if (!o)
		fail_msg("no '%s' in %s", name, json_object_get_string(counts));
	return json_object_get_uint64(o);
}

/* Events of one code, of one set or two, are all in the output, each with its count. */
static void one_code_test(void **state)
{
	struct pmctrack_record *rec = new_record();
	struct output w;
	struct json_object *counts;

	(void)state;
	use_sets("pmc0=0xc4,umask0=0x4,pmc1=0xc4,umask1=0x8", "pmc0=0xc4,pmc1=0xc4,os1,usr1=0");
	rec->counters = 3;
	rec->nr_counts = 2;
	rec->counts[0] = 5;
	rec->counts[1] = 6;
	options.format = &writer_json;
	new_output(&w);
	output_begin(&w);
	output_row(&w, rec);
	output_end(&w, &outcome);
	fclose(w.report.out);
	counts = sample_counts(text);
	assert_int_equal(count_named(counts, "0xc4:umask=0x4"), 5);
	assert_int_equal(count_named(counts, "0xc4:umask=0x8"), 6);
	json_object_put(counts);
	free(text);

	options.format = &writer_csv;
	new_output(&w);
	output_begin(&w);
	output_row(&w, rec);
	rec->set = 1;
	output_row(&w, rec);
	expect_text(&w,
		    "nsample,time_ns,kind,pid,tgid,cpu,coretype,expid,run_ns,hw_ns,merged,widened,disturbed,"
		    "0xc4:umask=0x4,0xc4:umask=0x8,0xc4,0xc4:k\r\n"
		    "1,0,tick,4711,0,0,0,0,0,0,0,0,0,5,6,,\r\n"
		    "2,0,tick,4711,0,0,0,1,0,0,0,0,0,,,5,6\r\n");

	options.format = &writer_openmetrics;
	options.system = true;
	new_output(&w);
	output_begin(&w);
	output_row(&w, rec);
	output_end(&w, &outcome);
	fclose(w.report.out);
	assert_non_null(strstr(text, "{cpu=\"0\",set=\"1\",event=\"0xc4\"} 5\n"));
	assert_non_null(strstr(text, "{cpu=\"0\",set=\"1\",event=\"0xc4:k\"} 6\n"));
	free(text);
	text = NULL;
	options.system = false;
	options.format = &writer_table;
	sets_free(&sets);
	sets.nr = 0;
	free(rec);
}

/* An event that is counted twice has two names, and formulas may use the short one. */
static void counted_twice_test(void **state)
{
	struct pmctrack_record *rec = new_record();
	struct output w;

	(void)state;
	use_sets("pmc0=a,pmc1=b,pmc2=b", NULL);
	use_metric("m=b/a+a:u");
	options.format = &writer_csv;
	new_output(&w);
	output_begin(&w);
	rec->counters = 7;
	rec->nr_counts = 3;
	rec->counts[0] = 2;
	rec->counts[1] = 8;
	rec->counts[2] = 9;
	output_row(&w, rec);
	expect_text(&w,
		    "nsample,time_ns,kind,pid,tgid,cpu,coretype,expid,run_ns,hw_ns,merged,widened,disturbed,a,b@pmc1,b@pmc2,m\r\n"
		    "1,0,tick,4711,0,0,0,0,0,0,0,0,0,2,8,9,6\r\n");
	options.format = &writer_table;
	metrics_free(&metrics);
	metrics.nr = 0;
	sets_free(&sets);
	sets.nr = 0;
	free(rec);
}

/* Two virtual counters whose names OpenMetrics cannot tell apart, and a unit with a quote. */
static void openmetrics_names_test(void **state)
{
	struct pmctrack_record *rec = calloc(1, sizeof(*rec) + 4 * sizeof(rec->counts[0]));
	static const char *const names[] = { "a-b", "a.b", "7 %" };
	struct output w;

	(void)state;
	use_sets("pmc0=a", NULL);
	sets.virts = 7;
	for (int i = 0; i < 3; i++) {
		sets.virt[i].name = strdup(names[i]);
		sets.virt[i].unit = strdup(i ? "" : "\"\\\n");
		sets.virt[i].gauge = true;
		rec->counts[1 + i] = 10 + (uint64_t)i;
	}
	rec->nr_counts = 1;
	rec->counters = 1;
	rec->nr_virt = 3;
	rec->virt = 7;
	options.format = &writer_openmetrics;
	options.system = true;
	new_output(&w);
	output_begin(&w);
	output_row(&w, rec);
	output_end(&w, &outcome);
	fclose(w.report.out);
	assert_non_null(strstr(text, "\npmctrack_virt_a_b{cpu=\"0\",unit=\"\\\"\\\\\\n\"} 10\n"));
	assert_non_null(strstr(text, "# TYPE pmctrack_virt_a_b_virt1 gauge\n"));
	assert_non_null(strstr(text, "\npmctrack_virt_a_b_virt1{cpu=\"0\",unit=\"\"} 11\n"));
	assert_non_null(strstr(text, "\npmctrack_virt_7__{cpu=\"0\",unit=\"\"} 12\n"));
	free(text);
	text = NULL;
	options.system = false;
	options.format = &writer_table;
	sets_free(&sets);
	memset(&sets, 0, sizeof(sets));
	sets.nr_core_types = 1;
	free(rec);
}

/* What others put beside a file that is replaced is left alone, and nobody waits for it. */
static void openmetrics_links_test(void **state)
{
	char folder[] = "/tmp/pmctrack-test-XXXXXX", target[64], link[80], file[64];
	struct stat st;

	(void)state;
	assert_non_null(mkdtemp(folder));
	snprintf(target, sizeof(target), "%s/target", folder);
	snprintf(file, sizeof(file), "%s/file", folder);
	snprintf(link, sizeof(link), "%s.%d", file, getpid());
	assert_int_equal(symlink(target, link), 0);
	assert_int_equal(writer_openmetrics.check_file(file), 0);
	assert_int_not_equal(stat(target, &st), 0);
	assert_int_equal(unlink(link), 0);
	assert_int_equal(mkfifo(link, 0600), 0);
	assert_int_equal(writer_openmetrics.check_file(file), 0);
	assert_int_equal(unlink(link), 0);
	/* Nothing of ours is left. */
	assert_int_equal(rmdir(folder), 0);
}

/* No two columns of CSV have the same name. */
static void csv_columns_test(void **state)
{
	struct output w;

	(void)state;
	options.format = &writer_csv;
	output_init(&w, &options, &sets, &metrics);
	use_sets("pmc0=a,pmc1=b", "pmc0=b");
	use_metric("m=a/b");
	assert_int_equal(output_check(&w), 0);
	metrics_free(&metrics);
	use_metric("b=a/b");
	assert_int_equal(output_check(&w), STATUS_USAGE);
	metrics_free(&metrics);
	use_metric("cpu=a/b");
	assert_int_equal(output_check(&w), STATUS_USAGE);
	metrics_free(&metrics);
	use_metric("v=a/b");
	sets.virts = 2;
	sets.virt[1].name = strdup("v");
	assert_int_equal(output_check(&w), STATUS_USAGE);
	sets.virts = 0;
	metrics_free(&metrics);
	metrics.nr = 0;
	sets_free(&sets);
	sets.virt[1].name = NULL;
	sets.nr = 0;
	/* Totals have other columns. */
	use_metric("cpu=a/b");
	options.aggregate = true;
	output_init(&w, &options, &sets, &metrics);
	assert_int_equal(output_check(&w), 0);
	options.aggregate = false;
	options.format = &writer_table;
	metrics_free(&metrics);
	metrics.nr = 0;
}

static bool no_names(const char *name, double *value, void *arg)
{
	(void)arg;
	*value = strcmp(name, "two") == 0 ? 2 : 0;
	return strcmp(name, "none");
}

static void metric_test(void **state)
{
	static const struct { const char *text; double value; } good[] = {
		{ "a=1+2*3", 7 }, { "a=(1+2)*3", 9 }, { "a=8/2/2", 2 }, { "a=7-2-1", 4 },
		{ "a=-two*-3", 6 }, { "a= 1.5e2 / two ", 75 }, { "a_9=two", 2 },
	};
	static const char *const bad[] = {
		"", "a", "=1", "a=", "a=1+", "a=(1", "a=1)", "a=1 2", "a b=1", "a=*2", "a=1e999", "a=$",
	};
	static const char *const nothing[] = { "a=1/zero", "a=two+none", "a=1e308*10" };
	struct metric m;
	double value;
	char why[100], deep[400] = "a=";

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		assert_int_equal(metric_parse(&m, good[i].text, why, sizeof(why)), 0);
		assert_true(metric_value(&m, no_names, NULL, &value));
		assert_true(value == good[i].value);
		metric_free(&m);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		why[0] = '\0';
		assert_int_not_equal(metric_parse(&m, bad[i], why, sizeof(why)), 0);
		assert_true(why[0]);
	}
	for (size_t i = 0; i < sizeof(nothing) / sizeof(nothing[0]); i++) {
		assert_int_equal(metric_parse(&m, nothing[i], why, sizeof(why)), 0);
		assert_false(metric_value(&m, no_names, NULL, &value));
		metric_free(&m);
	}
	memset(deep + 2, '(', 300);
	assert_int_not_equal(metric_parse(&m, deep, why, sizeof(why)), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(table_test),
		cmocka_unit_test(several_sets_test),
		cmocka_unit_test(totals_test),
		cmocka_unit_test(csv_test),
		cmocka_unit_test(json_test),
		cmocka_unit_test(one_code_test),
		cmocka_unit_test(counted_twice_test),
		cmocka_unit_test(openmetrics_names_test),
		cmocka_unit_test(openmetrics_links_test),
		cmocka_unit_test(csv_columns_test),
		cmocka_unit_test(metric_test),
	};

	return cmocka_run_group_tests_name("output", tests, NULL, NULL);
}
