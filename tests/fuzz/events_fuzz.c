// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * userland/libpmctrack/src/events.c: the kernel reads each set that the library makes of a list of
 * mnemonics as the same set. If the kernel accepts a raw string, the library reads it as the same
 * set, too.
 *
 * The first byte of the input chooses the machine and the call.
 */
#include <errno.h>
#include <stdbool.h>
#include <unistd.h>
#include <strings.h>

/* "fail" is a function of the library. */
#include "internal.h"
#include "kernel_side.h"

#define MAX_LIST	5

/* Like a vendor table of libpfm4, but the same on every machine. */
static const struct pmctrack_event_info table[] = {
	{ .name = "EV_A", .code = 0x10, .desc = "" },
	{ .name = "EV_B", .code = 0x12, .desc = "" },
	{ .name = "CYCLES", .code = 0x11, .desc = "" },
	{ .name = "EV_BIG", .code = 0xffffffffffffffff, .desc = "" },
};

int vendor_table_each(const char *name, uint64_t limit,
	     int (*fn)(const struct pmctrack_event_info *info, void *arg), void *arg)
{
	int ret = 0;

	expect(!strcmp(name, "fuzz"), "table '%s'", name);
	for (size_t i = 0; !ret && i < sizeof(table) / sizeof(table[0]); i++) {
		if (!limit || table[i].code < limit)
			ret = fn(&table[i], arg);
	}
	return ret;
}

int vendor_table_find(const char *name, uint64_t limit, const char *event, uint64_t *code)
{
	(void)name;
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		if (strcasecmp(table[i].name, event) || (limit && table[i].code >= limit))
			continue;
		*code = table[i].code;
		return 0;
	}
	return -ENOENT;
}

int vendor_table_each_x86(const char *name,
		 int (*fn)(const struct pmctrack_event_info *info, void *arg), void *arg)
{
	return vendor_table_each(name, 0, fn, arg);
}

int vendor_table_find_x86(const char *name, const char *event, uint64_t *code)
{
	return vendor_table_find(name, 0, event, code);
}

const char *vendor_table_present(void)
{
	return NULL;
}

static const char events_text[] =
	"fixed pmc0 0x11\n"
	"fixed pmc9 0x10\n"
	"table fuzz 0\n"
	"alias two 0x01 EV_A\n"
	"alias none 0x01 0x02\n"
	"alias cycles CYCLES\n";

static struct pmctrack_ctl ctl;
static const char *const x86_keys[] = { "umask", "cmask", "edge", "inv", "any", NULL };

/* Up to three core types; the last can do everything, and is x86. */
static void make_machine(void)
{
	static uint8_t implemented[] = { 0x00, 0x01, 0x07, 0x00, 0x08, 0x00, 0x00, 0x00 };
	static char name[] = "fuzz_pmu", arm[] = "midr=0x0", x86[] = "x86=0,6,94";
	char path[] = "/tmp/pmctrack-fuzz.XXXXXX";
	int fd = mkstemp(path);
	struct event_file *file;

	expect(fd >= 0 && write(fd, events_text, sizeof(events_text) - 1) > 0, "%s", path);
	close(fd);
	file = event_file_read(path);
	remove(path);
	expect(file, "%s", pmctrack_error());
	ctl.pmus[0] = (struct pmu){ .counters = 0x1f, .fixed = 0x1 };
	ctl.pmus[1] = (struct pmu){ .counters = 0x203, .fixed = 0x201 };
	ctl.pmus[2] = (struct pmu){ .counters = UINT32_MAX };
	for (int i = 0; i < 3; i++) {
		ctl.pmus[i].name = name;
		ctl.pmus[i].model = i < 2 ? arm : x86;
		ctl.pmus[i].width = 64;
		ctl.pmus[i].events = implemented;
		ctl.pmus[i].nr_events = i < 2 ? 8 * sizeof(implemented) : 0;
		ctl.pmus[i].file = file;
	}
}

static void check_agrees(const struct pmctrack_evset *set, const struct pmct_evset_spec *spec)
{
	const char *raw = pmctrack_evset__raw(set);

	expect(pmctrack_evset__nr(set) == spec->nr, "%u or %u counters: '%s'",
	       pmctrack_evset__nr(set), spec->nr, raw);
	expect(pmctrack_evset__core_type(set) == spec->core_type, "core type %d or %d: '%s'",
	       pmctrack_evset__core_type(set), spec->core_type, raw);
	for (unsigned int i = 0; i < spec->nr; i++) {
		expect(pmctrack_evset__counter(set, i) == spec->event[i].counter, "'%s'", raw);
		expect(*pmctrack_evset__name(set, i), "an event without a name: '%s'", raw);
		expect(pmctrack_evset__find(set, pmctrack_evset__name(set, i)) == (int)i,
		       "two events called %s: '%s'", pmctrack_evset__name(set, i), raw);
	}
}

