// SPDX-License-Identifier: GPL-2.0-or-later
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include "nowait.h"

/* A pipe that can be written to has room for PIPE_BUF bytes, which is more. */
#define MOST_BYTES	1024

static void write_now(int fd, const char *text, int length)
{
	struct pollfd ready = { .fd = fd, .events = POLLOUT };

	if (length >= MOST_BYTES)
		length = MOST_BYTES - 1;
	if (length > 0 && poll(&ready, 1, 0) == 1 && (ready.revents & POLLOUT) &&
	    write(fd, text, (size_t)length) < 0)
		return;
}

void nowait_printf(const char *fmt, ...)
{
	char text[MOST_BYTES];
	va_list args;
	int length;

	va_start(args, fmt);
	length = vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	write_now(STDOUT_FILENO, text, length);
}

void nowait_complain(const char *program, const char *text)
{
	char line[MOST_BYTES];

	write_now(STDERR_FILENO, line, snprintf(line, sizeof(line), "%s: %s\n", program, text));
}
