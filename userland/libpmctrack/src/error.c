// SPDX-License-Identifier: LGPL-2.1-or-later
/* The text of each thread's last error. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

#include "internal.h"

static _Thread_local char message[512];

const char *pmctrack_error(void)
{
	return message;
}

int fail(int err, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(message, sizeof(message), fmt, args);
	va_end(args);
	errno = err;
	return -err;
}

void *fail_null(int err, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(message, sizeof(message), fmt, args);
	va_end(args);
	errno = err;
	return NULL;
}
