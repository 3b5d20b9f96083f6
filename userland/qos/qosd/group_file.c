// SPDX-License-Identifier: GPL-2.0-or-later
#include "group_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "text_file.h"

#define SYS_CPUS "/sys/devices/system/cpu"

int group_file_write(const char *folder, const char *name, const char *text)
{
	char path[2 * GROUP_PATH];
	int fd, err = 0;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (write(fd, text, strlen(text)) < 0)
		err = -errno;
	close(fd);
	return err;
}

ssize_t group_file_read(const char *folder, const char *name, char *text, size_t size)
{
	char path[2 * GROUP_PATH];
	ssize_t length;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	length = text_file_read(path, text, size);
	while (length > 0 && text[length - 1] == '\n')
		text[--length] = '\0';
	return length;
}

/* The same for a file that is open. */
ssize_t group_file_read_open(int fd, char *text, size_t size)
{
	ssize_t length = pread(fd, text, size - 1, 0);

	if (length < 0)
		return -errno;
	while (length > 0 && text[length - 1] == '\n')
		length--;
	text[length] = '\0';
	return length;
}

bool group_file_has(const char *text, const char *word)
{
	size_t length = strlen(word);
	const char *found = text;

	while ((found = strstr(found, word))) {
		if ((found == text || found[-1] == ' ') && (!found[length] || found[length] == ' '))
			return true;
		found += length;
	}
	return false;
}

int group_file_open(const char *folder, const char *name, int mode)
{
	char path[2 * GROUP_PATH];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	fd = open(path, mode | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

int group_file_free_cpus(const char *folder)
{
	char all[4096];
	ssize_t length = group_file_read(SYS_CPUS, "possible", all, sizeof(all));

	return length < 0 ? (int)length : group_file_write(folder, "cpuset.cpus", all);
}

bool group_file_is_free(const char *cpus)
{
	char all[4096];

	return !*cpus || (group_file_read(SYS_CPUS, "possible", all, sizeof(all)) > 0 && !strcmp(cpus, all));
}

int group_file_move(pid_t pid, const char *folder)
{
	char text[16];

	snprintf(text, sizeof(text), "%d", (int)pid);
	return group_file_write(folder, "cgroup.procs", text);
}

int group_file_of(pid_t pid, char *path, size_t size)
{
	int fd = group_file_open_of(pid), err;

	if (fd < 0)
		return fd;
	err = group_file_of_open(fd, path, size);
	close(fd);
	return err;
}

int group_file_open_of(pid_t pid)
{
	char file[32];
	int fd;

	snprintf(file, sizeof(file), "/proc/%d/cgroup", (int)pid);
	fd = open(file, O_RDONLY | O_CLOEXEC);
	return fd < 0 ? -ESRCH : fd;
}

int group_file_of_open(int fd, char *path, size_t size)
{
	char text[4096], *line, *end;

	if (group_file_read_open(fd, text, sizeof(text)) <= 0)
		return -ESRCH;
	line = strstr(text, "0::");
	if (!line)
		return -ENOTSUP;
	end = strchr(line, '\n');
	if (end)
		*end = '\0';
	return (size_t)snprintf(path, size, "%s", line + 3) < size ? 0 : -ENAMETOOLONG;
}
