// SPDX-License-Identifier: GPL-2.0-or-later
/* pmctrack: performance counters of a program, thread by thread. */
#include <locale.h>

#include "cli.h"

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
