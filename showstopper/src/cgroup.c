// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <mntent.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
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

int cgroup_kill(const char *folder)
{
	return write_file(folder, "cgroup.kill", "1");
}

bool cgroup_is_populated(const char *folder)
{
	char path[PATH_MAX + 20], line[64];
	bool populated = false;
	FILE *file;

	snprintf(path, sizeof(path), "%s/cgroup.events", folder);
	file = fopen(path, "re");
	while (file && fgets(line, sizeof(line), file))
		populated |= !strcmp(line, "populated 1\n");
	if (file)
		fclose(file);
	return populated;
}

/* The name of this process's group, from the root on; that itself is "". */
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
