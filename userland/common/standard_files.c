// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "complain.h"
#include "standard_files.h"

int standard_files_open(int flags)
{
	/* Each descriptor below @fd is open, so that open() returns @fd. */
	for (int fd = 0; fd <= STDERR_FILENO; fd++) {
		if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", O_RDWR | flags) < 0)
			return -errno;
	}
	return 0;
}

int standard_output_end(int status, int failure)
{
	int err = fflush(stdout) || ferror(stdout) ? errno : 0;

	if (!err)
		return status;
	complain("cannot write: %s", strerror(err));
	return failure;
}
