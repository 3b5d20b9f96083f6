/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The output of a run: records become rows and totals, which a writer prints. */
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
	void *state;		/* the writer's; NULL outside of output_begin() to output_end() */
	struct totals totals;
	int error;		/* errno of the first failure to make a row, or to write */
	bool bad_record;	/* @error is from a record of an unknown core type */
	struct out_file file;	/* of -o, unless the writer replaces the file as a whole */
};

/*
 * Initialize for the standard output. @sets and @metrics may be filled in later, before
 * output_check().
 */
void output_init(struct output *w, const struct options *o, const struct sets *sets,
		 const struct metrics *metrics);
/*
 * Check that the format can write these sets and metrics. Returns 0; or prints the reason and
 * returns an exit status.
 */
int output_check(const struct output *w);
/* output_row() may be called between these two. */
void output_begin(struct output *w);
void output_end(struct output *w, const struct outcome *end);
void output_row(struct output *w, const struct pmctrack_record *rec);
/* Flush the output after some rows, so that its reader gets them. */
void output_flush(struct output *w);
/* Print a message if there was an error. */
void output_complain(const struct output *w);
/* The descriptor to poll for errors; -1: none, because the file is replaced as a whole. */
int output_fd(const struct output *w);

#endif /* PMCTRACK_CLI_OUTPUT_H */
