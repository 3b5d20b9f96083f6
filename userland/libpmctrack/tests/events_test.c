// SPDX-License-Identifier: GPL-2.0-or-later
/* Tests of the translation of mnemonics to raw strings, for a PMU that is defined here. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"
/* Included after internal.h, because cmocka.h has a macro fail(). */
#include <cmocka.h>
#include "read_text.h"

/* The PMU has events 0x08, 0x10, 0x11 and 0x23, a cycle counter, and four more counters. */
static uint8_t implemented[] = { 0x00, 0x01, 0x03, 0x00, 0x08, 0x00, 0x00, 0x00 };

static const char file_text[] =
	"# comment\n"
	"\n"
	"fixed pmc0 0x11	# cycles\n"
	"alias two 0x01 0x10\n"
	"alias none 0x01 0x02\n";

static struct pmctrack_ctl ctl = {
	.nr_pmus = 1,
	.pmus = { {
		.name = (char *)"test_pmu", .model = (char *)"midr=0x0", .counters = 0x1f, .fixed = 0x1, .width = 64,
		.events = implemented, .nr_events = 64,
	} },
};

static int setup(void **state)
{
	(void)state;
	ctl.pmus[0].file = read_text(file_text);
	return ctl.pmus[0].file ? 0 : -1;
}

static int teardown(void **state)
{
	(void)state;
	event_file_free(ctl.pmus[0].file);
	return 0;
}

static void expect_raw(const char *events, const char *raw)
{
	struct pmctrack_evset *set = pmctrack_evset__parse(&ctl, 0, events);

	if (!set)
		fail_msg("%s: %s", events, pmctrack_error());
	assert_string_equal(pmctrack_evset__raw(set), raw);
	pmctrack_evset__free(set);
}

static void expect_error(const char *events, int err, const char *message)
{
	struct pmctrack_evset *set = pmctrack_evset__parse(&ctl, 0, events);

	assert_null(set);
	assert_int_equal(errno, err);
	if (!strstr(pmctrack_error(), message))
		fail_msg("'%s' does not say '%s'", pmctrack_error(), message);
}

static void raw_test(void **state)
{
	(void)state;
	expect_raw("0x8", "pmc1=0x8");
	expect_raw("0x8,0x11", "pmc1=0x8,pmc0");
	expect_raw("0x11,0x11", "pmc0,pmc1=0x11");
	expect_raw("0x8:u,0x8:k,0x8:uk,0x8:u:k",
		   "pmc1=0x8,pmc2=0x8,usr2=0,os2=1,pmc3=0x8,os3=1,pmc4=0x8,usr4=0,os4=1");
	expect_raw("0x11:ebs=5000,0x8:k:ebs=7", "pmc0,ebs0=5000,pmc1=0x8,usr1=0,os1=1,ebs1=7");
	/* The flag "ebs" without a number means the number of PMCTrack 4.0. */
	assert_int_equal(PMCTRACK_EBS_DEFAULT, 500000000);
	expect_raw("0x11:ebs,0x8", "pmc0,ebs0=500000000,pmc1=0x8");
	expect_raw("0x8:ebs:k", "pmc1=0x8,usr1=0,os1=1,ebs1=500000000");
	/* A code beyond the bitmap is accepted here, because only the kernel can check it. */
	expect_raw("0x1234", "pmc1=0x1234");
}

static void names_test(void **state)
{
	struct pmctrack_evset *set = pmctrack_evset__parse(&ctl, 0, "0x8,0x11:k,two");

	(void)state;
	assert_non_null(set);
	assert_int_equal(pmctrack_evset__nr(set), 3);
	/* Names are in the order of the counters, as the counts in records. */
	assert_int_equal(pmctrack_evset__counter(set, 0), 0);
	assert_string_equal(pmctrack_evset__name(set, 0), "0x11:k");
	assert_int_equal(pmctrack_evset__counter(set, 1), 1);
	assert_string_equal(pmctrack_evset__name(set, 1), "0x8");
	assert_int_equal(pmctrack_evset__counter(set, 2), 2);
	assert_string_equal(pmctrack_evset__name(set, 2), "two");
	pmctrack_evset__free(set);
}

