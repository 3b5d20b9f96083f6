// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The file of -o. It is opened before anything else is done, so that a file that
 * cannot be written is refused, but emptied only when counting has begun: a run
 * that is refused leaves the file as it was.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "complain.h"
#include "exit_status.h"
#include "file.h"
#include "options.h"
#include "output.h"

static int open_file(struct output *w, const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);

	w->created = fd >= 0;
	if (fd < 0 && errno == EEXIST)
		fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
	if (fd < 0)
		return -errno;
	w->report.out = fdopen(fd, "w");
	return w->report.out ? 0 : -errno;
}

int file_open(struct output *w)
{
	const char *path = w->report.o->output;
	int err;

	if (!path)
		return 0;
	err = w->writer->check_file ? w->writer->check_file(path) : open_file(w, path);
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
	struct stat st;

	if (w->report.out == stdout)
		return;
	w->created = false;
	if (fstat(fileno(w->report.out), &st) || !S_ISREG(st.st_mode))
		return;
	if (ftruncate(fileno(w->report.out), 0))
		w->error = errno;
}

void file_close(struct output *w)
{
	if (w->report.out != stdout && fclose(w->report.out) && !w->error)
		w->error = errno;
	if (w->created)
		unlink(w->report.o->output);
}
