// SPDX-License-Identifier: GPL-2.0-or-later
/* The modules one by one: what they return, and what they refuse. */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "../src/cycle.h"
#include "../src/load.h"

#define near(a, b)	assert_true(fabs((a) - (b)) < 1e-9)
#define S		NS_PER_S

static void trace_shapes(void **state)
{
	struct trace t;
	struct trace_why why = {};

	(void)state;
	assert_int_equal(trace_constant(&t, 0.4, &why), 0);
	near(trace_target(&t, 0), 0.4);
	near(trace_target(&t, 1000 * S), 0.4);
	assert_int_equal(trace_end(&t), 0);
	trace_free(&t);
	assert_int_equal(trace_sine(&t, 0.5, 0.3, 8 * S, &why), 0);
	near(trace_target(&t, 0), 0.5);
	near(trace_target(&t, 2 * S), 0.8);
	near(trace_target(&t, 14 * S), 0.2);
	trace_free(&t);
	assert_int_equal(trace_staircase(&t, 0.05, 0.95, 0.05, 10 * S, &why), 0);
	assert_int_equal(trace_end(&t), 2 * 19 * 10 * S);
	near(trace_target(&t, 0), 0.05);
	near(trace_target(&t, 10 * S - 1), 0.05);
	near(trace_target(&t, 10 * S), 0.10);
	near(trace_target(&t, 185 * S), 0.95);
	near(trace_target(&t, 195 * S), 0.95);
	near(trace_target(&t, 379 * S), 0.05);
	trace_free(&t);
}

static void write_file(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	fputs(text, f);
	assert_int_equal(fclose(f), 0);
}

static void trace_files(void **state)
{
	static const struct { const char *text; const char *says; } wrong[] = {
		{ "", "no line seconds,percent" },
		{ "time,load\n", "no line seconds,percent" },
		{ "0,10\n5,20\n3,30\n", "line 3: 3 s is not after the line before it" },
		{ "0,10\n5,20\n5,30\n", "line 3: 5 s is not after" },
		{ "0,10\n5,\n", "line 2: no load" },
		{ "0,10\n5\n", "line 2: '5' is not seconds,percent" },
		{ "0,10\n5,101\n", "line 2: a load of 101 %" },
		{ "0,10\n5,-1\n", "line 2: a load of -1 %" },
		{ "0,10\n5,nan\n", "line 2: a load of nan %" },
		{ "0,10\n-5,20\n", "line 2: a time of -5 s" },
		{ "0,10\n5,20x\n", "line 2: no load" },
		{ "0,1\n5,2\n10,3\n15,4\n40,5\n", "a gap from 15 to 40 s, where samples are 5 s apart" },
	};
	char path[] = "/tmp/showstopper-trace-XXXXXX";
	struct trace t;
	struct trace_why why = {};
	size_t i;

	(void)state;
	assert_int_not_equal(mkstemp(path), -1);
	write_file(path, "seconds,percent\n# a comment\n\n0, 10\n10,30\n 20 ,30,more\n30,0 # the end\n");
	assert_int_equal(trace_file(&t, path, 0, &why), 0);
	near(trace_target(&t, 5 * S), 0.2);
	near(trace_target(&t, 15 * S), 0.3);
	near(trace_target(&t, 25 * S), 0.15);
	near(trace_target(&t, 99 * S), 0);
	assert_int_equal(trace_scale(&t, 10, &why), 0);
	near(trace_target(&t, S / 2), 0.2);
	assert_int_equal(trace_end(&t), 3 * S);
	assert_int_equal(trace_scale(&t, 0, &why), -EINVAL);
	assert_int_equal(trace_scale(&t, NAN, &why), -EINVAL);
	trace_free(&t);
	for (i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		write_file(path, wrong[i].text);
		assert_int_equal(trace_file(&t, path, 0, &why), -EINVAL);
		if (!strstr(why.text, wrong[i].says))
			fail_msg("'%s' does not say '%s'", why.text, wrong[i].says);
	}
	assert_int_equal(trace_file(&t, path, 1, &why), 0);
	near(trace_target(&t, 27500 * NS_PER_MS), 0.045);
	trace_free(&t);
	/* The run ends with the last sample, also if that is the only one. */
	write_file(path, "2,40\n");
	assert_int_equal(trace_file(&t, path, 0, &why), 0);
	near(trace_target(&t, S), 0.4);
	assert_int_equal(trace_end(&t), 2 * S);
	trace_free(&t);
	unlink(path);
	assert_int_equal(trace_file(&t, path, 0, &why), -ENOENT);
}

