// SPDX-License-Identifier: GPL-2.0-or-later
/* Tests of the output formats: the exact text that is printed. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <json-c/json.h>

#include "exit_status.h"
#include "run_fixture.h"

static void table_test(void **state)
{
	struct output t;

	(void)state;
	add_set("pmc0=cycles,pmc3=llc_misses");
	begin_output(&t);
	set_counts(0x9, 123456789, 0, 0);
	output_row(&t, rec);
	rec->kind = PMCTRACK_RECORD_EXIT;
	set_counts(0x9, UINT64_MAX, 7, 0);
	output_row(&t, rec);
	/* This record is from a CPU without counters. */
	set_counts(0, 0, 0, 0);
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
}

static void several_sets_test(void **state)
{
	struct output t;

	(void)state;
	add_set("pmc0=cycles,pmc1=a");
	add_set("pmc2=b,coretype=0");
	sets.nr_core_types = 2;
	begin_output(&t);
	set_counts(0x3, 5, 6, 0);
	output_row(&t, rec);
	set_counts(0x4, 5, 0, 0);
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
}

static void csv_test(void **state)
{
	struct output w;

	(void)state;
	add_set("pmc0=cycles,pmc1=a");
	add_set("pmc2=b");
	use_metric("m=a/cycles");
	options.format = &writer_csv;
	begin_output(&w);
	set_counts(0x3, 4, 6, 0);
	set_times(10, 9);
	output_row(&w, rec);
	/* The metric has no value in records of the other set, nor after a division by zero. */
	set_counts(0x4, 4, 0, 0);
	rec->set = 1;
	output_row(&w, rec);
	set_counts(0x3, 0, 6, 0);
	rec->set = 0;
	rec->flags = PMCTRACK_RECORD_F_WIDENED | PMCTRACK_RECORD_F_DISTURBED;
	output_row(&w, rec);
	expect_text(&w,
		    "nsample,time_ns,kind,pid,tgid,cpu,coretype,expid,run_ns,hw_ns,merged,widened,disturbed,cycles,a,b,m\r\n"
		    "1,0,tick,4711,0,0,0,0,10,9,0,0,0,4,6,,1.5\r\n"
		    "2,0,tick,4711,0,0,0,1,10,9,0,0,0,,,4,\r\n"
		    "3,0,tick,4711,0,0,0,0,10,9,0,1,1,0,6,,\r\n");
}

/* The lines are JSON, with the numbers in the places that the manual describes. */
static void json_test(void **state)
{
	struct output w;
	struct json_object *line[3], *o;
	char *at, *rest;

	(void)state;
	add_set("pmc0=cycles");
	use_metric("m=1/cycles");
	options.format = &writer_json;
	begin_output(&w);
	set_counts(0x1, UINT64_MAX, 0, 0);
	set_times(10, 5);
	output_row(&w, rec);
	end_output(&w, &outcome);
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
}

/* The counts in the first line that has counts. */
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

/* Events with the same code, in one set or two, are all in the output, each with its count. */
static void one_code_test(void **state)
{
	struct output w;
	struct json_object *counts;

	(void)state;
	add_set("pmc0=0xc4,umask0=0x4,pmc1=0xc4,umask1=0x8");
	add_set("pmc0=0xc4,pmc1=0xc4,os1,usr1=0");
	set_counts(0x3, 5, 6, 0);
	options.format = &writer_json;
	begin_output(&w);
	output_row(&w, rec);
	end_output(&w, &outcome);
	counts = sample_counts(text);
	assert_int_equal(count_named(counts, "0xc4:umask=0x4"), 5);
	assert_int_equal(count_named(counts, "0xc4:umask=0x8"), 6);
	json_object_put(counts);
	forget_text();

	options.format = &writer_csv;
	begin_output(&w);
	output_row(&w, rec);
	rec->set = 1;
	output_row(&w, rec);
	expect_text(&w,
		    "nsample,time_ns,kind,pid,tgid,cpu,coretype,expid,run_ns,hw_ns,merged,widened,disturbed,"
		    "0xc4:umask=0x4,0xc4:umask=0x8,0xc4,0xc4:k\r\n"
		    "1,0,tick,4711,0,0,0,0,0,0,0,0,0,5,6,,\r\n"
		    "2,0,tick,4711,0,0,0,1,0,0,0,0,0,,,5,6\r\n");
}

