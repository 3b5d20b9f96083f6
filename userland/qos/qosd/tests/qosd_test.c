// SPDX-License-Identifier: GPL-2.0-or-later
/* Tests of settings, of the choice of CPUs, and of the names of units. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "complain.h"
#include "place.h"
#include "settings.h"
#include "unit.h"

static char said[300];

static void note(const char *program, const char *text)
{
	(void)program;
	snprintf(said, sizeof(said), "%s", text);
}

static int read_text(struct settings *s, const char *text)
{
	char path[] = "/tmp/qosd_test.XXXXXX";
	int fd = mkstemp(path), err;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	close(fd);
	settings_begin(s);
	err = settings_read(s, path);
	unlink(path);
	return err;
}

static void settings_test(void **state)
{
	static const char *const wrong[][2] = {
		{"", "not an object"}, {"[]", "not an object"}, {"{\"x\": 1}", "'x' is not known"},
		{"{\"step_s\": \"1\"}", "step_s is a number from 0.1 to 10"},
		{"{\"look_s\": 0}", "look_s is a number"}, {"{\"pole\": 1}", "pole is a number from 0 to 0.99"},
		{"{\"speedup_factor\": 1}", "speedup_factor is true or false"},
		{"{\"actuator\": 5}", "actuator is"}, {"{\"group\": \"/x\"}", "group is the path"},
		{"{\"programs\": 1}", "programs is an object"}, {"{\"programs\": {\"a\": 1}}", "programs.a is an object"},
		{"{\"programs\": {\"a\": {\"weight\": 0}}}", "weight is a number from 1 to 1000"},
		{"{\"programs\": {\"a\": {\"max\": -1}}}", "max is a number"},
		{"{\"programs\": {\"a\": {\"max\": 5}}}", "programs.a: max is for a min that is not greater"},
		{"{\"programs\": {\"a\": {\"min\": 3, \"max\": 2}}}", "programs.a: max is for a min"},
		{"{\"programs\": {\"a\": {\"ignore\": \"no\"}}}", "ignore is true or false"},
		{"{\"look_s\": 0.5}", "look_s is longer than step_s"},
		{"{\"programs\": {\"a\": {\"user\": \"nobody else\"}}}", "user 'nobody else': there is none"},
	};
	struct settings s;
	size_t i;

	(void)state;
	complain_to(note);
	for (i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		assert_true(read_text(&s, wrong[i][0]) < 0);
		if (!strstr(said, wrong[i][1]))
			fail_msg("'%s': %s", wrong[i][0], said);
		settings_end(&s);
	}
	assert_int_equal(read_text(&s, "{\"step_s\": 1, \"actuator\": \"both\", \"speedup_factor\": true, \"programs\": {\"a\": {\"goal\": 8}, "
				       "\"b\": {\"min\": 2, \"max\": 3, \"weight\": 7, \"ignore\": true}, \"d\": {\"user\": \"daemon\"}}}"), 0);
	assert_true(s.step_s == 1 && s.tick_s == 0.05 && s.actuator == ACTUATOR_BOTH && s.speedup_factor);
	assert_true(settings_rule(&s, "a", 0)->max == 8);
	assert_true(settings_rule(&s, "b", 0)->weight == 7 && settings_rule(&s, "b", 0)->ignore);
	assert_null(settings_rule(&s, "c", 0));
	/*
	 * A rule applies to the programs of its user only, because names are what programs call
	 * themselves.
	 */
	assert_null(settings_rule(&s, "a", 1));
	assert_non_null(settings_rule(&s, "d", 1));
	settings_end(&s);
}

