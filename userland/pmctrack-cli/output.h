/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where records go: they become rows and totals, which a writer prints. */
#ifndef PMCTRACK_CLI_OUTPUT_H
#define PMCTRACK_CLI_OUTPUT_H

#include <stdbool.h>

#include "out_file.h"
#include "totals.h"
#include "writer.h"

/* The output of one run. */
struct output {
	struct report report;
	const struct writer *writer;
	void *state;		/* the writer's; NULL: before output_begin(), after output_end() */
	struct totals totals;
	int error;		/* errno of the first failure to write a row, or to make one */
	bool bad_record;	/* that was a record of an unknown core type */
	struct out_file file;	/* of -o, unless the writer replaces it as a whole */
};

/* On the standard output. @sets and @metrics may be filled in later, before output_check(). */
void output_init(struct output *w, const struct options *o, const struct sets *sets,
		 const struct metrics *metrics);
/* Can these sets and metrics be written? 0, or an exit status with the reason printed. */
int output_check(const struct output *w);
/* Between these two, rows. */
void output_begin(struct output *w);
void output_end(struct output *w, const struct outcome *end);
void output_row(struct output *w, const struct pmctrack_record *rec);
/* After some rows: what was printed reaches its reader. */
void output_flush(struct output *w);
/* The message about a failure, if there was one. */
void output_complain(const struct output *w);
/* The descriptor that is open all the time, to be polled for errors; -1: none. */
int output_fd(const struct output *w);

#endif /* PMCTRACK_CLI_OUTPUT_H */
