// SPDX-License-Identifier: LGPL-2.1-or-later
#include "process.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "segment.h"

/* Get the start time of a process, in clock ticks since boot, as /proc has it. */
int thr_process_began(pid_t pid, unsigned long long *ticks)
{
	char path[32], text[1024], *rest;
	ssize_t length;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return errno == ENOENT ? -ESRCH : -errno;
	length = read(fd, text, sizeof(text) - 1);
	close(fd);
	if (length <= 0)
		return -ESRCH;
	text[length] = '\0';
	/* The program's name in parentheses can have any characters. */
	rest = strrchr(text, ')');
	if (!rest || sscanf(rest + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d "
				      "%*d %*d %*d %*d %llu",
			    ticks) != 1)
		return -EPROTO;
	return 0;
}

void thr_segment_path(char *path, size_t size, pid_t pid, unsigned long long began, int name)
{
	snprintf(path, size, SEGMENT_FOLDER "/" SEGMENT_PREFIX "%d-%llu-%d", (int)pid, began, name);
}

/* True if the process that began then is still there. */
int thr_process_lives(pid_t pid, unsigned long long began)
{
	unsigned long long now;

	return !thr_process_began(pid, &now) && now == began;
}

/* Is the file locked by another open file description than @fd's? */
enum thr_lock thr_is_locked(int fd)
{
	struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};

	if (fcntl(fd, F_OFD_GETLK, &lock))
		return THR_FREE;
	/* Any user who may read the file can have a read lock, for example just after an exec. */
	return lock.l_type == F_WRLCK ? THR_LOCKED : lock.l_type == F_RDLCK ? THR_HIDDEN : THR_FREE;
}

/* Remove a file that no process writes any more, if the caller may. */
void thr_remove_dead(const char *path)
{
	int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);

	if (fd < 0)
		return;
	if (thr_is_locked(fd) != THR_LOCKED)
		unlink(path);
	close(fd);
}
