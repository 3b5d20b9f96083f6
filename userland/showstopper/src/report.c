// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "complain.h"
#include "guardian.h"
#include "report.h"
#include "signals.h"

int report_exec(char **argv)
{
	const char *folder = getenv("SHOWSTOPPER_STUDY") ?: STUDY;
	char self[PATH_MAX] = "showstopper";
	char *args[64] = { "python3", (char *)folder, "showstopper" };
	size_t i;

	for (i = 0; argv[i]; i++) {
		if (i + 4 > sizeof(args) / sizeof(*args)) {
			complain("too many arguments");
			return 2;
		}
		args[i + 3] = argv[i];
	}
	if (access(folder, R_OK)) {
		complain("%s: %s; install showstopper, or set SHOWSTOPPER_STUDY", folder, strerror(errno));
		return 1;
	}
	/* Studies run showstopper. */
	if (readlink("/proc/self/exe", self, sizeof(self) - 1) > 0)
		setenv("SHOWSTOPPER", self, 1);
	setenv("PYTHONDONTWRITEBYTECODE", "1", 1);
	signals_restore();
	/* Use Debian's interpreter, because Debian's packages are for it. */
	/* Give its path: Python looks for modules beside the program that PATH has for its name. */
	args[0] = "/usr/bin/python3";
	execv(args[0], args);
	args[0] = "python3";
	execvp(args[0], args);
	complain("python3: %s; install python3, python3-matplotlib and python3-scipy", strerror(errno));
	return 1;
}

int report_draw(const struct options *o)
{
	char *argv[] = { "report", (char *)o->log, (char *)o->report, NULL };
	pid_t pid = fork();
	int status;

	if (!pid) {
		guardian_be_ordinary();
		_exit(report_exec(argv));
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid) {
		complain("cannot draw the report: %s", strerror(errno));
		return 1;
	}
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
