// SPDX-License-Identifier: GPL-2.0-or-later
/* Rows and totals are made here; the writer that the user chose prints them. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "complain.h"
#include "options.h"
#include "output.h"
#include "row.h"

static void note_error(struct output *w, int err)
{
	if (err && !w->error)
		w->error = -err;
}

void output_init(struct output *w, const struct options *o, const struct sets *sets,
		 const struct metrics *metrics)
{
	*w = (struct output){
		.report = {
			.out = stdout,
			.o = o,
			.sets = sets,
			.metrics = metrics,
			.totals = &w->totals,
			.rows = !o->aggregate && !o->summary,
		},
		.writer = o->summary && o->format->summary ? o->format->summary : o->format,
		.totals.sets = sets,
	};
}

int output_check(const struct output *w)
{
	return w->writer->check ? w->writer->check(&w->report) : 0;
}

void output_begin(struct output *w)
{
	w->state = calloc(1, w->writer->state_size + 1);
	if (!w->state) {
		note_error(w, -ENOMEM);
		return;
	}
	if (w->writer->begin)
		w->writer->begin(&w->report, w->state);
	output_flush(w);
}

void output_row(struct output *w, const struct pmctrack_record *rec)
{
	bool given = w->writer->row && (w->report.rows || w->writer->every_row);
	struct row row;

	if (row_make(&row, w->totals.nr + 1, rec, w->report.sets, given ? w->report.metrics : NULL)) {
		w->bad_record |= !w->error;
		note_error(w, -ENOENT);
		return;
	}
	totals_add(&w->totals, &row);
	if (given && w->state)
		note_error(w, w->writer->row(&w->report, w->state, &row));
}

void output_flush(struct output *w)
{
	if (fflush(w->report.out) || ferror(w->report.out))
		note_error(w, errno ? -errno : -EIO);
}

void output_end(struct output *w, const struct outcome *end)
{
	totals_end(&w->totals, &end->stats);
	if (!w->state)
		return;
	if (w->writer->totals && !w->report.rows)
		w->writer->totals(&w->report, end);
	if (w->writer->end)
		note_error(w, w->writer->end(&w->report, w->state, end));
	if (w->writer->release)
		w->writer->release(w->state);
	free(w->state);
	w->state = NULL;
}

void output_complain(const struct output *w)
{
	const char *file = w->report.o->output;

	if (w->bad_record)
		complain("the kernel sent a record of a core type that this session does not know; it is left out");
	else if (w->error)
		complain("cannot write %s: %s", file ? file : "the counts", strerror(w->error));
}

int output_fd(const struct output *w)
{
	return w->report.o->output && w->writer->check_file ? -1 : fileno(w->report.out);
}