static void expect_names(struct pmctrack_evset *set, const char *const *names, unsigned int nr)
{
	assert_non_null(set);
	assert_int_equal(pmctrack_evset__nr(set), nr);
	for (unsigned int i = 0; i < nr; i++)
		assert_string_equal(pmctrack_evset__name(set, i), names[i]);
	pmctrack_evset__free(set);
}

#define EXPECT_NAMES(set, ...)							\
	expect_names(set, (const char *const[]){ __VA_ARGS__ },			\
		     sizeof((const char *const[]){ __VA_ARGS__ }) / sizeof(char *))

/* Events of one set have different names. Different events of different sets do, too. */
static void unique_names_test(void **state)
{
	char same[PMCTRACK_MAX_RAW] = "pmc1=0x8,umask1=0x", *at = same;

	(void)state;
	EXPECT_NAMES(pmctrack_evset__parse(&ctl, 0, "0x8,0x8:k,0x8,two"), "0x8@pmc1", "0x8:k", "0x8@pmc3", "two");
	EXPECT_NAMES(pmctrack_evset__parse_raw(&ctl, "pmc3=0xc4,umask3=0x41,pmc4=0xc4,umask4=0x4f,os4"),
		     "0xc4:umask=0x41", "0xc4:umask=0x4f:uk");
	EXPECT_NAMES(pmctrack_evset__parse_raw(&ctl, "os1=1,usr1=0,edge1,pmc1=0x8,ebs1=5000,pmc2=0x8,usr2,pmc3=0x8,os3=0"),
		     "0x8:edge:k", "0x8@pmc2", "0x8@pmc3");
	/* Names that differ only in upper and lower case mean the same event. */
	EXPECT_NAMES(pmctrack_evset__parse_raw(&ctl, "pmc1=0xc4,pmc2=0xC4"), "0xc4@pmc1", "0xC4@pmc2");
	/* Names that are cut off are still different. */
	at += strlen(at);
	memset(at, '0', 200);
	strcpy(at + 200, "1,pmc2=0x8,umask2=0x");
	at += strlen(at);
	memset(at, '0', 200);
	strcpy(at + 200, "2");
	struct pmctrack_evset *set = pmctrack_evset__parse_raw(&ctl, same);

	assert_non_null(set);
	assert_string_not_equal(pmctrack_evset__name(set, 0), pmctrack_evset__name(set, 1));
	pmctrack_evset__free(set);
}

/* A count is found by the name of its event, as the user wrote it. */
static void find_test(void **state)
{
	struct pmctrack_evset *set = pmctrack_evset__parse(&ctl, 0, "0x8,0x11:k,two,0x8");
	struct pmctrack_record *rec = calloc(1, sizeof(*rec) + 4 * sizeof(rec->counts[0]));
	uint64_t value = 0;

	(void)state;
	assert_non_null(set);
	/* The order is that of the counters: 0x11:k, 0x8@pmc1, two, 0x8@pmc3. */
	assert_int_equal(pmctrack_evset__find(set, "0x11:k"), 0);
	assert_int_equal(pmctrack_evset__find(set, "0x8"), 1);
	assert_int_equal(pmctrack_evset__find(set, "0X8:u"), 1);
	assert_int_equal(pmctrack_evset__find(set, "0x8@pmc3"), 3);
	assert_int_equal(pmctrack_evset__find(set, "TWO"), 2);
	assert_int_equal(pmctrack_evset__find(set, "0x11"), -ENOENT);
	assert_non_null(strstr(pmctrack_error(), "0x11:k,0x8@pmc1,two,0x8@pmc3"));
	assert_int_equal(pmctrack_evset__find(set, "0x8@pmc2"), -ENOENT);
	assert_int_equal(pmctrack_evset__find(set, "0x8:k"), -ENOENT);
	assert_int_equal(pmctrack_evset__find(set, "0x"), -ENOENT);
	assert_int_equal(pmctrack_evset__find(set, ""), -ENOENT);
	assert_int_equal(pmctrack_evset__find(set, ":u"), -ENOENT);

	rec->nr_counts = 4;
	for (int i = 0; i < 4; i++)
		rec->counts[i] = 10 + (uint64_t)i;
	assert_int_equal(pmctrack_record__count(rec, set, "two", &value), 0);
	assert_int_equal(value, 12);
	assert_int_equal(pmctrack_record__count(rec, set, "three", &value), -ENOENT);
	/* A record of a core type that has no set. */
	rec->nr_counts = 0;
	assert_int_equal(pmctrack_record__count(rec, set, "two", &value), -ENODATA);
	assert_int_equal(value, 12);
	assert_int_equal(pmctrack_record__count(rec, NULL, "two", &value), -ENODATA);
	free(rec);
	pmctrack_evset__free(set);
}

