// SPDX-License-Identifier: GPL-2.0-or-later
/* pmctrack: performance counters of a program, thread by thread. */
#include <locale.h>
#include <stdarg.h>

#include "cli.h"

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

int main(int argc, char **argv)
{
	struct options options;
	int status;

	setlocale(LC_ALL, "C");
	status = options_parse(&options, argc, argv);
	if (status)
		return status < 0 ? 0 : status;
	return run(&options);
}