static void trace_refusals(void **state)
{
	struct trace t;
	struct trace_why why = {};

	(void)state;
	assert_int_equal(trace_constant(&t, -0.1, &why), -EINVAL);
	assert_int_equal(trace_constant(&t, 1.1, &why), -EINVAL);
	assert_int_equal(trace_constant(&t, NAN, &why), -EINVAL);
	assert_int_equal(trace_sine(&t, 0.5, 0.6, S, &why), -EINVAL);
	assert_int_equal(trace_sine(&t, 0.5, 0.1, 0, &why), -EINVAL);
	assert_int_equal(trace_staircase(&t, 0, 1, 0, S, &why), -EINVAL);
	assert_int_equal(trace_staircase(&t, 0, 1.5, 0.1, S, &why), -EINVAL);
}

/* A speed at which a trace takes less than 1 ms, or too long, is refused. */
static void trace_speeds(void **state)
{
	struct trace_why why = {};
	struct trace t;

	(void)state;
	assert_int_equal(trace_staircase(&t, 0, 1, 0.1, S, &why), 0);
	assert_int_equal(trace_scale(&t, 1e12, &why), -EINVAL);
	assert_non_null(strstr(why.text, "too short"));
	assert_int_equal(trace_scale(&t, 1e-12, &why), -EINVAL);
	assert_int_equal(trace_end(&t), 22 * S);
	assert_int_equal(trace_scale(&t, 22000, &why), 0);
	assert_int_equal(trace_end(&t), NS_PER_MS);
	trace_free(&t);
	/* A trace that never ends has no length, so that any speed is accepted. */
	assert_int_equal(trace_constant(&t, 0.4, &why), 0);
	assert_int_equal(trace_scale(&t, 1e12, &why), 0);
	assert_int_equal(trace_end(&t), 0);
	trace_free(&t);
}

struct times { struct load_time now; int reads, err; };

static int read_times(void *data, struct load_time *now)
{
	struct times *t = data;

	t->reads++;
	*now = t->now;
	return t->err;
}

/* Equations 1 and 2, with 2 CPUs and a base period of 333 ms. */
static void feedback_equations(void **state)
{
	struct times times = { .now = { 5 * S, 7 * S } };
	struct load_source source = { read_times, &times, 2 };
	struct feedback_estimate e = {};
	struct feedback f = { &e, &source, FEEDBACK_DELTA };
	struct feedback_load load;

	(void)state;
	assert_int_equal(feedback_get(&f, 100 * S, &load), 0);
	near(load.load, 0);
	/* 333 ms of both CPUs together weigh as much as the estimate before. */
	times.now = (struct load_time){ 5 * S + 333 * NS_PER_MS, 7 * S };
	assert_int_equal(feedback_get(&f, 101 * S, &load), 0);
	near(load.load, 0.5);
	assert_int_equal(load.work, times.now.work);
	/* An estimate that is younger than 160 ms / 2 is shared. */
	times.now.work += S;
	assert_int_equal(feedback_get(&f, 101 * S + 79 * NS_PER_MS, &load), 0);
	near(load.load, 0.5);
	assert_int_equal(times.reads, 2);
	assert_int_equal(feedback_get(&f, 101 * S + 80 * NS_PER_MS, &load), 0);
	near(load.load, 0.5 * 333 / 1333 + 1.0 * 1000 / 1333);
	/* Times that decrease, like those of a CPU that went offline, change nothing. */
	times.now.work -= 2 * S;
	assert_int_equal(feedback_get(&f, 103 * S, &load), 0);
	near(load.load, 0.5 * 333 / 1333 + 1.0 * 1000 / 1333);
}

