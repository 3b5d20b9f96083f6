/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An artificial run for tests of the output: what is counted, one record to fill in, and the text
 * that was written. Include this after cmocka.h.
 */
#ifndef RUN_FIXTURE_H
#define RUN_FIXTURE_H

#include <stdlib.h>
#include <string.h>

#include "metric.h"
#include "options.h"
#include "output.h"
#include "sets.h"
#include "writer.h"

static struct sets sets;
static struct metrics metrics;
static struct options options;
static struct pmctrack_record *rec;	/* has room for four values */
static char *text;			/* valid after end_output() */
static size_t len;

static const struct outcome outcome = { .elapsed_s = 1.5, .has_times = true, .user_s = 0.5 };

/* Free everything that a test used. */
static inline int forget_run(void **state)
{
	(void)state;
	sets_free(&sets);
	metrics_free(&metrics);
	free(text);
	text = NULL;
	free(rec);
	return 0;
}

/* Set up a run of threads that prints a table, and counts nothing yet. */
static inline int new_run(void **state)
{
	(void)state;
	sets = (struct sets){ .nr_core_types = 1 };
	metrics = (struct metrics){ .nr = 0 };
	options = (struct options){ .format = &writer_table };
	rec = calloc(1, sizeof(*rec) + 4 * sizeof(rec->counts[0]));
	rec->tid = 4711;
	rec->kind = PMCTRACK_RECORD_TICK;
	return 0;
}

#define test_of_run(test)	cmocka_unit_test_setup_teardown(test, new_run, forget_run)

/* Add a set by a raw string, because raw strings need no PMU. */
static inline void add_set(const char *raw)
{
	sets.set[sets.nr] = pmctrack_evset__parse_raw(NULL, raw);
	assert_non_null(sets.set[sets.nr++]);
}

static inline void add_virt(unsigned int i, const char *name, const char *unit, bool gauge)
{
	sets.virts |= 1u << i;
	sets.virt[i] = (struct virtual_counter){ strdup(name), strdup(unit), gauge };
}

/* Replace the metric by this one. */
static inline void use_metric(const char *formula)
{
	char why[100];

	metrics_free(&metrics);
	metrics.of = calloc(1, sizeof(*metrics.of));
	metrics.nr = 1;
	assert_int_equal(metric_parse(metrics.of, formula, why, sizeof(why)), 0);
}

/* Give the record the counts of these counters. */
static inline void set_counts(uint32_t counters, uint64_t first, uint64_t second, uint64_t third)
{
	rec->counters = counters;
	rec->nr_counts = (uint8_t)__builtin_popcount(counters);
	rec->counts[0] = first;
	rec->counts[1] = second;
	rec->counts[2] = third;
}

static inline void set_times(uint64_t run_ns, uint64_t hw_ns)
{
	rec->run_ns = run_ns;
	rec->hw_ns = hw_ns;
}

/* Begin an output with the present options. */
static inline void begin_output(struct output *w)
{
	output_init(w, &options, &sets, &metrics);
	w->report.out = open_memstream(&text, &len);
	output_begin(w);
}

/* End an output. Its text is in @text until the next output begins. */
static inline void end_output(struct output *w, const struct outcome *end)
{
	output_end(w, end);
	assert_int_equal(w->error, 0);
	fclose(w->report.out);
}

static inline void forget_text(void)
{
	free(text);
	text = NULL;
}

/* End an output, and compare its text. A table and CSV with rows write nothing at the end. */
static inline void expect_text(struct output *w, const char *expected)
{
	end_output(w, &outcome);
	assert_string_equal(text, expected);
	forget_text();
}

#endif /* RUN_FIXTURE_H */
