// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "out_file.h"

int out_file_open(struct out_file *f, const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);

	f->path = path;
	f->created = fd >= 0;
	if (fd < 0 && errno == EEXIST)
		fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
	if (fd < 0)
		return -errno;
	f->out = fdopen(fd, "w");
	return f->out ? 0 : -errno;
}

int out_file_begin(struct out_file *f)
{
	struct stat st;

	if (!f->out)
		return 0;
	f->created = false;
	if (fstat(fileno(f->out), &st) || !S_ISREG(st.st_mode))
		return 0;
	return ftruncate(fileno(f->out), 0) ? -errno : 0;
}

int out_file_close(struct out_file *f)
{
	int err = f->out && fclose(f->out) ? -errno : 0;

	if (f->created)
		unlink(f->path);
	f->created = false;
	f->out = NULL;
	return err;
}
