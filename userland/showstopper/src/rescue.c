// SPDX-License-Identifier: GPL-2.0-or-later
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "attach.h"
#include "complain.h"
#include "proc.h"
#include "rescue.h"
#include "unit.h"

/*
 * Returns how many processes and groups were continued, -EBUSY if the run's guardian lives, or
 * another negative errno.
 */
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

struct totals {
	int runs, continued, status;
};

static void rescue_file(const char *path, struct totals *t)
{
	struct run *run = run_open(path);
	int continued;

	if (!run) {
		complain("%s: no run of this version of showstopper; left to the rescue of its own", path);
		return;
	}
	continued = rescue_run(run);
	if (continued == -EBUSY) {
		printf("run of process %d: its guardian is there, left alone\n", run->guardian);
	} else if (continued < 0) {
		/* The rescue can be tried again. */
		complain("run of process %d: cannot continue all of it: %s", run->guardian,
			 strerror(-continued));
		t->status = 1;
	} else {
		if (detach(run, 0)) {
			printf("run of process %d: %d continued\n", run->guardian, continued);
			unlink(path);
		} else {
			printf("run of process %d: %d continued; its control groups can be removed when its programs have ended\n",
			       run->guardian, continued);
		}
		t->continued += continued;
		t->runs++;
	}
	munmap(run, sizeof(*run));
}

static void rescue_folder(const char *folder, struct totals *t)
{
	DIR *dir = opendir(folder);
	struct dirent *entry;
	char path[512];

	while (dir && (entry = readdir(dir))) {
		snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
		if (entry->d_name[0] != '.')
			rescue_file(path, t);
	}
	if (dir) {
		closedir(dir);
	} else if (errno != ENOENT && errno != EACCES) {
		complain("%s: %s", folder, strerror(errno));
		t->status = 1;
	}
}

int rescue(void)
{
	struct totals t = {};
	char folder[200];
	unsigned int i;

	/* A run may have had another environment than this process. */
	for (i = 0; run_folder_name(i, folder, sizeof(folder)); i++)
		rescue_folder(folder, &t);
	printf("%d runs without a guardian, %d processes or groups continued\n", t.runs, t.continued);
	return t.status;
}
