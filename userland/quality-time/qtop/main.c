// SPDX-License-Identifier: GPL-2.0-or-later
/* qtop: shows the quality of processes, live. */
#include <fcntl.h>

#include "complain.h"
#include "exit_status.h"
#include "qtop/options.h"
#include "qtop/run.h"
#include "standard_files.h"

int main(int argc, char **argv)
{
	struct options options;
	int status;

	complain_as("qtop");
	if (standard_files_open(O_CLOEXEC))
		return STATUS_FAILED;
	status = options_parse(&options, argc, argv);
	if (status)
		return status < 0 ? standard_output_end(0, STATUS_FAILED) : status;
	return run(&options);
}