/* Eight CPUs, four in each cache. */
static void place_test(void **state)
{
	static struct topology t;
	struct place place[3] = {{.wanted = 3}, {.wanted = 3}, {.wanted = 2}};
	cpu_set_t machine, had, both;
	int i;

	(void)state;
	t.types = 1;
	CPU_ZERO(&machine);
	for (i = 0; i < 8; i++) {
		CPU_SET(i, &machine);
		t.cache[i] = i / 4 * 4;
	}
	place_all(&machine, &t, place, 3);
	for (i = 0; i < 3; i++)
		assert_int_equal(CPU_COUNT(&place[i].cpus), (int)place[i].wanted);
	CPU_AND(&both, &place[0].cpus, &place[1].cpus);
	assert_int_equal(CPU_COUNT(&both), 0);
	/* Each of the first two programs is in one cache. */
	for (i = 0; i < 2; i++) {
		CPU_ZERO(&had);
		for (int k = 0; k < 4; k++)
			CPU_SET(k, &had);
		CPU_AND(&both, &had, &place[i].cpus);
		assert_true(CPU_COUNT(&both) == 0 || CPU_COUNT(&both) == 3);
	}
	/* CPUs that are no longer wanted are given back; the rest stays. */
	had = place[0].cpus;
	place[0].wanted = 2;
	place[2].wanted = 3;
	place_all(&machine, &t, place, 3);
	CPU_AND(&both, &had, &place[0].cpus);
	assert_int_equal(CPU_COUNT(&both), 2);
	assert_int_equal(CPU_COUNT(&place[2].cpus), 3);
	/*
	 * More CPUs are wanted than there are: some have two programs. A CPU that has gone is given
	 * to none.
	 */
	CPU_CLR(7, &machine);
	place[1].wanted = 7;
	place_all(&machine, &t, place, 3);
	assert_int_equal(CPU_COUNT(&place[1].cpus), 7);
	for (i = 0; i < 3; i++)
		assert_false(CPU_ISSET(7, &place[i].cpus));
}

/* A machine of two nodes; each node has two caches of four CPUs. */
static void topology_test(void **state)
{
	static struct topology t;
	struct place place[2] = {{.wanted = 3}, {.wanted = 7}};
	cpu_set_t machine;
	int i, in_node[2] = {0};

	(void)state;
	setenv("HWLOC_SYNTHETIC", "node:2 l3:2 pu:4", 1);
	place_topology(&t);
	unsetenv("HWLOC_SYNTHETIC");
	CPU_ZERO(&machine);
	for (i = 0; i < 16; i++) {
		CPU_SET(i, &machine);
		assert_int_equal(t.cache[i], i / 4 * 4);
		assert_int_equal(t.node[i], i / 8 * 8);
	}
	/* Seven CPUs are more than a cache has, but not more than a node has. */
	place_all(&machine, &t, place, 2);
	for (i = 0; i < 16; i++)
		in_node[i / 8] += !!CPU_ISSET(i, &place[1].cpus);
	assert_true(in_node[0] == 7 || in_node[1] == 7);
	/* On this machine, each CPU is in some node and cache, or nothing is known. */
	place_topology(&t);
	assert_true(t.cache[0] >= 0 && t.node[0] >= 0);
}

/*
 * 256 CPUs in four nodes, of four caches each, and 64 programs that want nearly all CPUs. No two
 * programs share one, most programs are in one cache, and hardly any moves when some want more and
 * some less.
 */
static void large_test(void **state)
{
	static struct topology t;
	static struct place place[64], before[64];
	cpu_set_t machine, both, all;
	int i, k, caches, changes = 0, moved = 0, crossing = 0;

	(void)state;
	setenv("HWLOC_SYNTHETIC", "node:4 l3:4 pu:16", 1);
	place_topology(&t);
	unsetenv("HWLOC_SYNTHETIC");
	CPU_ZERO(&machine);
	for (i = 0; i < 256; i++)
		CPU_SET(i, &machine);
	for (i = 0; i < 64; i++)
		place[i] = (struct place){.wanted = 1 + i % 7};
	place_all(&machine, &t, place, 64);
	for (k = 0; k < 100; k++) {
		memcpy(before, place, sizeof(place));
		/* The sum stays the same: 64 programs never want more than there is. */
		i = k * 11 % 63;
		if (place[i].wanted > 1) {
			place[i].wanted--;
			place[i + 1].wanted++;
			changes++;
		}
		place_all(&machine, &t, place, 64);
		CPU_ZERO(&all);
		for (i = 0; i < 64; i++) {
			assert_int_equal(CPU_COUNT(&place[i].cpus), (int)place[i].wanted);
			CPU_OR(&all, &all, &place[i].cpus);
			CPU_AND(&both, &before[i].cpus, &place[i].cpus);
			moved += (int)(before[i].wanted < place[i].wanted ? before[i].wanted : place[i].wanted) - CPU_COUNT(&both);
		}
		/* 64 programs want 253 CPUs in all. */
		assert_int_equal(CPU_COUNT(&all), 253);
	}
	for (i = 0; i < 64; i++) {
		for (caches = 0, k = 0; k < 256; k += 16) {
			cpu_set_t in_cache;

			CPU_ZERO(&in_cache);
			for (int cpu = k; cpu < k + 16; cpu++)
				CPU_SET(cpu, &in_cache);
			CPU_AND(&in_cache, &in_cache, &place[i].cpus);
			caches += CPU_COUNT(&in_cache) > 0;
		}
		crossing += caches > 1;
	}
	print_message("%d CPUs moved in %d changes; %d of 64 programs have more than one cache\n", moved, changes, crossing);
	assert_true(changes > 50);
	assert_true(moved <= 20);
	assert_true(crossing <= 32);
}