/* The kernel accepts the set, and so does the library if it gets it as a raw string. */
static void check_set(const struct pmctrack_evset *set)
{
	const char *raw = pmctrack_evset__raw(set);
	int core_type = pmctrack_evset__core_type(set);
	struct pmct_evset_spec spec;
	struct pmctrack_evset *again;

	expect(!kernel_parse(raw, x86_keys, &spec), "the kernel refuses '%s'", raw);
	check_agrees(set, &spec);
	for (unsigned int i = 0; core_type >= 0 && i < spec.nr; i++)
		expect(ctl.pmus[core_type].counters & 1u << spec.event[i].counter,
		       "PMU %d has no counter %u", core_type, spec.event[i].counter);
	again = pmctrack_evset__parse_raw(&ctl, raw);
	expect(again, "own set refused: '%s'", raw);
	check_agrees(again, &spec);
	pmctrack_evset__free(again);
}

static void check_refusal(int err)
{
	expect(err > 0, "refused without an errno: '%s'", pmctrack_error());
	expect(*pmctrack_error(), "refused without a reason: errno %d", err);
}

static void fuzz_list(const char *text, uint32_t flags)
{
	struct pmctrack_evset *sets[MAX_LIST];
	unsigned int of_type[PMCTRACK_MAX_CORE_TYPES + 1] = { 0 };
	int nr;

	errno = 0;
	nr = pmctrack_evset__parse_list(&ctl, text, flags, sets, MAX_LIST);
	expect(nr && nr <= MAX_LIST, "%d sets: '%s'", nr, text);
	if (nr < 0) {
		check_refusal(-nr);
		/* named_pmu() may refuse before the array is touched. */
		return;
	}
	for (int i = 0; i < nr; i++) {
		int core_type = pmctrack_evset__core_type(sets[i]);
		struct pmctrack_record rec = { .core_type = core_type < 0 ? 0 : core_type };

		check_set(sets[i]);
		rec.set = of_type[rec.core_type]++;
		expect(pmctrack_evset__of_record(sets, nr, &rec) == i, "set %d: '%s'", i, text);
		expect(!(flags & PMCTRACK_EVSET_STRICT) || !rec.set, "strict: '%s'", text);
	}
	for (int i = 0; i < nr; i++)
		pmctrack_evset__free(sets[i]);
}

static void fuzz_one(const char *text, unsigned int pmu)
{
	struct pmctrack_evset *set;

	errno = 0;
	set = pmctrack_evset__parse(&ctl, pmu, text);
	if (set)
		check_set(set);
	else
		check_refusal(errno);
	pmctrack_evset__free(set);
}

static void fuzz_raw(const char *text)
{
	struct pmct_evset_spec spec;
	struct pmctrack_evset *set;

	errno = 0;
	set = pmctrack_evset__parse_raw(&ctl, text);
	if (!set)
		check_refusal(errno);
	if (!kernel_parse(text, NULL, &spec)) {
		expect(set, "only the kernel takes '%s'", text);
		check_agrees(set, &spec);
	}
	pmctrack_evset__free(set);
}

static int count(const struct pmctrack_event_info *info, void *arg)
{
	expect(*info->name && info->desc, "an event without a name");
	++*(unsigned int *)arg;
	return 0;
}

static void fuzz_listing(unsigned int pmu)
{
	unsigned int nr = 0;
	int err = pmctrack_ctl__each_event(&ctl, pmu, count, &nr);

	if (pmu < ctl.nr_pmus)
		expect(!err && nr, "PMU %u: %d, %u events", pmu, err, nr);
	else
		check_refusal(-err);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	unsigned int mode;
	char *text;

	if (!ctl.pmus[0].file)
		make_machine();
	if (!size)
		return 0;
	mode = data[0];
	text = fuzz_text(data + 1, size - 1);
	ctl.nr_pmus = 1 + mode % 3;
	switch (mode >> 4) {
	case '0' >> 4:
		fuzz_list(text, mode & 8 ? PMCTRACK_EVSET_STRICT : 0);
		break;
	case '@' >> 4:
		fuzz_raw(text);
		break;
	case 'p' >> 4:
		fuzz_listing(mode & 15);
		break;
	default:
		fuzz_one(text, mode >> 2 & 3);
	}
	free(text);
	return 0;
}
