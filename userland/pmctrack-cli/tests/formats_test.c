// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Test every output format, byte for byte. The same artificial records are written in each
 * format and mode, and compared with the texts in formats/.
 *
 * If a change is meant to change these texts: PMCTRACK_FORMATS=DIR makes this program write
 * them to DIR. Look at the difference before you copy them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "file.h"
#include "metric.h"
#include "options.h"
#include "output.h"
#include "sets.h"
#include "writer.h"

#define MAX_VALUES	8

/* What the command line selects, and the records and statistics that the kernel returns. */
struct machine {
	const char *name;
	unsigned int nr_core_types;
	const char *raw[4];
	struct {
		unsigned int index;
		const char *name;
		const char *unit;
		bool gauge;
	} virt[3];
	unsigned int nr_virts;
	const char *metrics[5];
	struct pmctrack_record records[16];	/* the first one with @time_ns 0 ends them */
	uint64_t values[16][MAX_VALUES];	/* for each record: counts, then virtual counters */
	struct pmctrack_session_stats stats;	/* at the end */
};

#define MERGED		PMCTRACK_RECORD_F_MERGED
#define SETUID		PMCTRACK_RECORD_F_SETUID
#define WIDENED		PMCTRACK_RECORD_F_WIDENED
#define DISTURBED	PMCTRACK_RECORD_F_DISTURBED

#define ROW(kind_, flags_, time, run, hw, cpu_, type, set_, mask, nr)		\
	{ .kind = PMCTRACK_RECORD_##kind_, .flags = (flags_), .time_ns = (time),	\
	  .run_ns = (run), .hw_ns = (hw), .tid = 4711 + (cpu_), .tgid = 4711,		\
	  .cpu = (cpu_), .core_type = (type), .set = (set_), .counters = (mask),	\
	  .nr_counts = (nr) }
#define VIRT(mask, nr)	.virt = (mask), .nr_virt = (nr)

static const struct machine hybrid = {
	.name = "hybrid",
	.nr_core_types = 2,
	.raw = {
		"pmc0=cycles,pmc2=b2,pmc3=0xc4,umask3=0x41,coretype=0",
		"pmc0=cycles,pmc1=left\"right,os1,coretype=0",
		"pmc0=cycles,pmc5=back\\slash,coretype=1",
	},
	.virt = {
		{ 0, "ipc", "", true }, { 3, "energy", "uJ", false }, { 7, "ipc-\"st,ate", "\"%", true },
	},
	.nr_virts = 3,
	.metrics = {
		"share=b2/cycles", "load=hw_ns/run_ns", "watts=energy/run_ns*1e3",
		"big=cycles*1e300*1e300",
	},
	.records = {
		ROW(TICK, 0, 1000000001, 250000000, 250000000, 0, 0, 0, 0xd, 3),
		ROW(TICK, MERGED, 1250000001, 500000000, 250000000, 1, 0, 1, 0x3, 2),
		ROW(EBS, WIDENED, 1300000001, 1000, 1000, 2, 1, 0, 0x21, 2),
		ROW(MIGRATION, 0, 1400000001, 100, 0, 3, 0, 0, 0xd, 3),
		/* A CPU whose counters cannot be used. */
		ROW(MIGRATION, 0, 1400000002, 77, 0, 3, PMCTRACK_MAX_CORE_TYPES, 0, 0, 0),
		ROW(SELF, DISTURBED, 1500000001, 900, 300, 0, 1, 0, 0x21, 2),
		ROW(EXIT, SETUID | WIDENED | DISTURBED | MERGED, 1600000001, 5, 5, 0, 0, 1, 0x3, 2),
		ROW(DETACH, 0, 1700000001, 0, 0, 1, 0, 0, 0xd, 3),
		ROW(REVOKED, 0, 1800000001, 123456789, 123456789, 0, 0, 0, 0xd, 3),
		/* A kind, and a set, that are not known, but that a later kernel may have. */
		{ .kind = 99, .time_ns = 1900000001, .run_ns = 1, .tid = 1, .tgid = 1, .cpu = 1,
		  .set = 7 },
	},
	.values = {
		{ 1000000, 250000, 3, 15, 7000000, 42 },
		{ UINT64_MAX, 1, 16, 9000000 },
		{ 8, 9, 43 },
		{ 0, 5, 6 },
		{ 0 },
		{ 10, 11, UINT64_MAX },
		{ 12, 13, 17, 18, 19 },
		{ 0, 0, 0 },
		{ 123456789, 987654, 321 },
		{ 0 },
	},
	.stats = { .lost = 3, .skipped_threads = 2, .threads = 1 },
};