static int of_type(const struct topology *t, const struct place *p, int type)
{
	int cpu, nr = 0;

	for (cpu = 0; cpu < CPU_SETSIZE; cpu++)
		nr += CPU_ISSET(cpu, &p->cpus) && t->type[cpu] == type;
	return nr;
}

/* Two fast CPUs and six slow ones. Of three programs, the second gains most by fast CPUs. */
static void hybrid_test(void **state)
{
	static struct topology t;
	struct place place[3] = {{.wanted = 2, .worth = {1, 0.8}, .is_known = true},
				 {.wanted = 3, .worth = {1, 0.4}, .is_known = true},
				 {.wanted = 2, .worth = {1, 0.7}, .is_known = true}};
	cpu_set_t machine, had[3];
	int i;

	(void)state;
	t.types = 2;
	CPU_ZERO(&machine);
	for (i = 0; i < 8; i++) {
		CPU_SET(i, &machine);
		t.type[i] = i >= 2;
	}
	place_all(&machine, &t, place, 3);
	for (i = 0; i < 3; i++) {
		assert_int_equal(CPU_COUNT(&place[i].cpus), (int)place[i].wanted);
		assert_int_equal(of_type(&t, &place[i], 0), i == 1 ? 2 : 0);
		had[i] = place[i].cpus;
	}
	/* All is as it should be: no program moves. */
	assert_false(place_faster(&machine, &t, place, 3));
	place_all(&machine, &t, place, 3);
	for (i = 0; i < 3; i++)
		assert_true(CPU_EQUAL(&had[i], &place[i].cpus));
	/*
	 * A program that gives back CPUs gives back slow ones. A program that comes then has what
	 * is left.
	 */
	place[1].wanted = 1;
	place_all(&machine, &t, place, 3);
	assert_int_equal(of_type(&t, &place[1], 0), 1);
	assert_int_equal(of_type(&t, &place[1], 1), 0);
	/*
	 * A fast CPU is free: the program that gains most by it gets it instead of a slow one,
	 * once.
	 */
	assert_true(place_faster(&machine, &t, place, 3));
	assert_int_equal(of_type(&t, &place[2], 0), 1);
	assert_int_equal(CPU_COUNT(&place[2].cpus), 2);
	assert_false(place_faster(&machine, &t, place, 3));
	/* Programs change: they exchange CPUs, but not for a small gain. */
	place[0].worth[1] = 0.61;
	assert_false(place_faster(&machine, &t, place, 3));
	place[0].worth[1] = 0.59;
	place[2].is_known = false;
	assert_false(place_faster(&machine, &t, place, 3));
	place[2].is_known = true;
	assert_true(place_faster(&machine, &t, place, 3));
	assert_int_equal(of_type(&t, &place[0], 0), 1);
	assert_int_equal(of_type(&t, &place[2], 0), 0);
	for (i = 0; i < 3; i++)
		assert_int_equal(CPU_COUNT(&place[i].cpus), (int)place[i].wanted);
	/*
	 * A CPU of a paused program does not count as another program's own, and is not in
	 * @machine.
	 */
	CPU_SET(2, &place[1].cpus);
	CPU_CLR(2, &machine);
	assert_false(place_faster(&machine, &t, place, 3));
	/* Programs of which nothing is known take fast CPUs that are free. */
	place[0].wanted = 1;
	place[0].is_known = place[1].is_known = place[2].is_known = false;
	place[0].worth[1] = place[1].worth[1] = place[2].worth[1] = 1;
	place_all(&machine, &t, place, 3);
	CPU_CLR(0, &place[0].cpus);
	CPU_CLR(1, &place[0].cpus);
	CPU_CLR(0, &place[1].cpus);
	CPU_CLR(1, &place[1].cpus);
	assert_true(place_faster(&machine, &t, place, 3));
	/* A CPU that two programs have is not given away. */
	place[2].cpus = place[0].cpus;
	assert_false(place_faster(&machine, &t, place, 3));
}

