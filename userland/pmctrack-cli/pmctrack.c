// SPDX-License-Identifier: GPL-2.0-or-later
/* pmctrack: performance counters of a program, thread by thread. */
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"

int main(int argc, char **argv)
{
	struct options options;
	int status;

	/* Nothing that we open may get the number of a standard stream. */
	for (int fd = 0; fd <= STDERR_FILENO; fd++) {
		if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", O_RDWR | O_CLOEXEC) < 0)
			return EXIT_SELF;
	}
	if (argc > 1 && strcmp(argv[1], "doctor") == 0)
		return doctor(argc, argv);
	status = options_parse(&options, argc, argv);
	if (status)
		return status < 0 ? 0 : status;
	return run(&options);
}
