// SPDX-License-Identifier: GPL-2.0-or-later
/* pmctrack: performance counters of a program, thread by thread. */
#include <fcntl.h>
#include <string.h>

#include "complain.h"
#include "doctor.h"
#include "exit_status.h"
#include "options.h"
#include "run.h"
#include "standard_files.h"

int main(int argc, char **argv)
{
	struct options options;
	int status;

	complain_as("pmctrack");
	if (standard_files_open(O_CLOEXEC))
		return STATUS_FAILED;
	if (argc > 1 && strcmp(argv[1], "doctor") == 0)
		return standard_output_end(doctor(argc, argv), STATUS_FAILED);
	status = options_parse(&options, argc, argv);
	if (status)
		return status < 0 ? standard_output_end(0, STATUS_FAILED) : status;
	return run(&options);
}
