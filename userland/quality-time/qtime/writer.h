/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What qtime prints, in one of three formats. */
#ifndef QTIME_WRITER_H
#define QTIME_WRITER_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "qtime/programs.h"
#include "watch/sum.h"

/**
 * struct elsewhere - time that is lost elsewhere than in caches and memory
 * @throttled_us: of the control group: by cpu.max
 * @throttled_gone: the group was removed, and what it counted last is not known
 * @stolen_ms: of all CPUs: by the hypervisor
 *
 * Both since the beginning; false: the kernel does not say.
 */
struct elsewhere {
	bool has_throttled;
	bool throttled_gone;
	bool has_stolen;
	uint64_t throttled_us;
	uint64_t stolen_ms;
};

/**
 * struct state - where a run is
 * @elapsed_s: since its beginning
 * @all: of all processes, since then
 * @interval: the same of the last interval
 * @processes: that are there; at the end: that were
 * @sample_age_ms: age of the oldest of the last samples alone that they were judged by
 * @oldest_ms: the greatest age during the run
 * @elsewhere: see there
 * @programs: at the end only: all by the names of programs
 * @whole: at the end only: nothing is missing in the sums
 * @has_sampling: it is known how samples are taken, and that did not change until the end
 * @hold_us: others stand still for so long for one
 * @budget: and for so much of their time at most, in thousandths
 */
struct state {
	double elapsed_s;
	struct sum all;
	struct sum interval;
	unsigned int processes;
	uint64_t sample_age_ms;
	uint64_t oldest_ms;
	struct elsewhere elsewhere;
	const struct programs *programs;
	bool whole;
	bool has_sampling;
	unsigned int hold_us;
	unsigned int budget;
};

/**
 * struct writer - a format
 * @begin: of the output
 * @interval: an interval has ended
 * @end: the run has ended
 * @title: what is watched, in one line
 */
struct writer {
	void (*begin)(FILE *out);
	void (*interval)(FILE *out, const struct state *s);
	void (*end)(FILE *out, const struct state *s, const char *title);
};

extern const struct writer writer_text, writer_json, writer_csv;

/* The line that changes while the program runs, without its end. */
void writer_live(FILE *out, const struct state *s);

#endif /* QTIME_WRITER_H */
