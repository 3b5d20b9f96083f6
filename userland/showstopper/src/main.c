// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "attach.h"
#include "complain.h"
#include "guardian.h"
#include "load.h"
#include "messages.h"
#include "options.h"
#include "report.h"
#include "rescue.h"
#include "signals.h"
#include "standard_files.h"

/* Set for programs, so that a showstopper that a program starts is recognised. */
#define NESTED	"SHOWSTOPPER_GUARDIAN"

static int refuse_nested(void)
{
	const char *guardian = getenv(NESTED);

	if (!guardian || kill(atoi(guardian), 0))
		return 0;
	complain("this runs below another showstopper (process %s), which would stop it; start it outside",
		 guardian);
	return -1;
}

static int open_load(const struct options *o, struct load *load)
{
	int err = o->cgroup ? load_open_cgroup(load, o->cgroup) :
		  load_open_cpus(load, o->pinned ? &o->cpus : NULL);

	if (err)
		complain("cannot read the load%s%s: %s", o->cgroup ? " of " : "", o->cgroup ?: "",
			 strerror(-err));
	return err;
}

int main(int argc, char **argv)
{
	struct options options;
	struct load load;
	char path[300], pid[16];
	struct run *run;
	int status = 1;

	/* Closed standard files are opened as /dev/null, so that programs find them open. */
	if (standard_files_open(0))
		return 1;
	signals_begin();
	messages_begin();
	if (argc == 2 && !strcmp(argv[1], "rescue"))
		return rescue();
	if (argc > 1 && (!strcmp(argv[1], "study") || !strcmp(argv[1], "report")))
		return report_exec(argv + 1);
	if (refuse_nested())
		return 2;
	options_parse(&options, argc, argv);
	if (options_open(&options))
		return 1;
	run = run_create(options.nr, path, sizeof(path));
	if (!run) {
		complain("cannot keep the state of this run for rescue: %s: %s; set SHOWSTOPPER_RUNS to a folder that is yours and that nobody else may write to",
			 path, strerror(errno));
		return 1;
	}
	snprintf(pid, sizeof(pid), "%d", getpid());
	setenv(NESTED, pid, 1);
	if (!attach(&options, run) && !open_load(&options, &load))
		status = guardian_run(&options, run, &load);
	if (detach(run, run->end ? NS_PER_S : 0))
		unlink(path);
	else
		complain("programs run on in control groups of theirs; showstopper rescue removes these when they have ended");
	/* Draw only the files of this run, not those of an earlier one. */
	if (options.report && run->begin && report_draw(&options))
		status = status ?: 1;
	trace_free(&options.trace);
	return status;
}