static void alias_test(void **state)
{
	(void)state;
	expect_raw("two", "pmc1=0x10");
	expect_raw("TWO:k", "pmc1=0x10,usr1=0,os1=1");
	expect_error("none", EOPNOTSUPP, "event 'none': test_pmu has no event for it");
}

static void refusal_test(void **state)
{
	char longname[100];

	(void)state;
	memset(longname, 'x', sizeof(longname) - 1);
	longname[sizeof(longname) - 1] = '\0';
	expect_error("nope", EINVAL, "unknown event 'nope'");
	expect_error("", EINVAL, "empty event name");
	expect_error("0x8,", EINVAL, "empty event name");
	expect_error("0x8,,0x8", EINVAL, "empty event name");
	expect_error(":k", EINVAL, "empty event name");
	expect_error(longname, EINVAL, "name too long");
	expect_error("0x", EINVAL, "not a hexadecimal code");
	expect_error("0x8g", EINVAL, "not a hexadecimal code");
	expect_error("0x8:", EINVAL, "unknown flag ':'");
	expect_error("0x8:x", EINVAL, "unknown flag ':x'");
	expect_error("0x8:ebs=", EINVAL, "':ebs=' needs the number of events");
	expect_error("0x8:ebs=0", EINVAL, "needs the number");
	expect_error("0x8:ebs=-1", EINVAL, "needs the number");
	expect_error("0x8:ebs=1x", EINVAL, "needs the number");
	expect_error("0x8:ebs=99999999999999999999", EINVAL, "needs the number");
	expect_error("0x8:ebs=500000000x", EINVAL, "needs the number");
	expect_error("0x8:ebsx", EINVAL, "unknown flag ':ebsx'");
	expect_error("0x2", EOPNOTSUPP, "test_pmu does not have it");
	expect_error("0x8,0x8,0x8,0x8,0x8", ENOSPC, "4 general counters and 1 for fixed events");
	assert_null(pmctrack_evset__parse(&ctl, 1, "0x8"));
	assert_non_null(strstr(pmctrack_error(), "no PMU 1"));
}

static void expect_list(const char *events, uint32_t flags, const char *const *raws, int nr)
{
	struct pmctrack_evset *sets[4];
	int got = pmctrack_evset__parse_list(&ctl, events, flags, sets, 4);

	if (got != nr)
		fail_msg("%s: %d sets, %s", events, got, pmctrack_error());
	for (int i = 0; i < nr; i++) {
		assert_string_equal(pmctrack_evset__raw(sets[i]), raws[i]);
		pmctrack_evset__free(sets[i]);
	}
}

#define EXPECT_LIST(events, ...)						\
	expect_list(events, 0, (const char *const[]){ __VA_ARGS__ },		\
		    sizeof((const char *const[]){ __VA_ARGS__ }) / sizeof(char *))

/* Events that do not fit go into further sets. */
static void spill_test(void **state)
{
	(void)state;
	EXPECT_LIST("0x8,0x11", "pmc1=0x8,pmc0");
	EXPECT_LIST("0x8,0x8,0x8,0x8,0x10,0x11", "pmc1=0x8,pmc2=0x8,pmc3=0x8,pmc4=0x8", "pmc1=0x10,pmc0");
	EXPECT_LIST("0x8,coretype=0", "pmc1=0x8");
	expect_list("0x8,0x8,0x8,0x8,0x8", PMCTRACK_EVSET_STRICT, NULL, -ENOSPC);
	expect_list("0x8,0x8,0x8,0x8,0x8,0x8,0x8,0x8,0x8,0x8,0x8,0x8,0x8,0x8,0x8,0x8,0x8", 0, NULL, -ENOSPC);
	expect_list("0x8,coretype=1", 0, NULL, -EINVAL);
	assert_non_null(strstr(pmctrack_error(), "coretype=1: this machine has core types 0 to 0"));
	expect_list("coretype=,0x8", 0, NULL, -EINVAL);
	expect_list("0x8,nope", 0, NULL, -EINVAL);
	expect_list("coretype=0", 0, NULL, -EINVAL);
	expect_list("coretype=0,0x8,coretype=0", 0, NULL, -EINVAL);
}

