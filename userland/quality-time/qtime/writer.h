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
 * @has_throttled: the kernel reports @throttled_us
 * @throttled_gone: the group was removed, and what it counted last is not known
 * @has_stolen: the kernel reports @stolen_ms
 * @throttled_us: of the control group, by cpu.max, since the beginning
 * @stolen_ms: of all CPUs, by the hypervisor, since the beginning
 */
struct elsewhere {
	bool has_throttled;
	bool throttled_gone;
	bool has_stolen;
	uint64_t throttled_us;
	uint64_t stolen_ms;
};

/**
 * struct state - the state of a run
 * @elapsed_s: time since the beginning of the run
 * @all: sum of all processes since the beginning
 * @interval: sum of all processes in the last interval
 * @processes: number of processes now; at the end: of all that there were
 * @sample_age_ms: age of the oldest of the processes' last samples alone
 * @oldest_ms: the greatest age during the run
 * @elsewhere: time that is lost elsewhere
 * @programs: at the end only: sums by the names of programs
 * @whole: at the end only: nothing is missing in the sums
 * @has_sampling: it is known how samples are taken, and that did not change until the end
 * @hold_us: how long others stand still for a sample
 * @budget: the part of their time for which they stand still at most, in thousandths
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
 * @begin: print the beginning of the output
 * @interval: called when an interval has ended
 * @end: called when the run has ended
 * @title: what is watched, in one line
 */
struct writer {
	void (*begin)(FILE *out);
	void (*interval)(FILE *out, const struct state *s);
	void (*end)(FILE *out, const struct state *s, const char *title);
};

extern const struct writer writer_text, writer_json, writer_csv;

/* Print the line that changes while the program runs, without a line feed. */
void writer_live(FILE *out, const struct state *s);

#endif /* QTIME_WRITER_H */
