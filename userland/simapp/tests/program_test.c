// SPDX-License-Identifier: GPL-2.0-or-later
/* Tests of profiles that are read, and of profiles that are refused with a reason. */
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
#include "program.h"

#define PHASE "{\"instr\": 5000, \"ilp\": 2000, \"mlp\": 1500, \"front_end\": 7, \"branches\": 100, " \
	"\"cond_branches\": 80, \"branch_misses\": 3, \"l1d\": 400, \"l1d_misses\": 20, " \
	"\"itlb_misses\": 1, \"dtlb_misses\": 2, \"write_backs\": 300, \"energy\": 1000, " \
	"\"wander\": 100, \"code\": 0, \"blocks\": 9, \"l2\": [[0, 1000000], [64, 100000]], \"llc\": [[0, 500000]]}"
#define HEAD "{\"name\": \"x\", \"description\": \"a text\", \"threads\": 4, \"rounds\": 2, " \
	"\"serial\": 10, \"parallel\": 1000000, \"imbalance\": 10, \"spins\": true, "
#define WHOLE HEAD "\"phases\": [" PHASE ", " PHASE "]}"

static char said[512];

static void keep(const char *program, const char *text)
{
	(void)program;
	snprintf(said, sizeof(said), "%s", text);
}

/* Read @text as a profile. */
static int read_text(struct program *p, const char *text)
{
	char path[] = "/tmp/simapp-test.XXXXXX";
	int fd = mkstemp(path);
	int err;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
	said[0] = '\0';
	err = program_read(p, path);
	unlink(path);
	return err;
}

static void whole(void **state)
{
	struct program p;

	(void)state;
	assert_int_equal(read_text(&p, WHOLE), 0);
	assert_string_equal(p.profile.name, "x");
	assert_string_equal(p.description, "a text");
	assert_int_equal(p.threads, 4);
	assert_int_equal(p.rounds, 2);
	assert_int_equal(p.serial, 10);
	assert_true(p.spins);
	assert_int_equal(p.profile.nr_phases, 2);
	assert_int_equal(p.profile.phase[1].instr, 5000);
	assert_int_equal(p.profile.phase[1].wander, 100);
	assert_int_equal(p.profile.phase[1].l2.nr, 2);
	assert_int_equal(p.profile.phase[1].l2.kib[1], 64);
	assert_int_equal(p.profile.phase[1].l2.ppm[1], 100000);
	assert_int_equal(p.profile.phase[1].llc.ppm[0], 500000);
}

/* The last thread does as much more as the first one does less; the mean is that of the profile. */
static void imbalance(void **state)
{
	struct program p;

	(void)state;
	assert_int_equal(read_text(&p, WHOLE), 0);
	assert_int_equal(program_parallel(&p, 0), 900000);
	assert_int_equal(program_parallel(&p, 3), 1100000);
	assert_int_equal(program_parallel(&p, 1) + program_parallel(&p, 2), 2000000);
	p.threads = 1;
	assert_int_equal(program_parallel(&p, 0), 1000000);
}

/* @text with @from, which is in it, replaced by @to. */
static char *replaced(const char *text, const char *from, const char *to)
{
	const char *at = strstr(text, from);
	char *result = NULL;

	assert_non_null(at);
	assert_true(asprintf(&result, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from)) > 0);
	return result;
}

static void refused(void **state)
{
	static const struct {
		const char *from, *to, *says;
	} cases[] = {
		{ "\"rounds\": 2, ", "", "'rounds' is missing" },
		{ "\"rounds\": 2, ", "\"round\": 2, ", "'round' is unknown" },
		{ "\"rounds\": 2", "\"rounds\": 0", "'rounds' must be 1 at least" },
		{ "\"rounds\": 2", "\"rounds\": -1", "'rounds' is out of range" },
		{ "\"rounds\": 2", "\"rounds\": 2.5", "'rounds' must be a whole number" },
		{ "\"threads\": 4", "\"threads\": 65", "'threads' is out of range" },
		{ "\"threads\": 4", "\"threads\": 0", "'threads' must be 1 to 64" },
		{ "\"spins\": true", "\"spins\": 1", "'spins' must be true or false" },
		{ "\"name\": \"x\"", "\"name\": \"a name with more than 23 bytes\"", "'name' is too long" },
		{ "\"serial\": 10, \"parallel\": 1000000", "\"serial\": 0, \"parallel\": 0", "nothing to do" },
		{ "\"ilp\": 2000", "\"ilp\": \"2000\"", "phase 1: 'ilp' must be a whole number" },
		{ "\"ilp\": 2000", "\"ilp\": 5000000000", "phase 1: 'ilp' is out of range" },
		{ "[64, 100000]", "[64]", "phase 1: 'l2' must be a list of pairs" },
		{ "[64, 100000]", "[64, 1000001]", "phase 1: 'l2' has a point that is out of range" },
		{ "[64, 100000]", "[64.5, 100000]", "phase 1: 'l2' has a point that is not of whole numbers" },
		{ "[64, 100000]", "[64, null]", "phase 1: 'l2' has a point that is not of whole numbers" },
		{ "\"parallel\": 1000000", "\"parallel\": 4398046511105", "'parallel' is out of range" },
		{ "\"rounds\": 2, \"serial\": 10", "\"rounds\": 20000, \"serial\": 4398046511104", "'rounds' times the instructions of a round are too many" },
		{ "[[0, 500000]]", "[]", "phase 1: 'llc' must have 1 to 6 points" },
		{ "\"phases\": [", "\"phases\": [3, ", "'phases' must be a list of objects" },
		{ "{", "[", "no JSON: " },
	};
	struct program p;
	unsigned int i;
	char *text;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		text = replaced(WHOLE, cases[i].from, cases[i].to);
		assert_int_equal(read_text(&p, text), -EINVAL);
		if (!strstr(said, cases[i].says))
			fail_msg("said: %s; expected: %s", said, cases[i].says);
		free(text);
	}
	assert_int_equal(program_read(&p, "/nowhere/x.json"), -EINVAL);
	assert_non_null(strstr(said, "/nowhere/x.json"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whole),
		cmocka_unit_test(imbalance),
		cmocka_unit_test(refused),
	};

	complain_to(keep);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
