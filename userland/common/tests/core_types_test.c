// SPDX-License-Identifier: GPL-2.0-or-later
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
#include "core_types.h"

static char said[300];

static void note(const char *program, const char *text)
{
	(void)program;
	snprintf(said, sizeof(said), "%s", text);
}

static int read_text(struct core_types *m, const char *text, const char *fastest)
{
	char path[] = "/tmp/core_types_test.XXXXXX";
	int fd = mkstemp(path), err;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	close(fd);
	err = core_types_read(m, path, fastest);
	unlink(path);
	return err;
}

/* CPU 0 is always online; 1020 to 1023 are not on the machines where this runs. */
static void types_are_read(void **state)
{
	static const char two[] = "version: 1\n\ncoretype: 0\npmu: small\ncpus: 1020-1023\n\n"
				  "coretype: 1\npmu: big\ncpus: 0,1022\n";
	struct core_types m;

	(void)state;
	assert_int_equal(read_text(&m, two, NULL), 0);
	/* The small CPUs are offline. If "small" is the fastest type, it still is. */
	assert_int_equal(m.nr, 1);
	assert_string_equal(m.type[0].name, "big");
	assert_int_equal(CPU_COUNT(&m.type[0].cpus), 1);
	assert_int_equal(core_types_rank(&m, 0), 0);
	assert_int_equal(core_types_rank(&m, 1022), 0);
	assert_int_equal(m.fastest, 1);
	assert_int_equal(read_text(&m, two, "small"), 0);
	assert_int_equal(m.nr, 1);
	assert_int_equal(m.fastest, 0);
	assert_int_equal(core_types_other(&m, 0), 0);
}

/* Three types, all with CPU 0, so that they exist on every machine. */
static void the_fastest_comes_first(void **state)
{
	static const char three[] = "coretype: 0\npmu: a\ncpus: 0\ncoretype: 1\npmu: b\ncpus: 0\n"
				    "coretype: 2\npmu: c\ncpus: 0\n";
	struct core_types m;
	cpu_set_t one;

	(void)state;
	assert_int_equal(read_text(&m, three, "b"), 0);
	assert_int_equal(m.nr, 3);
	assert_string_equal(m.type[0].name, "b");
	/* The other types are in the order of the file: a is the first, c the second. */
	assert_string_equal(m.type[1].name, "a");
	assert_int_equal(core_types_other(&m, 1), 0);
	assert_int_equal(core_types_other(&m, 2), 1);
	/* Without CPUs of the fastest one, the others are the same. */
	one = m.type[1].cpus;
	CPU_ZERO(&m.type[0].cpus);
	core_types_keep(&m, &one);
	assert_int_equal(m.nr, 2);
	assert_int_equal(m.fastest, 1);
	assert_int_equal(core_types_other(&m, 0), 0);
	assert_int_equal(core_types_other(&m, 1), 1);
	assert_int_equal(read_text(&m, three, "a"), 0);
	assert_int_equal(core_types_other(&m, 1), 0);
	assert_int_equal(core_types_other(&m, 2), 1);
}

static void others_are_refused(void **state)
{
	static const struct {
		const char *info, *fastest, *says;
	} wrong[] = {
		{"version: 1\n", NULL, "names no core type"},
		{"coretype: 0\npmu: a\ncpus: 0-\n", NULL, "cannot read the CPUs of core type 0"},
		{"coretype: 0\npmu: a\ncpus: 0\n", "z", "no core type 'z' here"},
		{"coretype: 0\ncoretype: 1\ncoretype: 2\ncoretype: 3\ncoretype: 4\n", NULL, "more than 4 core types"},
	};
	struct core_types m;

	(void)state;
	complain_to(note);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		assert_int_equal(read_text(&m, wrong[i].info, wrong[i].fastest), -1);
		if (!strstr(said, wrong[i].says))
			fail_msg("'%s' does not say '%s'", said, wrong[i].says);
	}
	assert_int_equal(core_types_read(&m, "/does/not/exist", NULL), -1);
	assert_non_null(strstr(said, "modprobe pmctrack"));
}

/* Two kinds of cores, some of which run a little faster; six kinds are two too many. */
static void capacities_tell_types(void **state)
{
	unsigned int capacity[CORE_TYPES_CPUS] = {400, 1024, 980, 410, 1000, 400};
	struct core_types m;
	cpu_set_t six;
	int cpu;

	(void)state;
	CPU_ZERO(&six);
	for (cpu = 0; cpu < 6; cpu++)
		CPU_SET(cpu, &six);
	core_types_group(&m, &six, capacity);
	assert_int_equal(m.nr, 2);
	for (cpu = 0; cpu < 6; cpu++)
		assert_int_equal(core_types_rank(&m, (unsigned int)cpu), capacity[cpu] < 500);
	assert_int_equal(core_types_other(&m, 1), 0);
	for (cpu = 0; cpu < 6; cpu++)
		capacity[cpu] = 100U * (unsigned int)(cpu + 1) * (unsigned int)(cpu + 1);
	core_types_group(&m, &six, capacity);
	assert_int_equal(m.nr, CORE_TYPES_MOST);
	/* The slowest three CPUs are of the last type. */
	for (cpu = 0; cpu < 6; cpu++)
		assert_int_equal(core_types_rank(&m, (unsigned int)cpu), cpu < 2 ? 3 : 5 - cpu);
	/* If the kernel says nothing, all CPUs are of one type. */
	memset(capacity, 0, sizeof(capacity));
	core_types_group(&m, &six, capacity);
	assert_int_equal(m.nr, 1);
	assert_int_equal(CPU_COUNT(&m.type[0].cpus), 6);
	core_types_guess(&m, &six);
	assert_true(m.nr >= 1);
	CPU_CLR(0, &six);
	core_types_keep(&m, &six);
	for (cpu = 0; cpu < (int)m.nr; cpu++)
		assert_false(CPU_ISSET(0, &m.type[cpu].cpus));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(types_are_read), cmocka_unit_test(the_fastest_comes_first),
		cmocka_unit_test(others_are_refused), cmocka_unit_test(capacities_tell_types),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
