// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A slow disk for the runner's own tests. If this is preloaded into QEMU, every 40th read of a
 * guest's file takes three seconds, as on a busy machine, and adds a line to the file SLOW_READS.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/uio.h>
#include <unistd.h>

static void note(void)
{
	const char *path = getenv("SLOW_READS");
	int fd = path ? open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600) : -1;

	if (fd >= 0 && write(fd, "slow\n", 5) != 5)
		abort();
	close(fd);
}

ssize_t preadv64(int fd, const struct iovec *iov, int count, off64_t offset)
{
	static _Atomic unsigned int reads;
	ssize_t (*real)(int, const struct iovec *, int, off64_t);

	*(void **)&real = dlsym(RTLD_NEXT, "preadv64");
	if (atomic_fetch_add(&reads, 1) % 40 == 39) {
		sleep(3);
		note();
	}
	return real(fd, iov, count, offset);
}