/* The virtual counters of each record above: mask and number. */
static const struct { uint32_t mask; uint8_t nr; } hybrid_virts[16] = {
	{ 0x89, 3 }, { 0x9, 2 }, { 0x80, 1 }, { 0, 0 }, { 0, 0 }, { 0x8, 1 }, { 0x89, 3 },
};

/* One set. It has the counters all the time, except for the last moment of "almost". */
static const struct machine plain = {
	.name = "plain",
	.nr_core_types = 1,
	.raw = { "pmc0=instr,pmc1=cycles" },
	.metrics = { "ipc=instr/cycles" },
	.records = {
		ROW(TICK, 0, 1000000001, 250000000, 250000000, 0, 0, 0, 0x3, 2),
		ROW(EXIT, 0, 1250000001, 100000000, 100000000, 3, 0, 0, 0x3, 2),
	},
	.values = { { 1234567, 7654321 }, { 89, 1000 } },
};

static const struct machine almost = {
	.name = "almost",
	.nr_core_types = 1,
	.raw = { "pmc0=instr,pmc1=cycles", "pmc2=never" },
	.metrics = { "ipc=instr/cycles", "none=never*1" },
	.stats = { .left_out_threads = 4, .revoked = 1 },
	.records = {
		ROW(TICK, 0, 1000000001, 250000000, 250000000, 0, 0, 0, 0x3, 2),
		ROW(EXIT, 0, 1250000001, 100000000, 99999999, 3, 0, 0, 0x3, 2),
	},
	.values = { { 1234567, 7654321 }, { 89, 1000 } },
};

static const struct machine *const machines[] = { &hybrid, &plain, &almost };

/* Options: what is monitored, and how it is printed. */
static char *command[] = { (char *)"./app", (char *)"an \"arg\"", NULL };
static const struct {
	const char *name;
	struct options o;
} modes[] = {
	{ "program", { .argv = command } },
	{ "processes -L", { .processes = { 12, 345 }, .nr_processes = 2, .no_mappings = true } },
	{ "system", { .system = true } },
	{ "program -A", { .argv = command, .aggregate = true } },
	{ "system -A -L", { .system = true, .aggregate = true, .no_mappings = true } },
	{ "program --summary", { .argv = command, .summary = true } },
	{ "processes --summary", { .processes = { 12, 345 }, .nr_processes = 2, .summary = true } },
	{ "system --summary", { .system = true, .summary = true } },
	{ "program in cgroup --summary",
	  { .argv = command, .system = true, .cgroup = "/sys/fs/cgroup/a", .summary = true } },
	{ "cgroup", { .system = true, .cgroup = "/sys/fs/cgroup/a" } },
};

static const struct {
	const char *name;
	const struct writer *writer;
} formats[] = {
#define FORMAT(name_, help_) { #name_, &writer_##name_ },
	{ "table", &writer_table }, WRITERS(FORMAT)
#undef FORMAT
};

static struct sets sets;
static struct metrics metrics;

static void use_machine(const struct machine *m)
{
	char why[100];

	memset(&sets, 0, sizeof(sets));
	sets.nr_core_types = m->nr_core_types;
	while (sets.nr < 4 && m->raw[sets.nr]) {
		sets.set[sets.nr] = pmctrack_evset__parse_raw(NULL, m->raw[sets.nr]);
		assert_non_null(sets.set[sets.nr++]);
	}
	for (unsigned int i = 0; i < m->nr_virts; i++) {
		unsigned int at = m->virt[i].index;

		sets.virts |= 1u << at;
		sets.virt[at].name = strdup(m->virt[i].name);
		sets.virt[at].unit = strdup(m->virt[i].unit);
		sets.virt[at].gauge = m->virt[i].gauge;
	}
	metrics.of = calloc(5, sizeof(*metrics.of));
	for (metrics.nr = 0; m->metrics[metrics.nr]; metrics.nr++)
		assert_int_equal(metric_parse(&metrics.of[metrics.nr], m->metrics[metrics.nr], why,
					      sizeof(why)), 0);
}

static void forget_machine(void)
{
	sets_free(&sets);
	metrics_free(&metrics);
}

/* Record @i as it is in the ring. The caller frees it. */
static struct pmctrack_record *record(const struct machine *m, unsigned int i)
{
	struct pmctrack_record *rec = calloc(1, sizeof(*rec) + sizeof(m->values[i]));

	*rec = m->records[i];
	if (m == &hybrid) {
		rec->virt = hybrid_virts[i].mask;
		rec->nr_virt = hybrid_virts[i].nr;
	}
	memcpy((void *)rec->counts, m->values[i], sizeof(m->values[i]));
	return rec;
}

static void write_records(struct output *w, const struct machine *m)
{
	for (unsigned int i = 0; m->records[i].time_ns; i++) {
		struct pmctrack_record *rec = record(m, i);

		output_row(w, rec);
		free(rec);
	}
}

