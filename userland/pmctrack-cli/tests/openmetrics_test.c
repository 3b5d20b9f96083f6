// SPDX-License-Identifier: GPL-2.0-or-later
/* Tests of OpenMetrics: the text, and the replacement of the file. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "run_fixture.h"

/* Write the output of a run with one record to @text. */
static void write_record(void)
{
	struct output w;

	options.format = &writer_openmetrics;
	options.system = true;
	begin_output(&w);
	output_row(&w, rec);
	end_output(&w, &outcome);
}

static void expect_line(const char *line)
{
	if (!strstr(text, line))
		fail_msg("no '%s' in:\n%s", line, text);
}

/* Events with the same code have different names. */
static void one_code_test(void **state)
{
	(void)state;
	add_set("pmc0=0xc4,umask0=0x4,pmc1=0xc4,umask1=0x8");
	add_set("pmc0=0xc4,pmc1=0xc4,os1,usr1=0");
	set_counts(0x3, 5, 6, 0);
	rec->set = 1;
	write_record();
	expect_line("{cpu=\"0\",set=\"0\",event=\"0xc4:umask=0x8\"} 0\n");
	expect_line("{cpu=\"0\",set=\"1\",event=\"0xc4\"} 5\n");
	expect_line("{cpu=\"0\",set=\"1\",event=\"0xc4:k\"} 6\n");
}

/* Two virtual counters get the same name in OpenMetrics; a unit has a quote. */
static void names_test(void **state)
{
	static const char *const names[] = { "a-b", "a.b", "7 %" };

	(void)state;
	add_set("pmc0=a");
	for (unsigned int i = 0; i < 3; i++) {
		add_virt(i, names[i], i ? "" : "\"\\\n", true);
		rec->counts[1 + i] = 10 + i;
	}
	rec->nr_counts = 1;
	rec->counters = 1;
	rec->nr_virt = 3;
	rec->virt = 7;
	write_record();
	expect_line("\npmctrack_virt_a_b{cpu=\"0\",unit=\"\\\"\\\\\\n\"} 10\n");
	expect_line("# TYPE pmctrack_virt_a_b_virt1 gauge\n");
	expect_line("\npmctrack_virt_a_b_virt1{cpu=\"0\",unit=\"\"} 11\n");
	expect_line("\npmctrack_virt_7__{cpu=\"0\",unit=\"\"} 12\n");
}

/* A family's name ends with the unit if a name can have it; only samples end with "_total". */
static void units_test(void **state)
{
	static const char *const virts[][2] = {
		{ "energy_total", "uJ" }, { "energy", "uJ" }, { "time_s", "s" }, { "part", "%" },
	};

	(void)state;
	add_set("pmc0=a");
	for (unsigned int i = 0; i < 4; i++)
		add_virt(i, virts[i][0], virts[i][1], i == 1);
	write_record();
	expect_line("# TYPE pmctrack_virt_energy_uJ counter\n# UNIT pmctrack_virt_energy_uJ uJ\n# HELP ");
	expect_line("# TYPE pmctrack_virt_energy_virt1_uJ gauge\n# UNIT pmctrack_virt_energy_virt1_uJ uJ\n");
	expect_line("# TYPE pmctrack_virt_time_s counter\n# UNIT pmctrack_virt_time_s s\n");
	expect_line("# TYPE pmctrack_virt_part counter\n# HELP ");
}

static void add_values(struct output *w, uint8_t set, uint64_t first, uint64_t second)
{
	rec->set = set;
	set_counts(0x3, first, second, 0);
	output_row(w, rec);
}

/*
 * A metric is that of the last interval of its set. If the metric has no value there, no value is
 * printed. The text of the formula is escaped.
 */
static void metrics_test(void **state)
{
	struct output w;

	(void)state;
	add_set("pmc0=a,pmc1=b");
	add_set("pmc0=c,pmc1=d");
	use_metric("m=a/b");
	free(metrics.of->formula);
	metrics.of->formula = strdup("a\\\"\n/b");
	options.format = &writer_openmetrics;
	options.system = true;
	/* Metrics are printed even if only totals are requested. */
	options.aggregate = true;
	begin_output(&w);
	add_values(&w, 0, 6, 4);
	add_values(&w, 0, 10, 4);
	add_values(&w, 1, 1, 1);
	rec->cpu = 2;
	add_values(&w, 0, 10, 4);
	add_values(&w, 0, 10, 0);
	end_output(&w, &outcome);
	expect_line("# TYPE pmctrack_metric_m gauge\n"
		    "# HELP pmctrack_metric_m a\\\\\\\"\\n/b\n"
		    "pmctrack_metric_m{cpu=\"0\"} 2.5\n"
		    "# EOF\n");
}

/* Rows of two CPUs come a little early or late. The file is replaced once in each period. */
static void period_test(void **state)
{
	static const int jitter[] = { 0, 3, -4, 5, -2, -5, 1, -3 };
	char path[] = "/tmp/pmctrack-test-XXXXXX";
	unsigned int replaced = 0;
	struct output w;

	(void)state;
	add_set("pmc0=a");
	options = (struct options){ .format = &writer_openmetrics, .system = true, .output = path };
	output_init(&w, &options, &sets, &metrics);
	w.report.period_ns = 100;
	close(mkstemp(path));
	unlink(path);
	output_begin(&w);
	for (int i = 0; i < 8; i++) {
		rec->cpu = (uint32_t)i % 2;
		rec->time_ns = (uint64_t)(1000 + 100 * (i / 2) + jitter[i]);
		output_row(&w, rec);
		output_flush(&w);
		output_flush(&w);
		replaced += unlink(path) == 0;
	}
	/* The file was replaced at the first row of the second, third and fourth period. */
	assert_int_equal(replaced, 3);
	/* The file is replaced once after a long time without rows. */
	rec->time_ns += 1234567;
	output_row(&w, rec);
	output_flush(&w);
	assert_int_equal(unlink(path), 0);
	output_row(&w, rec);
	output_flush(&w);
	assert_int_equal(access(path, F_OK), -1);
	/* The file is replaced at the end, even if the period is not complete. */
	output_end(&w, &outcome);
	assert_int_equal(w.error, 0);
	assert_int_equal(unlink(path), 0);
}

/* Links and pipes that others put beside the file are left alone, and cannot block pmctrack. */
static void links_test(void **state)
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
	/* Links and pipes themselves are not replaced, as devices are not (/dev/null). */
	assert_int_equal(writer_openmetrics.check_file(link), -ENOTSUP);
	assert_int_equal(unlink(link), 0);
	assert_int_equal(symlink(target, link), 0);
	assert_int_equal(writer_openmetrics.check_file(link), -ENOTSUP);
	assert_int_equal(writer_openmetrics.check_file(folder), -EISDIR);
	assert_int_equal(unlink(link), 0);
	/* No temporary file is left. */
	assert_int_equal(rmdir(folder), 0);
}

/* The output says so if counts are simulated, and only then. */
static void simulated_test(void **state)
{
	(void)state;
	add_set("pmc0=a");
	set_counts(0x1, 5, 0, 0);
	write_record();
	assert_null(strstr(text, "simulated"));
	forget_text();
	sets.simulated = true;
	write_record();
	expect_line("\npmctrack_machine_info{simulated=\"true\"} 1\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		test_of_run(one_code_test),
		test_of_run(names_test),
		test_of_run(units_test),
		test_of_run(metrics_test),
		test_of_run(period_test),
		test_of_run(simulated_test),
		cmocka_unit_test(links_test),
	};

	return cmocka_run_group_tests_name("openmetrics", tests, NULL, NULL);
}