/* Two core types: each has its own sets, and a record tells which set it is of. */
static void core_types_test(void **state)
{
	struct pmctrack_evset *sets[4];
	struct pmctrack_record rec = { .core_type = 1 };

	(void)state;
	ctl.nr_pmus = 2;
	ctl.pmus[1] = ctl.pmus[0];
	ctl.pmus[1].counters = 0x3;
	EXPECT_LIST("0x8,0x11", "pmc1=0x8,pmc0,coretype=0", "pmc1=0x8,pmc0,coretype=1");
	EXPECT_LIST("0x8,coretype=1", "pmc1=0x8,coretype=1");
	assert_int_equal(pmctrack_evset__parse_list(&ctl, "0x8,0x10", 0, sets, 4), 3);
	assert_string_equal(pmctrack_evset__raw(sets[2]), "pmc1=0x10,coretype=1");
	assert_int_equal(pmctrack_evset__of_record(sets, 3, &rec), 1);
	rec.set = 1;
	assert_int_equal(pmctrack_evset__of_record(sets, 3, &rec), 2);
	rec.core_type = 0;
	assert_int_equal(pmctrack_evset__of_record(sets, 3, &rec), -ENOENT);
	rec.set = 0;
	assert_int_equal(pmctrack_evset__of_record(sets, 3, &rec), 0);
	for (int i = 0; i < 3; i++)
		pmctrack_evset__free(sets[i]);
	expect_list("0x8,0x10", PMCTRACK_EVSET_STRICT, NULL, -ENOSPC);
	expect_error("0x8,coretype=1", EINVAL, "asked for PMU 0");
	expect_raw("0x8,coretype=0", "pmc1=0x8,coretype=0");
	ctl.nr_pmus = 1;
}

static void parse_raw_test(void **state)
{
	struct pmctrack_evset *set = pmctrack_evset__parse_raw(&ctl, "pmc3=0x8,os3=1,pmc0,usr0=0");
	char toolong[PMCTRACK_MAX_RAW + 1];

	(void)state;
	assert_non_null(set);
	assert_string_equal(pmctrack_evset__raw(set), "pmc3=0x8,os3=1,pmc0,usr0=0");
	assert_int_equal(pmctrack_evset__nr(set), 2);
	assert_string_equal(pmctrack_evset__name(set, 0), "pmc0");
	assert_int_equal(pmctrack_evset__counter(set, 1), 3);
	assert_string_equal(pmctrack_evset__name(set, 1), "0x8:uk");
	pmctrack_evset__free(set);

	/* A raw string of PMCTrack 4.0 may leave out the number of "ebs": it is added. */
	set = pmctrack_evset__parse_raw(&ctl, "pmc0,ebs0,pmc1=0x8,coretype=0");
	assert_non_null(set);
	assert_string_equal(pmctrack_evset__raw(set), "pmc0,ebs0=500000000,pmc1=0x8,coretype=0");
	pmctrack_evset__free(set);
	memset(toolong, ',', sizeof(toolong) - 1);
	memcpy(toolong, "pmc0,ebs0", 9);
	toolong[PMCTRACK_MAX_RAW - 2] = '\0';
	assert_null(pmctrack_evset__parse_raw(&ctl, toolong));
	assert_non_null(strstr(pmctrack_error(), "longer than 511 bytes"));

	assert_null(pmctrack_evset__parse_raw(&ctl, "os3=1"));
	assert_non_null(strstr(pmctrack_error(), "uses no counter"));
	assert_null(pmctrack_evset__parse_raw(&ctl, "pmc99=1,pmc=2,=,,"));
	memset(toolong, 'p', sizeof(toolong) - 1);
	toolong[sizeof(toolong) - 1] = '\0';
	assert_null(pmctrack_evset__parse_raw(&ctl, toolong));
	assert_non_null(strstr(pmctrack_error(), "longer than 511 bytes"));
}

