// SPDX-License-Identifier: GPL-2.0-or-later
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "proc.h"
#include "text_file.h"

/* PF_KTHREAD of the kernel's include/linux/sched.h. */
#define KERNEL_THREAD	0x00200000

int proc_read(pid_t pid, struct proc *p)
{
	char path[32], text[1024], *rest;
	unsigned int flags;
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	n = text_file_read(path, text, sizeof(text));
	if (n <= 0)
		return n == -ENOENT || !n ? -ESRCH : (int)n;
	/* The name, in parentheses, may hold anything. */
	rest = strrchr(text, ')');
	p->pid = pid;
	if (!rest || sscanf(rest, ") %c %d %d %*d %*d %*d %u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d %lu",
			    &p->state, &p->parent, &p->group, &flags, &p->start) != 5)
		return -ESRCH;
	p->kernel = flags & KERNEL_THREAD;
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

/* Returns 0, -ESRCH, or another errno if it cannot be known, because too many files are open. */
static int look_for(pid_t pid, uint64_t start)
{
	struct proc p;
	int err = proc_read(pid, &p);

	if (err)
		return err;
	return p.start == start && p.state != 'Z' && p.state != 'X' ? 0 : -ESRCH;
}

bool proc_is(pid_t pid, uint64_t start)
{
	return look_for(pid, start) != -ESRCH;
}

bool proc_exists(pid_t pid, uint64_t start)
{
	struct proc p;
	int err = proc_read(pid, &p);

	return err ? err != -ESRCH : p.start == start;
}

int proc_signal(pid_t pid, uint64_t start, int signal)
{
	int fd = syscall(SYS_pidfd_open, pid, 0);
	int err;

	if (fd < 0)
		return -errno;
	/* The descriptor refers to one process, whatever happens to its PID from here on. */
	err = look_for(pid, start);
	if (!err && syscall(SYS_pidfd_send_signal, fd, signal, NULL, 0))
		err = -errno;
	close(fd);
	return err;
}

/* The mask in a line of /proc/PID/status. */
static uint64_t mask_of(const char *text, const char *name)
{
	const char *line = strstr(text, name);

	return line ? strtoull(line + strlen(name), NULL, 16) : 0;
}

uint64_t proc_pending(pid_t pid)
{
	char path[32], text[4096];

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	if (text_file_read(path, text, sizeof(text)) < 0)
		return 0;
	return mask_of(text, "\nSigPnd:") | mask_of(text, "\nShdPnd:");
}

const char *proc_trouble(pid_t pid)
{
	struct proc p;

	switch (proc_read(pid, &p) ? 'X' : p.state) {
	case 'T': return "is stopped";
	case 't': return "is stopped by a debugger";
	case 'D': return "hangs in the kernel";
	case 'X':
	case 'Z': return "has ended";
	default: return "does not answer";
	}
}