static void feedback_errors(void **state)
{
	struct times times = { .now = { 1 * S, 1 * S } };
	struct load_source source = { read_times, &times, 1 };
	struct feedback_estimate e = {};
	struct feedback f = { &e, &source, FEEDBACK_DELTA };
	struct feedback_load load;

	(void)state;
	assert_int_equal(feedback_get(&f, S, &load), 0);
	times.err = -EIO;
	assert_int_equal(feedback_get(&f, 2 * S, &load), -EIO);
	times.err = 0;
	assert_int_equal(feedback_get(&f, 3 * S, &load), 0);
	/* An executor was killed in the middle of an update: others wait, then go on. */
	e.seq++;
	times.reads = 0;
	assert_int_equal(feedback_get(&f, 3 * S + 900 * NS_PER_MS, &load), 0);
	assert_int_equal(times.reads, 0);
	assert_int_equal(feedback_get(&f, 4 * S, &load), 0);
	assert_int_equal(times.reads, 1);
	assert_int_equal(e.seq & 1, 0);
}

static void control_pi(void **state)
{
	struct feedback_load load = {};
	struct control c;
	double duty;
	int i;

	(void)state;
	control_init(&c, CONTROL_PI, 2);
	near(control_next(&c, 0.5, &load), 0.5);
	/* The load is the target: nothing changes. */
	load = (struct feedback_load){ 0.5, S, S };
	near(control_next(&c, 0.5, &load), 0.5);
	/* The same sample again: nothing changes, either. */
	near(control_next(&c, 0.9, &load), 0.5);
	/* The load is too low for a second of 2 CPUs: both parts grow. */
	load = (struct feedback_load){ 0.4, S + 8 * S / 10, S + 12 * S / 10 };
	duty = control_next(&c, 0.5, &load);
	assert_true(duty > 0.5 + CONTROL_KI * 0.1);
	/* The target is out of reach for a minute, then the load is too high: no debt is left. */
	for (i = 0; i < 60; i++) {
		load.work += S / 5;
		load.idle += 9 * S / 5;
		load.load = 0.1;
		duty = control_next(&c, 0.9, &load);
	}
	near(duty, 1);
	load.work += 9 * S / 5;
	load.idle += S / 5;
	load.load = 0.9;
	assert_true(control_next(&c, 0.2, &load) < 0.9);
}

static void control_geom(void **state)
{
	struct feedback_load load = {};
	struct control c;

	(void)state;
	control_init(&c, CONTROL_GEOM, 2);
	near(control_next(&c, 0.5, &load), 0.5);
	/* The load is the target; then a quarter for a second, longer than GEOM_SECONDS. */
	load = (struct feedback_load){ 0.5, S, S };
	near(control_next(&c, 0.5, &load), 0.5);
	load = (struct feedback_load){ 0.25, S + S / 2, S + 3 * S / 2 };
	near(control_next(&c, 0.5, &load), 0.5 * 0.5 / (0.5 - 0.25 / 1.3));
	near(control_next(&c, 0.5, &load), 0.5 * 0.5 / (0.5 - 0.25 / 1.3));
	/* Without any load, the duty cycle at most doubles, and it is never above 1. */
	load.idle += 20 * S;
	near(control_next(&c, 0.5, &load), 1);
	load.work += 20 * S;
	near(control_next(&c, 0, &load), 0);
	/* A duty cycle of nothing grows again. */
	load.idle += S;
	assert_true(control_next(&c, 0.5, &load) > 0);
	control_init(&c, CONTROL_CDC, 2);
	near(control_next(&c, 0.3, &load), 0.3);
	near(control_next(&c, 0.7, &load), 0.7);
}

static void control_peers(void **state)
{
	_Atomic double outputs[4] = { -1, 0.4, -1, 0.8 };

	(void)state;
	near(control_average(outputs, 4, 0, 0, 0.6), 0.6);
	near(control_average(outputs, 4, 0, 1, 0.6), 0.5);
	/* Executors without an output are skipped. */
	near(control_average(outputs, 4, 0, 2, 0.6), 0.6);
	near(control_average(outputs, 4, 0, 3, 0.6), 0.6);
	near(outputs[0], 0.6);
	near(control_average(outputs, 1, 0, 2, 0.6), 0.6);
}

