// SPDX-License-Identifier: GPL-2.0-or-later
/* pmctrack: performance counters of a program, thread by thread. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "complain.h"
#include "doctor.h"
#include "exit_status.h"
#include "options.h"
#include "run.h"

/* What was printed on the standard output has arrived there, or @status says so. */
static int printed(int status)
{
	int err = fflush(stdout) || ferror(stdout) ? errno : 0;

	if (!err)
		return status;
	complain("cannot write: %s", strerror(err));
	return STATUS_FAILED;
}

int main(int argc, char **argv)
{
	struct options options;
	int status;

	/* Nothing that we open may get the number of a standard stream. */
	for (int fd = 0; fd <= STDERR_FILENO; fd++) {
		if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", O_RDWR | O_CLOEXEC) < 0)
			return STATUS_FAILED;
	}
	if (argc > 1 && strcmp(argv[1], "doctor") == 0)
		return printed(doctor(argc, argv));
	status = options_parse(&options, argc, argv);
	if (status)
		return status < 0 ? printed(0) : status;
	return run(&options);
}