static const struct outcome *outcome_of(const struct machine *m, const struct options *o)
{
	static struct outcome outcome;

	outcome = (struct outcome){
		.elapsed_s = 1.25, .has_times = o->argv != NULL, .user_s = 0.75, .system_s = 0.125,
		.stats = m->stats,
	};
	return &outcome;
}

/* Append everything that a run with these options writes to @text. */
static void write_run(FILE *text, const struct machine *m, const struct options *o)
{
	struct output w;

	output_init(&w, o, &sets, &metrics);
	w.report.out = text;
	w.report.period_ns = 250000000;
	output_begin(&w);
	write_records(&w, m);
	output_flush(&w);
	output_end(&w, outcome_of(m, o));
	assert_int_equal(w.error, 0);
}

/* Read the expected text, which follows a line with the licence. The caller frees the text. */
static char *read_expected(const char *name)
{
	char *path, *line = NULL, *text = NULL;
	size_t size = 0, len;
	FILE *in, *out;

	assert_true(asprintf(&path, "%s/%s", FORMATS_DIR, name) > 0);
	in = fopen(path, "re");
	if (!in)
		fail_msg("%s is not there", path);
	out = open_memstream(&text, &len);
	assert_true(getline(&line, &size, in) > 0);
	while (getline(&line, &size, in) > 0)
		fputs(line, out);
	fclose(in);
	fclose(out);
	free(line);
	free(path);
	return text;
}

static void write_actual(const char *dir, const char *name, const char *text)
{
	char *path;
	FILE *out;

	assert_true(asprintf(&path, "%s/%s", dir, name) > 0);
	out = fopen(path, "we");
	assert_non_null(out);
	fprintf(out, "# SPDX-License-Identifier: GPL-2.0-or-later\n%s", text);
	assert_int_equal(fclose(out), 0);
	free(path);
}

static void expect_same(const char *name, const char *text)
{
	const char *dir = getenv("PMCTRACK_FORMATS");
	char *expected;
	size_t at = 0;

	if (dir) {
		write_actual(dir, name, text);
		return;
	}
	expected = read_expected(name);
	while (text[at] && text[at] == expected[at])
		at++;
	if (text[at] != expected[at])
		fail_msg("formats/%s, at byte %zu:\n%.200s\ninstead of:\n%.200s", name, at, text + at,
			 expected + at);
	free(expected);
}

static void formats_test(void **state)
{
	(void)state;
	for (size_t i = 0; i < 3 * sizeof(formats) / sizeof(formats[0]); i++) {
		const struct machine *m = machines[i / (sizeof(formats) / sizeof(formats[0]))];
		size_t format = i % (sizeof(formats) / sizeof(formats[0]));
		char *text = NULL, name[64];
		size_t len;
		FILE *out = open_memstream(&text, &len);

		use_machine(m);
		for (size_t j = 0; j < sizeof(modes) / sizeof(modes[0]); j++) {
			struct options o = modes[j].o;

			o.format = formats[format].writer;
			if (o.format->system_only && !o.system)
				continue;
			fprintf(out, "=== %s ===\n", modes[j].name);
			write_run(out, m, &o);
		}
		forget_machine();
		fclose(out);
		snprintf(name, sizeof(name), "%s-%s.txt", m->name, formats[format].name);
		expect_same(name, text);
		free(text);
	}
}

static char *read_all(const char *path)
{
	char *text = calloc(1, 1 << 16);
	FILE *in = fopen(path, "re");

	assert_non_null(in);
	assert_true(fread(text, 1, (1 << 16) - 1, in) > 0);
	fclose(in);
	return text;
}

/* The file of -o is replaced after each complete period, and at the end. */
static void openmetrics_file_test(void **state)
{
	char path[] = "/tmp/formats_test.XXXXXX";
	struct options o = { .format = &writer_openmetrics, .system = true, .output = path };
	struct output w;
	char *text;

	(void)state;
	close(mkstemp(path));
	output_init(&w, &o, &sets, &metrics);
	assert_int_equal(file_open(&w), 0);
	use_machine(&plain);
	file_begin(&w);
	output_begin(&w);
	assert_int_equal(access(path, F_OK), 0);
	unlink(path);
	output_flush(&w);
	assert_int_equal(access(path, F_OK), -1);
	write_records(&w, &plain);
	output_flush(&w);
	assert_int_equal(access(path, F_OK), -1);
	output_end(&w, outcome_of(&plain, &o));
	text = read_all(path);
	expect_same("plain-openmetrics-file.txt", text);
	free(text);
	file_close(&w);
	assert_int_equal(w.error, 0);
	forget_machine();
	unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(formats_test),
		cmocka_unit_test(openmetrics_file_test),
	};

	return cmocka_run_group_tests_name("formats", tests, NULL, NULL);
}
