// SPDX-License-Identifier: GPL-2.0-or-later
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "attach.h"
#include "complain.h"
#include "proc.h"
#include "rescue.h"
#include "unit.h"

/* Processes and groups continued; -EBUSY: its guardian lives; or another negative errno. */
static int rescue_run(struct run *run)
{
	int n, continued = 0, err = 0;
	uint32_t i;

	if (proc_is(run->guardian, run->guardian_start))
		return -EBUSY;
	for (i = 0; i < run->nr; i++) {
		n = unit_rescue(&run->unit[i]);
		if (n < 0)
			err = n;
		else
			continued += n;
	}
	return err ?: continued;
}

int rescue(void)
{
	char folder[200], path[512];
	struct dirent *entry;
	int err = run_folder(folder, sizeof(folder));
	int continued, all = 0, runs = 0, status = 0;
	struct run *run;
	DIR *dir;

	dir = err ? NULL : opendir(folder);
	if (!dir) {
		complain("%s: %s", folder, strerror(err ? -err : errno));
		return 1;
	}
	while ((entry = readdir(dir))) {
		snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
		if (entry->d_name[0] == '.')
			continue;
		run = run_open(path);
		if (!run) {
			complain("%s: no run of this version of showstopper; left to the rescue of its own",
				 path);
			continue;
		}
		continued = rescue_run(run);
		if (continued == -EBUSY) {
			printf("run of process %d: its guardian is there, left alone\n", run->guardian);
			continue;
		}
		if (continued < 0) {
			/* It can be tried again. */
			complain("run of process %d: cannot continue all of it: %s", run->guardian,
				 strerror(-continued));
			status = 1;
			continue;
		}
		if (detach(run, 0)) {
			printf("run of process %d: %d continued\n", run->guardian, continued);
			unlink(path);
		} else {
			printf("run of process %d: %d continued; its control groups can be removed when its programs have ended\n",
			       run->guardian, continued);
		}
		all += continued;
		runs++;
	}
	closedir(dir);
	printf("%d runs without a guardian, %d processes or groups continued\n", runs, all);
	return status;
}
