// SPDX-License-Identifier: GPL-2.0-or-later
/* One line to the user, after what was printed before. */
#include <stdarg.h>
#include <stdio.h>

#include "complain.h"

void complain(const char *fmt, ...)
{
	va_list args;

	fflush(stdout);
	fputs("pmctrack: ", stderr);
	va_start(args, fmt);
	vfprintf(stderr, fmt, args);
	va_end(args);
	fputc('\n', stderr);
}
