// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "complain.h"

static void print_to_stderr(const char *program, const char *text)
{
	fflush(stdout);
	fprintf(stderr, "%s: %s\n", program, text);
}

static const char *name;
static void (*printer)(const char *program, const char *text) = print_to_stderr;

void complain_as(const char *program)
{
	name = program;
}

void complain_to(void (*print)(const char *program, const char *text))
{
	printer = print;
}

void complain(const char *fmt, ...)
{
	char *text;
	va_list args;
	int n;

	va_start(args, fmt);
	n = vasprintf(&text, fmt, args);
	va_end(args);
	/* Without memory, a message without its arguments is better than none. */
	printer(name ? name : program_invocation_short_name, n < 0 ? fmt : text);
	if (n >= 0)
		free(text);
}
