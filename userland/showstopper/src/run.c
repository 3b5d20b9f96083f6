// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "monotonic.h"
#include "proc.h"
#include "run.h"

int64_t run_now(void)
{
	return (int64_t)monotonic_ns();
}

int64_t run_own_time(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

bool run_is_silent(int64_t at, int64_t patience)
{
	return at && run_now() - at > patience;
}

bool run_is_hung(pid_t pid, int64_t at, int64_t patience)
{
	struct proc p;

	return run_is_silent(at, patience) && !proc_read(pid, &p) && p.state != 'R';
}

bool run_is_attended(const struct run *run)
{
	return !run->paused && !run->master_hung && !run->guardian_hung;
}

/* Returns 0 for a folder in which no other user can replace or add files. */
static int check_folder(const char *path)
{
	struct stat st;

	if (lstat(path, &st))
		return -errno;
	return S_ISDIR(st.st_mode) && st.st_uid == geteuid() && !(st.st_mode & 022) ? 0 : -EPERM;
}

bool run_folder_name(unsigned int i, char *path, size_t size)
{
	const char *wanted = getenv("SHOWSTOPPER_RUNS"), *base = getenv("XDG_RUNTIME_DIR");
	bool root = !geteuid();
	char usual[40];

	snprintf(usual, sizeof(usual), "/run/user/%u", geteuid());
	if (wanted && *wanted)
		return !i && snprintf(path, size, "%s", wanted) < (int)size;
	/* The runtime folder of a user who has become another one (su, sudo) is not used. */
	if (root || !base || !*base || !strcmp(base, usual) || check_folder(base))
		i++;
	switch (i) {
	case 0:	return snprintf(path, size, "%s/showstopper", base) < (int)size;
	case 1:	return snprintf(path, size, "%s/showstopper", root ? "/run" : usual) < (int)size;
	case 2:	return snprintf(path, size, "/tmp/showstopper-%u", geteuid()) < (int)size;
	default: return false;
	}
}

int run_folder(char *path, size_t size)
{
	int err = -ENAMETOOLONG;
	unsigned int i;

	for (i = 0; run_folder_name(i, path, size); i++) {
		err = mkdir(path, 0700) && errno != EEXIST ? -errno : check_folder(path);
		if (!err)
			break;
	}
	return err;
}

struct run *run_create(uint32_t nr, char *path, size_t size)
{
	struct proc self;
	struct run *run;
	size_t n;
	int fd, err = run_folder(path, size);

	if (err || proc_read(getpid(), &self)) {
		errno = err ? -err : ESRCH;
		return NULL;
	}
	n = strlen(path);
	snprintf(path + n, size - n, "/%d.%llu", self.pid, (unsigned long long)self.start);
	fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0)
		return NULL;
	run = MAP_FAILED;
	if (!posix_fallocate(fd, 0, sizeof(*run)))
		run = mmap(NULL, sizeof(*run), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	if (run == MAP_FAILED) {
		unlink(path);
		errno = ENOMEM;
		return NULL;
	}
	run->version = RUN_VERSION;
	run->nr = nr;
	run->guardian = self.pid;
	run->guardian_start = self.start;
	for (n = 0; n < RUN_MAX_UNITS; n++)
		run->outputs[n] = -1;
	atomic_thread_fence(memory_order_release);
	run->magic = RUN_MAGIC;
	return run;
}

struct run *run_open(const char *path)
{
	int fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
	struct run *run = MAP_FAILED;
	struct stat st;

	if (fd < 0)
		return NULL;
	if (!fstat(fd, &st) && st.st_size == sizeof(*run) && st.st_uid == geteuid())
		run = mmap(NULL, sizeof(*run), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	if (run == MAP_FAILED)
		return NULL;
	if (run->magic == RUN_MAGIC && run->version == RUN_VERSION && run->nr <= RUN_MAX_UNITS)
		return run;
	munmap(run, sizeof(*run));
	return NULL;
}
