// SPDX-License-Identifier: GPL-2.0-or-later
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/vfs.h>
#include <linux/magic.h>

#include "watch/groups.h"
#include "text_file.h"

/* Limit of nested groups, deeper than any that are in use. */
#define DEEPEST		32
/* Characters of a container's ID that users know it by. */
#define SHORT_ID	12

void groups_of(pid_t pid, char *path, size_t size)
{
	char file[32], text[PATH_MAX], *line;

	path[0] = '\0';
	snprintf(file, sizeof(file), "/proc/%d/cgroup", pid);
	if (text_file_read(file, text, sizeof(text)) <= 0)
		return;
	line = strncmp(text, "0::", 3) == 0 ? text : strstr(text, "\n0::");
	if (!line)
		return;
	line += line == text ? 3 : 4;
	line[strcspn(line, "\n")] = '\0';
	/* A part of the path would name another group. */
	if ((size_t)snprintf(path, size, "%s", line) >= size)
		path[0] = '\0';
}

int groups_resolve(const char *folder, char *path, size_t size)
{
	char resolved[PATH_MAX];
	struct statfs fs;

	if (!realpath(folder, resolved) || statfs(resolved, &fs))
		return -errno;
	/* The paths of processes' groups (groups_of()) are below the usual mount. */
	if (fs.f_type != CGROUP2_SUPER_MAGIC || strncmp(resolved, GROUPS_ROOT, strlen(GROUPS_ROOT)) != 0)
		return -ENOTDIR;
	return (size_t)snprintf(path, size, "%s", resolved) >= size ? -ENAMETOOLONG : 0;
}

/* Throttled time of one group, without the groups above it. */
static bool throttled_itself(const char *folder, uint64_t *us)
{
	static const char name[] = "throttled_usec ";
	char file[PATH_MAX], text[2048], *line;

	if ((size_t)snprintf(file, sizeof(file), "%s/cpu.stat", folder) >= sizeof(file) ||
	    text_file_read(file, text, sizeof(text)) <= 0)
		return false;
	line = strstr(text, name);
	if (line)
		*us = strtoull(line + strlen(name), NULL, 10);
	return line;
}

bool groups_throttled(const char *folder, uint64_t *us)
{
	char path[PATH_MAX], *slash;
	uint64_t own = 0;

	snprintf(path, sizeof(path), "%s", folder);
	/* A removed group has no time, and the time of the groups above it is not all of it. */
	if (!throttled_itself(path, us))
		return false;
	*strrchr(path, '/') = '\0';
	/* The root has no quota. */
	while (strlen(path) > strlen(GROUPS_ROOT)) {
		if (throttled_itself(path, &own))
			*us += own;
		slash = strrchr(path, '/');
		if (!slash)
			break;
		*slash = '\0';
	}
	return true;
}

static int each_process(const char *folder, void (*fn)(pid_t pid, void *arg), void *arg, int depth)
{
	char path[PATH_MAX];
	struct dirent *entry;
	FILE *f;
	DIR *dir;
	int pid;

	if (depth == DEEPEST || (size_t)snprintf(path, sizeof(path), "%s/cgroup.procs", folder) >= sizeof(path))
		return -ENAMETOOLONG;
	f = fopen(path, "re");
	if (!f)
		return -errno;
	while (fscanf(f, "%d", &pid) == 1) {
		/* 0: a process of another PID namespace. */
		if (pid > 0)
			fn(pid, arg);
	}
	fclose(f);
	dir = opendir(folder);
	while (dir && (entry = readdir(dir))) {
		if (entry->d_type != DT_DIR || entry->d_name[0] == '.' ||
		    (size_t)snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name) >= sizeof(path))
			continue;
		/* A group that was removed meanwhile has no processes. */
		each_process(path, fn, arg, depth + 1);
	}
	if (dir)
		closedir(dir);
	return 0;
}

int groups_each_process(const char *folder, void (*fn)(pid_t pid, void *arg), void *arg)
{
	return each_process(folder, fn, arg, 0);
}

static size_t hex_digits(const char *text)
{
	size_t n = 0;

	while (isxdigit((unsigned char)text[n]))
		n++;
	return n;
}

void groups_title(const char *path, char *title, size_t size)
{
	static const char *const before[] = { "docker-", "libpod-", "cri-containerd-", "crio-" };
	const char *last = strrchr(path, '/'), *name;
	size_t len;

	last = last ? last + 1 : path;
	for (unsigned int i = 0; i < sizeof(before) / sizeof(before[0]); i++) {
		name = strstr(path, before[i]);
		if (name && hex_digits(name + strlen(before[i])) > SHORT_ID) {
			snprintf(title, size, "%.*s", SHORT_ID, name + strlen(before[i]));
			return;
		}
	}
	/* Docker without systemd names groups by the ID. LXC and systemd-nspawn have names. */
	name = strstr(path, "/lxc.payload.");
	if (name) {
		name += strlen("/lxc.payload.");
		snprintf(title, size, "%.*s", (int)strcspn(name, "/"), name);
		return;
	}
	name = strstr(path, "/machine-");
	if (name) {
		name += strlen("/machine-");
		len = strcspn(name, "/");
		if (len > strlen(".scope") && strncmp(name + len - strlen(".scope"), ".scope", 6) == 0)
			len -= strlen(".scope");
		snprintf(title, size, "%.*s", (int)len, name);
		return;
	}
	snprintf(title, size, "%.*s", hex_digits(last) > SHORT_ID ? SHORT_ID : (int)strlen(last), last);
}
