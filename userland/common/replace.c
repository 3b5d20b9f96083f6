// SPDX-License-Identifier: GPL-2.0-or-later
/* A new file is written beside the old one, and renamed when it is complete. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "replace.h"

/*
 * Create a new file beside @path, which it is going to replace. Its name cannot be predicted,
 * because in a folder of another user, a link could wait there. The caller frees @name. Returns a
 * descriptor or a negative errno.
 */
static int open_temporary(const char *path, char **name)
{
	mode_t mask = umask(0);
	int fd;

	umask(mask);
	if (asprintf(name, "%s.XXXXXX", path) < 0) {
		*name = NULL;
		return -ENOMEM;
	}
	fd = mkostemp(*name, O_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (fchmod(fd, 0666 & ~mask) == 0)
		return fd;
	fd = -errno;
	unlink(*name);
	return fd;
}

int replace_check(const char *path)
{
	struct stat st;
	char *name;
	int fd;

	/* A device, a pipe or a link would be gone, not written to. */
	if (lstat(path, &st) == 0 && !S_ISREG(st.st_mode))
		return S_ISDIR(st.st_mode) ? -EISDIR : -ENOTSUP;
	fd = open_temporary(path, &name);
	if (fd >= 0) {
		close(fd);
		unlink(name);
	}
	free(name);
	return fd < 0 ? fd : 0;
}

/* Write the text of @print to @fd, and close @fd. */
static int write_all(int fd, void (*print)(FILE *out, void *arg), void *arg)
{
	FILE *out = fdopen(fd, "w");
	int err = out ? 0 : -errno;

	if (!out) {
		close(fd);
		return err;
	}
	print(out, arg);
	if (fflush(out) || ferror(out))
		err = errno ? -errno : -EIO;
	if (fclose(out) && !err)
		err = -errno;
	return err;
}

int replace_file(const char *path, void (*print)(FILE *out, void *arg), void *arg)
{
	char *name;
	int err = open_temporary(path, &name);

	if (err >= 0) {
		err = write_all(err, print, arg);
		if (!err && rename(name, path))
			err = -errno;
		if (err)
			unlink(name);
	}
	free(name);
	return err;
}
