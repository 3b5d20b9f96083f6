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
#include "options.h"
#include "output.h"

static int open_file(struct output *w)
{
	int fd = open(w->o->output, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);

	w->created = fd >= 0;
	if (fd < 0 && errno == EEXIST)
		fd = open(w->o->output, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
	if (fd < 0)
		return -errno;
	w->out = fdopen(fd, "w");
	return w->out ? 0 : -errno;
}

/* 0, or an exit status, the reason printed. */
int file_open(struct output *w)
{
	int err;

	w->out = stdout;
	if (!w->o->output)
		return 0;
	/* OpenMetrics has a new file each period. */
	err = w->o->format == FORMAT_OPENMETRICS ? openmetrics_check(w) : open_file(w);
	if (!err)
		return 0;
	complain("-o %s: %s", w->o->output, strerror(-err));
	return EXIT_SELF;
}

/* The run has begun: what was in the file before goes. */
void file_begin(struct output *w)
{
	struct stat st;

	if (w->out == stdout)
		return;
	w->created = false;
	if (fstat(fileno(w->out), &st) || !S_ISREG(st.st_mode))
		return;
	if (ftruncate(fileno(w->out), 0))
		w->error = errno;
}

/* Whether or not the run has begun. */
void file_close(struct output *w)
{
	if (w->out != stdout && fclose(w->out) && !w->error)
		w->error = errno;
	if (w->created)
		unlink(w->o->output);
}
