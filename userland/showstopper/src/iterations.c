// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "iterations.h"
#include "out.h"
#include "trace.h"

/* How long a line waits for its reader before it is lost: executors have programs to control. */
#define PATIENCE	(50 * NS_PER_MS)

static int append(int fd, const char *line)
{
	ssize_t n = out_write(fd, line, strlen(line), PATIENCE);

	if (n < 0)
		return n;
	return n == (ssize_t)strlen(line) ? 0 : n ? -ENOSPC : -ETIMEDOUT;
}

int iterations_open(const char *path)
{
	int fd = out_open(path);
	int err = fd < 0 ? fd : append(fd, "unit,program,begin_s,end_s,status\n");

	if (err && fd >= 0)
		close(fd);
	return err ?: fd;
}

int iterations_add(int fd, unsigned int unit, const char *program, int64_t began, int64_t ended,
		   int status)
{
	char line[300], name[2 * 64 + 1], *to = name;
	const char *from = strrchr(program, '/') ? strrchr(program, '/') + 1 : program;

	/* A quote within quotes is written twice. */
	for (; *from && to < name + sizeof(name) - 2; from++) {
		if (*from == '"')
			*to++ = '"';
		*to++ = *from;
	}
	*to = '\0';
	snprintf(line, sizeof(line), "%u,\"%s\",%.6f,%.6f,%d\n", unit, name, began / 1e9, ended / 1e9,
		 WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status));
	/* Write it in one piece, because other executors append, too. */
	return append(fd, line);
}