/*
 * A fast CPU, a middle one and a slow one. What counts is what a program gains from the CPU that it
 * has to the CPU that it would have. The first two programs lose the same on slow CPUs, but the
 * second one loses nothing on the middle one.
 */
static void three_types_test(void **state)
{
	static struct topology t;
	struct place place[3] = {{.wanted = 1, .worth = {1, 0.5, 0.4}, .is_known = true},
				 {.wanted = 1, .worth = {1, 1, 0.4}, .is_known = true},
				 {.wanted = 1, .worth = {1, 0.9, 0.8}, .is_known = true}};
	cpu_set_t machine;
	int i;

	(void)state;
	t.types = 3;
	CPU_ZERO(&machine);
	for (i = 0; i < 3; i++) {
		CPU_SET(i, &machine);
		t.type[i] = (unsigned char)i;
		/* The worst order: each exchange improves it. */
		CPU_ZERO(&place[i].cpus);
		CPU_SET(2 - i, &place[i].cpus);
	}
	for (i = 0; place_faster(&machine, &t, place, 3); i++)
		assert_true(i < 3);
	for (i = 0; i < 3; i++) {
		assert_int_equal(CPU_COUNT(&place[i].cpus), 1);
		assert_int_equal(of_type(&t, &place[i], i), 1);
	}
	/* The middle CPU is free: the program with the slow CPU takes it. */
	CPU_ZERO(&place[1].cpus);
	assert_true(place_faster(&machine, &t, place, 3));
	assert_int_equal(of_type(&t, &place[2], 1), 1);
	assert_false(place_faster(&machine, &t, place, 3));
}

/* The unit that a control group belongs to. */
static void unit_test_names(void **state)
{
	static const struct {
		const char *group;
		const char *unit;	/* NULL: there is none */
	} of[] = {
		{"/system.slice/one.service", "one.service"},
		{"/user.slice/user-1000.slice/session-2.scope", "session-2.scope"},
		{"/system.slice/system-getty.slice/getty@tty1.service", "getty@tty1.service"},
		{"/init.scope", "init.scope"},
		{"/user.slice/user-1000.slice/user@1000.service/app.slice/app-x.scope", ""},
		{"/machine.slice/libpod-1.scope/container", ""},
		{"/", NULL},
		{"/system.slice", NULL},
		{"/mine/one.service", NULL},
		{"/.slice/one.service", NULL},
	};
	char unit[32];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(of) / sizeof(*of); i++) {
		assert_int_equal(unit_of(of[i].group, unit, sizeof(unit)), of[i].unit ? 0 : -ENOENT);
		if (of[i].unit)
			assert_string_equal(unit, of[i].unit);
	}
	assert_int_equal(unit_of("/system.slice/longer-than-there-is-room-for.service", unit, sizeof(unit)), -ENAMETOOLONG);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(settings_test), cmocka_unit_test(place_test),
					   cmocka_unit_test(topology_test), cmocka_unit_test(large_test), cmocka_unit_test(hybrid_test),
					   cmocka_unit_test(three_types_test),
					   cmocka_unit_test(unit_test_names)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
