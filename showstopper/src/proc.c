// SPDX-License-Identifier: GPL-2.0-or-later
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "proc.h"

int proc_read(pid_t pid, struct proc *p)
{
	char path[32], text[1024], *rest;
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -ESRCH;
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	if (n <= 0)
		return -ESRCH;
	text[n] = '\0';
	/* The name, in parentheses, may hold anything. */
	rest = strrchr(text, ')');
	p->pid = pid;
	if (!rest || sscanf(rest, ") %c %d %d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d %lu",
			    &p->state, &p->parent, &p->group, &p->start) != 4)
		return -ESRCH;
	return 0;
}

void proc_each(void (*found)(const struct proc *p, void *data), void *data)
{
	DIR *dir = opendir("/proc");
	struct dirent *entry;
	struct proc p;

	while (dir && (entry = readdir(dir))) {
		if (isdigit((unsigned char)entry->d_name[0]) && !proc_read(atoi(entry->d_name), &p))
			found(&p, data);
	}
	if (dir)
		closedir(dir);
}

bool proc_is(pid_t pid, uint64_t start)
{
	struct proc p;

	return !proc_read(pid, &p) && p.start == start && p.state != 'Z' && p.state != 'X';
}

int proc_signal(pid_t pid, uint64_t start, int signal)
{
	int fd = syscall(SYS_pidfd_open, pid, 0);
	int err = 0;

	if (fd < 0)
		return -ESRCH;
	/* The descriptor is of one process, whatever happens to its PID from here on. */
	if (!proc_is(pid, start))
		err = -ESRCH;
	else if (syscall(SYS_pidfd_send_signal, fd, signal, NULL, 0))
		err = -errno;
	close(fd);
	return err;
}