static void space_and_dither(void **state)
{
	unsigned int i;

	(void)state;
	for (i = 0; i < 3; i++)
		near(space_duty(SPACE_EVEN, 0.5, i, 3), 0.5);
	near(space_duty(SPACE_UNEVEN, 0.5, 0, 3), 1);
	near(space_duty(SPACE_UNEVEN, 0.5, 1, 3), 0.5);
	near(space_duty(SPACE_UNEVEN, 0.5, 2, 3), 0);
	assert_int_equal(dither_time(0.25, 100 * NS_PER_MS, true), 25 * NS_PER_MS);
	assert_int_equal(dither_time(0.25, 100 * NS_PER_MS, false), 75 * NS_PER_MS);
	assert_int_equal(dither_time(0, DITHER_TAU, true), 0);
	assert_int_equal(dither_time(1, DITHER_TAU, false), 0);
	assert_int_equal(dither_time(0.001, DITHER_TAU, true), 0);
}

/* A duty cycle of 0 or 1 is held without a signal, and each decision takes time. */
static void cycle_extremes(void **state)
{
	struct times times = {};
	struct load_source source = { read_times, &times, 1 };
	struct feedback_estimate e = {};
	_Atomic double outputs[1];
	struct trace_why why;
	struct trace t;
	double loads[] = { 0, 1 };
	int i, j, err;

	(void)state;
	for (i = 0; i < 2; i++) {
		struct cycle c = { .trace = &t, .feedback = { &e, &source, FEEDBACK_DELTA },
				   .tau = DITHER_TAU, .outputs = outputs, .nr = 1, .run = true };

		trace_constant(&t, loads[i], &why);
		control_init(&c.control, CONTROL_CDC, 1);
		for (j = 0; j < 5; j++) {
			assert_int_equal(cycle_next(&c, (j + 1) * S, &err), DITHER_TAU);
			assert_int_equal(err, 0);
			assert_int_equal(c.run, i);
		}
		trace_free(&t);
	}
	assert_int_equal(cycle_phase(0, 4, DITHER_TAU), 0);
	assert_int_equal(cycle_phase(2, 4, DITHER_TAU), DITHER_TAU / 2);
}

/* The sources of this machine: times do not decrease, and one CPU does not work more than all. */
static void load_sources(void **state)
{
	struct load l;
	struct load_time a, b;
	cpu_set_t first;
	int64_t all;

	(void)state;
	assert_int_equal(load_open_cpus(&l, NULL), 0);
	assert_int_equal(l.source.read(l.source.data, &a), 0);
	usleep(200000);
	assert_int_equal(l.source.read(l.source.data, &b), 0);
	all = b.work - a.work + b.idle - a.idle;
	assert_true(all >= 0 && b.work >= a.work);
	load_close(&l);
	CPU_ZERO(&first);
	CPU_SET(0, &first);
	assert_int_equal(load_open_cpus(&l, &first), 0);
	assert_int_equal(l.source.read(l.source.data, &b), 0);
	assert_true(b.work + b.idle > 0 && b.work <= a.work + S);
	load_close(&l);
	assert_int_equal(load_open_cgroup(&l, "/nonexistent"), -ENOENT);
}

int main(void)
{
	const struct CMUnitTest modules[] = {
		cmocka_unit_test(trace_shapes), cmocka_unit_test(trace_files),
		cmocka_unit_test(trace_refusals), cmocka_unit_test(trace_speeds), cmocka_unit_test(feedback_equations),
		cmocka_unit_test(feedback_errors), cmocka_unit_test(control_pi),
		cmocka_unit_test(control_geom), cmocka_unit_test(control_peers),
		cmocka_unit_test(space_and_dither), cmocka_unit_test(cycle_extremes),
		cmocka_unit_test(load_sources),
	};

	return cmocka_run_group_tests_name("showstopper modules", modules, NULL, NULL);
}
