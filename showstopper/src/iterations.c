// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "iterations.h"

static int append(int fd, const char *line)
{
	ssize_t n = write(fd, line, strlen(line));

	if (n < 0)
		return -errno;
	return n == (ssize_t)strlen(line) ? 0 : -ENOSPC;
}

int iterations_open(const char *path)
{
	int fd = strcmp(path, "-") ? open(path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0666) :
				     fcntl(1, F_DUPFD_CLOEXEC, 0);
	int err = fd < 0 ? -errno : append(fd, "unit,program,begin_s,end_s,status\n");

	if (err && fd >= 0)
		close(fd);
	return err ?: fd;
}

int iterations_add(int fd, unsigned int unit, const char *program, int64_t began, int64_t ended,
		   int status)
{
	char line[300], name[2 * 64 + 1], *to = name;
	const char *from = strrchr(program, '/') ? strrchr(program, '/') + 1 : program;

	/* A quote in quotes is two. */
	for (; *from && to < name + sizeof(name) - 2; from++) {
		if (*from == '"')
			*to++ = '"';
		*to++ = *from;
	}
	*to = '\0';
	snprintf(line, sizeof(line), "%u,\"%s\",%.6f,%.6f,%d\n", unit, name, began / 1e9, ended / 1e9,
		 WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status));
	/* In one piece: others append, too. */
	return append(fd, line);
}
