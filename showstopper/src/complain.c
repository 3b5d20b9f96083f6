// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdarg.h>
#include <stdio.h>

#include "complain.h"

void complain(const char *fmt, ...)
{
	char line[512];
	va_list args;

	/* In one piece: several processes write. */
	va_start(args, fmt);
	vsnprintf(line, sizeof(line), fmt, args);
	va_end(args);
	fprintf(stderr, "showstopper: %s\n", line);
}