/* An event that is counted twice has two names, and formulas may use the short one. */
static void counted_twice_test(void **state)
{
	struct output w;

	(void)state;
	add_set("pmc0=a,pmc1=b,pmc2=b");
	use_metric("m=b/a+a:u");
	options.format = &writer_csv;
	begin_output(&w);
	set_counts(0x7, 2, 8, 9);
	output_row(&w, rec);
	expect_text(&w,
		    "nsample,time_ns,kind,pid,tgid,cpu,coretype,expid,run_ns,hw_ns,merged,widened,disturbed,a,b@pmc1,b@pmc2,m\r\n"
		    "1,0,tick,4711,0,0,0,0,0,0,0,0,0,2,8,9,6\r\n");
}

/* Records of core types that the session does not know are refused, and no others. */
static void core_types_test(void **state)
{
	static const uint8_t known[] = { 0, 1, PMCTRACK_MAX_CORE_TYPES };
	static const uint8_t unknown[] = { 2, PMCTRACK_MAX_CORE_TYPES - 1, PMCTRACK_MAX_CORE_TYPES + 1, 255 };
	static const struct writer *const writers[] = {
		&writer_table, &writer_csv, &writer_json, &writer_openmetrics,
	};

	(void)state;
	add_set("pmc0=a,coretype=0");
	sets.nr_core_types = 2;
	options.system = true;
	set_times(7, 7);
	for (size_t i = 0; i < sizeof(writers) / sizeof(writers[0]); i++) {
		struct output w;

		options.format = writers[i];
		begin_output(&w);
		for (size_t j = 0; j < sizeof(known); j++) {
			rec->core_type = known[j];
			output_row(&w, rec);
			assert_int_equal(w.error, 0);
		}
		for (size_t j = 0; j < sizeof(unknown); j++) {
			w.error = 0;
			rec->core_type = unknown[j];
			output_row(&w, rec);
			assert_int_equal(w.error, ENOENT);
			assert_true(w.bad_record);
		}
		assert_int_equal(w.totals.nr, sizeof(known));
		w.error = 0;
		end_output(&w, &outcome);
		forget_text();
	}
}

/* No two columns of CSV have the same name. */
static void csv_columns_test(void **state)
{
	struct output w;

	(void)state;
	options.format = &writer_csv;
	output_init(&w, &options, &sets, &metrics);
	add_set("pmc0=a,pmc1=b");
	add_set("pmc0=b");
	use_metric("m=a/b");
	assert_int_equal(output_check(&w), 0);
	use_metric("b=a/b");
	assert_int_equal(output_check(&w), STATUS_USAGE);
	use_metric("cpu=a/b");
	assert_int_equal(output_check(&w), STATUS_USAGE);
	use_metric("v=a/b");
	add_virt(1, "v", "", false);
	assert_int_equal(output_check(&w), STATUS_USAGE);
	/* Totals have other columns. */
	options.aggregate = true;
	output_init(&w, &options, &sets, &metrics);
	assert_int_equal(output_check(&w), 0);
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
		test_of_run(table_test),
		test_of_run(several_sets_test),
		test_of_run(csv_test),
		test_of_run(json_test),
		test_of_run(one_code_test),
		test_of_run(counted_twice_test),
		test_of_run(core_types_test),
		test_of_run(csv_columns_test),
		cmocka_unit_test(metric_test),
	};

	return cmocka_run_group_tests_name("output", tests, NULL, NULL);
}
