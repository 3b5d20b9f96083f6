// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "complain.h"
#include "guardian.h"
#include "load.h"
#include "options.h"
#include "proc.h"
#include "rescue.h"
#include "unit.h"

/* Set for programs, so that one that starts showstopper is told from others. */
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

static int attach_pid(struct run_unit *u, pid_t pid)
{
	struct proc p;
	int err = proc_read(pid, &p);

	u->kind = UNIT_TREE;
	/* The right to signal it is seen now, not when it is stopped. */
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

static int attach_cgroup(struct run_unit *u, const char *folder)
{
	char freeze[300], mine[512] = "";
	const char *name;
	FILE *file;

	u->kind = UNIT_CGROUP;
	snprintf(u->path, sizeof(u->path), "%s", folder);
	snprintf(freeze, sizeof(freeze), "%s/cgroup.freeze", folder);
	if (strlen(folder) >= sizeof(u->path) || access(freeze, W_OK)) {
		complain("%s: %s; it must be a control group (version 2) that you may write to", freeze,
			 strerror(errno));
		return -errno;
	}
	/* The name of a group ends what /proc/self/cgroup has, if we are in it. */
	file = fopen("/proc/self/cgroup", "re");
	while (file && fgets(mine, sizeof(mine), file) && strncmp(mine, "0::", 3))
		;
	if (file)
		fclose(file);
	mine[strcspn(mine, "\n")] = '\0';
	name = strrchr(folder, '/');
	if (name && name[1] && strstr(mine, name)) {
		complain("%s: showstopper is in it, and would stop itself", folder);
		return -EBUSY;
	}
	return 0;
}

static int attach(const struct options *o, struct run *run)
{
	uint32_t i;
	int err = 0;

	if (o->cgroup)
		return attach_cgroup(&run->unit[0], o->cgroup);
	for (i = 0; i < o->nr_pids && !err; i++)
		err = attach_pid(&run->unit[i], o->pids[i]);
	return err;
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

	if (argc == 2 && !strcmp(argv[1], "rescue"))
		return rescue();
	if (refuse_nested())
		return 2;
	options_parse(&options, argc, argv);
	run = run_create(options.nr, path, sizeof(path));
	if (!run) {
		complain("%s: %s", path, strerror(errno));
		return 1;
	}
	snprintf(pid, sizeof(pid), "%d", getpid());
	setenv(NESTED, pid, 1);
	if (!attach(&options, run) && !open_load(&options, &load))
		status = guardian_run(&options, run, &load);
	unlink(path);
	trace_free(&options.trace);
	return status;
}
