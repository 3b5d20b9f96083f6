// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "complain.h"
#include "guardian.h"
#include "load.h"
#include "options.h"
#include "proc.h"
#include "report.h"
#include "rescue.h"
#include "signals.h"
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

/*
 * Is this process in the control group @folder, or below it? The file system's root is
 * the last folder upwards on the same device; what /proc/self/cgroup has begins there.
 */
static bool is_inside(const char *folder)
{
	char root[PATH_MAX], mine[PATH_MAX] = "", *slash;
	struct stat here, up;
	size_t n;
	FILE *file;

	file = fopen("/proc/self/cgroup", "re");
	while (file && fgets(mine, sizeof(mine), file) && strncmp(mine, "0::", 3))
		;
	if (file)
		fclose(file);
	mine[strcspn(mine, "\n")] = '\0';
	snprintf(root, sizeof(root), "%s", folder);
	if (strncmp(mine, "0::", 3) || stat(root, &here))
		return false;
	while ((slash = strrchr(root, '/')) && slash != root) {
		*slash = '\0';
		if (stat(root, &up) || up.st_dev != here.st_dev) {
			*slash = '/';
			break;
		}
	}
	/* The name of the group, from the root on: "" is all. */
	folder += strlen(root);
	n = strlen(folder);
	return !strncmp(mine + 3, folder, n) && (!mine[3 + n] || mine[3 + n] == '/');
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
	if (is_inside(path)) {
		complain("%s: showstopper is in it, and would stop itself", folder);
		return -1;
	}
	memcpy(u->path, path, strlen(path) + 1);
	return 0;
}

static int attach(const struct options *o, struct run *run)
{
	uint32_t i;
	int err = 0;

	if (o->cgroup)
		return o->argv ? check_cgroup(o->cgroup, "cgroup.procs") :
				 attach_cgroup(&run->unit[0], o->cgroup);
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

/* What we open must not become what others write to. */
static void fill_standard_files(void)
{
	int fd;

	do {
		fd = open("/dev/null", O_RDWR);
	} while (fd >= 0 && fd <= 2);
	if (fd > 2)
		close(fd);
}

int main(int argc, char **argv)
{
	struct options options;
	struct load load;
	char path[300], pid[16];
	struct run *run;
	int status = 1;

	fill_standard_files();
	signals_begin();
	if (argc == 2 && !strcmp(argv[1], "rescue"))
		return rescue();
	if (argc > 1 && (!strcmp(argv[1], "study") || !strcmp(argv[1], "report")))
		return report_exec(argv + 1);
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
	/* Of this run, not of what was there before. */
	if (options.report && run->begin && report_draw(&options))
		status = status ?: 1;
	trace_free(&options.trace);
	return status;
}