/* On x86, a code is an event select register, and some events have only one counter. */
static void events_of_x86_test(void **state)
{
	const struct pmu arm = ctl.pmus[0];

	(void)state;
	setenv("PMCTRACK_EVENTS", EVENTS_SRC, 1);
	ctl.pmus[0] = (struct pmu) {
		.name = (char *)"intel", .model = (char *)"x86=0,6,94", .counters = 0x7f,
		.fixed = 0x7, .width = 48, .file = event_file_load("x86-intel"),
	};
	assert_non_null(ctl.pmus[0].file);
	expect_raw("instr,llc_misses", "pmc0,pmc3=0x2e,umask3=0x41");
	expect_raw("cycles,cycles:k,ref_cycles", "pmc1,pmc3=0x3c,usr3=0,os3=1,pmc2");
	expect_raw("0x1a441c1", "pmc3=0xc1,umask3=0x41,cmask3=1,edge3,any3,inv3");
	/* A code as perf shows it, with the bits that say when to count. */
	expect_error("0x5300c0", EINVAL, "bits 0x530000 are no part of an event code");
	expect_error("ref_cycles,ref_cycles", ENOSPC, "no counter left for 'ref_cycles'");
	event_file_free(ctl.pmus[0].file);
	ctl.pmus[0].fixed = 0;
	ctl.pmus[0].model = (char *)"x86=2,23,1";
	ctl.pmus[0].file = event_file_load("x86-amd");
	assert_non_null(ctl.pmus[0].file);
	expect_raw("instr,cycles", "pmc0=0xc0,pmc1=0x76");
	expect_raw("0x1000000c7", "pmc0=0x1c7");
	event_file_free(ctl.pmus[0].file);
	ctl.pmus[0] = arm;
}

/* The perf backend uses perf's event codes, which are in no table of the PMU. */
static void events_of_perf_test(void **state)
{
	const uint8_t hardware[2] = { 0x3 };
	const struct pmu arm = ctl.pmus[0];

	(void)state;
	setenv("PMCTRACK_EVENTS", EVENTS_SRC, 1);
	ctl.pmus[0] = (struct pmu) {
		.name = (char *)"perf", .model = (char *)"perf", .counters = 0xff, .width = 64,
		.events = (uint8_t *)hardware, .nr_events = 10, .file = event_file_load("perf"),
	};
	assert_non_null(ctl.pmus[0].file);
	expect_raw("instr,cycles:k,page_faults", "pmc0=0x1,pmc1=0x0,usr1=0,os1=1,pmc2=0x100000002");
	expect_raw("0x4000000c0", "pmc0=0x4000000c0");
	expect_error("llc_misses", EOPNOTSUPP, "perf has no event for it");
	expect_error("INST_RETIRED", EINVAL, "unknown event 'INST_RETIRED'");
	event_file_free(ctl.pmus[0].file);
	ctl.pmus[0] = arm;
}

static void many_counters_test(void **state)
{
	uint32_t counters = ctl.pmus[0].counters;
	char events[400] = "";

	(void)state;
	ctl.pmus[0].counters = UINT32_MAX;
	for (int i = 0; i < 31; i++)
		strcat(events, i ? ",0x8:k" : "0x8:k");
	expect_error(events, E2BIG, "event set too long");
	ctl.pmus[0].counters = counters;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(raw_test),
		cmocka_unit_test(names_test),
		cmocka_unit_test(unique_names_test),
		cmocka_unit_test(find_test),
		cmocka_unit_test(alias_test),
		cmocka_unit_test(refusal_test),
		cmocka_unit_test(spill_test),
		cmocka_unit_test(core_types_test),
		cmocka_unit_test(parse_raw_test),
		cmocka_unit_test(events_of_x86_test),
		cmocka_unit_test(events_of_perf_test),
		cmocka_unit_test(many_counters_test),
	};

	return cmocka_run_group_tests_name("events", tests, setup, teardown);
}
