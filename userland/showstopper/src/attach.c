// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "attach.h"
#include "cgroup.h"
#include "complain.h"
#include "proc.h"
#include "unit.h"

static int attach_pid(struct run_unit *u, pid_t pid)
{
	struct proc p;
	int err = proc_read(pid, &p);

	u->kind = UNIT_TREE;
	/* Check the right to signal the process now, not when it is stopped. */
	if (!err)
		err = proc_signal(pid, p.start, 0);
	if (!err)
		err = unit_find_tree(u, pid, p.start, getpid());
	if (err == -E2BIG)
		complain("process %d: more than %d descendants; put them into a control group and use --cgroup",
			 pid, RUN_MAX_PROCS);
	else if (err == -EDEADLK)
		complain("process %d: showstopper is below it, and would stop itself; start it elsewhere", pid);
	else if (err)
		complain("process %d: %s", pid, err == -EPERM ?
			 "it is another user's: run showstopper as root" : "there is none");
	return err;
}

static int check_cgroup(const char *folder, const char *name)
{
	char path[PATH_MAX + 20];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	if (!access(path, W_OK))
		return 0;
	complain("%s: %s; it must be a control group (version 2) that you may write to", path,
		 strerror(errno));
	return -1;
}

static int attach_cgroup(struct run_unit *u, const char *folder)
{
	char path[PATH_MAX];

	u->kind = UNIT_CGROUP;
	if (!realpath(folder, path)) {
		complain("%s: %s", folder, strerror(errno));
		return -1;
	}
	if (strlen(path) >= sizeof(u->path)) {
		complain("%s: %s", path, strerror(ENAMETOOLONG));
		return -1;
	}
	if (check_cgroup(path, "cgroup.freeze"))
		return -1;
	if (cgroup_has_us(path)) {
		complain("%s: showstopper is in it, and would stop itself", folder);
		return -1;
	}
	memcpy(u->path, path, strlen(path) + 1);
	return 0;
}

/* Make a control group for each program, below @o->cgroup or the group of this process. */
static int make_cgroups(const struct options *o, struct run *run)
{
	char parent[PATH_MAX], path[PATH_MAX + 20];
	uint32_t i;

	if (o->cgroup ? !realpath(o->cgroup, parent) : cgroup_own(parent, sizeof(parent))) {
		complain("--freezer: no control groups (version 2) are mounted here; without it, signals are used");
		return -1;
	}
	snprintf(path, sizeof(path), "%s/showstopper.XXXXXX", parent);
	if (strlen(path) >= sizeof(run->unit[0].path)) {
		complain("%s: %s", path, strerror(ENAMETOOLONG));
		return -1;
	}
	for (i = 0; i < run->nr; i++) {
		struct run_unit *u = &run->unit[i];

		memcpy(u->path, path, strlen(path) + 1);
		if (!mkdtemp(u->path)) {
			complain("--freezer: %s: cannot make a control group: %s%s", parent, strerror(errno),
				 cgroup_remedy(-errno));
			return -1;
		}
		/* Programs of other users read their limits here. */
		chmod(u->path, 0755);
		u->kind = UNIT_FREEZER;
		if (check_cgroup(u->path, "cgroup.freeze"))
			return -1;
	}
	return 0;
}

int attach(const struct options *o, struct run *run)
{
	uint32_t i;
	int err = 0;

	if (o->cgroup && !o->argv)
		return attach_cgroup(&run->unit[0], o->cgroup);
	if (o->cgroup)
		err = check_cgroup(o->cgroup, "cgroup.procs");
	if (!err && o->freezer)
		err = make_cgroups(o, run);
	for (i = 0; i < o->nr_pids && !err; i++)
		err = attach_pid(&run->unit[i], o->pids[i]);
	return err;
}

bool detach(const struct run *run, int64_t patience)
{
	const struct timespec moment = { 0, 5 * NS_PER_MS };
	int64_t until = run_now() + patience;
	bool all = true;
	uint32_t i;

	for (i = 0; i < run->nr; i++) {
		const struct run_unit *u = &run->unit[i];

		while (u->kind == UNIT_FREEZER && cgroup_remove(u->path)) {
			if (run_now() >= until) {
				all = false;
				break;
			}
			nanosleep(&moment, NULL);
		}
	}
	return all;
}
