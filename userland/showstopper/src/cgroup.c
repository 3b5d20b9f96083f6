// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <mntent.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "cgroup.h"

static int write_file(const char *folder, const char *name, const char *text)
{
	char path[PATH_MAX + 20];
	ssize_t n = strlen(text);
	int fd, err;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	err = write(fd, text, n) == n ? 0 : -errno;
	close(fd);
	return err;
}

int cgroup_freeze(const char *folder, bool on)
{
	int err = write_file(folder, "cgroup.freeze", on ? "1" : "0");

	return err == -ENOENT || err == -ENODEV ? -ESRCH : err;
}

int cgroup_enter(const char *folder)
{
	return write_file(folder, "cgroup.procs", "0");
}

const char *cgroup_remedy(int err)
{
	return err == -EACCES || err == -EPERM ?
	       "; run showstopper as root, or with systemd-run --user --scope -p Delegate=yes" : "";
}

static FILE *open_file(const char *folder, const char *name)
{
	char path[PATH_MAX + 20];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return fopen(path, "re");
}

/* True if the file has the line @wanted, with its newline. */
static bool has_line(const char *folder, const char *name, const char *wanted)
{
	FILE *file = open_file(folder, name);
	bool found = false;
	char line[64];

	while (file && fgets(line, sizeof(line), file))
		found |= !strcmp(line, wanted);
	if (file)
		fclose(file);
	return found;
}

bool cgroup_is_frozen(const char *folder)
{
	return has_line(folder, "cgroup.freeze", "1\n");
}

bool cgroup_is_populated(const char *folder)
{
	return has_line(folder, "cgroup.events", "populated 1\n");
}

/* True if the process is in a group with this name, or below one. */
static bool is_in(pid_t pid, const char *name)
{
	char folder[32], line[PATH_MAX] = "";
	bool found = false;
	FILE *file;

	snprintf(folder, sizeof(folder), "/proc/%d", pid);
	file = open_file(folder, "cgroup");
	while (file && fgets(line, sizeof(line), file))
		found |= !strncmp(line, "0::", 3) && strstr(line, name);
	if (file)
		fclose(file);
	return found;
}

void cgroup_signal(const char *folder, int signal)
{
	FILE *procs;
	pid_t pid;
	int fd;

	/* Since Linux 5.14, this kills all at once. */
	if (signal == SIGKILL && !write_file(folder, "cgroup.kill", "1"))
		return;
	procs = open_file(folder, "cgroup.procs");
	while (procs && fscanf(procs, "%d", &pid) == 1) {
		fd = syscall(SYS_pidfd_open, pid, 0);
		/* The descriptor's process is the one that is looked at here, or it has gone. */
		if (fd >= 0 && is_in(pid, strrchr(folder, '/')))
			syscall(SYS_pidfd_send_signal, fd, signal, NULL, 0);
		if (fd >= 0)
			close(fd);
	}
	if (procs)
		fclose(procs);
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *at)
{
	(void)st;
	(void)at;
	return type == FTW_DP && rmdir(path) ? -1 : 0;
}

int cgroup_remove(const char *folder)
{
	if (!rmdir(folder) || errno == ENOENT)
		return 0;
	if (cgroup_is_populated(folder) || nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS))
		return -EBUSY;
	return 0;
}

/* Read the name of this process's group, from the root on, whose own name is "". */
static int read_own_name(char name[PATH_MAX])
{
	char line[PATH_MAX] = "";
	FILE *file = fopen("/proc/self/cgroup", "re");

	while (file && fgets(line, sizeof(line), file) && strncmp(line, "0::/", 4))
		;
	if (file)
		fclose(file);
	if (strncmp(line, "0::/", 4))
		return -ENOENT;
	line[strcspn(line, "\n")] = '\0';
	strcpy(name, line[4] ? line + 3 : "");
	return 0;
}

/* The root is the last folder upwards on the same device. */
bool cgroup_has_us(const char *folder)
{
	char root[PATH_MAX], own[PATH_MAX], *slash;
	struct stat here, up;
	size_t n;

	snprintf(root, sizeof(root), "%s", folder);
	if (read_own_name(own) || stat(root, &here))
		return false;
	while ((slash = strrchr(root, '/')) && slash != root) {
		*slash = '\0';
		if (stat(root, &up) || up.st_dev != here.st_dev) {
			*slash = '/';
			break;
		}
	}
	folder += strlen(root);
	n = strlen(folder);
	return !strncmp(own, folder, n) && (!own[n] || own[n] == '/');
}

int cgroup_own(char *path, size_t size)
{
	FILE *mounts = setmntent("/proc/self/mounts", "re");
	const struct mntent *m = NULL;
	char own[PATH_MAX];
	int err = read_own_name(own);

	while (mounts && (m = getmntent(mounts)) && strcmp(m->mnt_type, "cgroup2"))
		;
	if (!m)
		err = -ENOENT;
	if (!err && (size_t)snprintf(path, size, "%s%s", m->mnt_dir, own) >= size)
		err = -ENAMETOOLONG;
	if (mounts)
		endmntent(mounts);
	return err;
}
