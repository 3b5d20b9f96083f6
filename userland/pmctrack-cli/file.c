// SPDX-License-Identifier: GPL-2.0-or-later
/* The output file of -o, if the format does not replace the file as a whole. */
#include <errno.h>
#include <string.h>

#include "complain.h"
#include "exit_status.h"
#include "file.h"
#include "options.h"
#include "output.h"

int file_open(struct output *w)
{
	const char *path = w->report.o->output;
	int err;

	if (!path)
		return 0;
	err = w->writer->check_file ? w->writer->check_file(path) : out_file_open(&w->file, path);
	if (w->file.out)
		w->report.out = w->file.out;
	if (!err)
		return 0;
	if (err == -ENOTSUP)
		complain("-o %s: it would be replaced, and is not a file; name another", path);
	else
		complain("-o %s: %s", path, strerror(-err));
	return STATUS_FAILED;
}

void file_begin(struct output *w)
{
	int err = out_file_begin(&w->file);

	if (err)
		w->error = -err;
}

void file_close(struct output *w)
{
	int err = out_file_close(&w->file);

	if (err && !w->error)
		w->error = -err;
}
