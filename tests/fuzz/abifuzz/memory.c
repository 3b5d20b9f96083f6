// SPDX-License-Identifier: GPL-2.0-or-later
#include "memory.h"

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "grammar.h"
#include "report.h"
#include "sessions.h"

#define ARENA		(32UL << 20)	/* address space of a slot */

static char *arena[NR_MAPS];
static long page;

void memory_init(void)
{
	page = sysconf(_SC_PAGESIZE);
	for (int i = 0; i < NR_MAPS; i++) {
		/* The page behind the arena is for addresses that are never valid. */
		arena[i] = mmap(NULL, ARENA + (size_t)page, PROT_NONE,
				MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
		if (arena[i] == MAP_FAILED)
			err(1, "arena");
	}
}

/* Remove what is mapped in @len bytes of an arena. */
static void arena_clear(char *at, size_t len)
{
	if (len && mmap(at, len, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0) != at)
		err(1, "arena");
}

void memory_clear(void)
{
	for (int i = 0; i < NR_MAPS; i++)
		arena_clear(arena[i], ARENA);
}

void memory_release(void)
{
	for (int i = 0; i < NR_MAPS; i++)
		munmap(arena[i], ARENA);
}

void *memory_bad_address(void)
{
	return arena[0] + ARENA;
}

/* A range of whole pages, as the next three arguments name it: mapping, offset, length. */
static char *arena_range(struct args *a, size_t *len)
{
	unsigned int slot = (unsigned int)next_number(a) % NR_MAPS;
	size_t at = next_number(a) % ARENA & ~((size_t)page - 1);

	*len = (next_number(a) + (size_t)page - 1) & ~((size_t)page - 1);
	if (*len > ARENA - at)
		*len = ARENA - at;
	return arena[slot] + at;
}

enum outcome op_map(struct args *a)
{
	unsigned int file;
	int fd = session_get(a, &file), prot, mode, flags = MAP_FIXED;
	char *to = arena[next_number(a) % NR_MAPS], *got;
	uint64_t offset = next_number(a), len = next_number(a);
	enum outcome result;

	if (fd < 0)
		return IDLE;
	prot = (int)next_number(a);
	mode = (int)next_number(a);
	flags |= mode == 7 ? MAP_PRIVATE : MAP_SHARED;
	flags |= mode == 6 ? MAP_LOCKED : 0;
	if (len > ARENA)
		len %= ARENA;
	/* Often this is the mapping that a reader makes. */
	if (mode < 3 && offset == 0)
		len = session_ctl_size();
	got = mmap(to, len, prot, flags, fd, (off_t)offset);
	result = judge(got == MAP_FAILED ? -1 : 0, "mmap", EINVAL, EPERM, EACCES, EAGAIN, ENOMEM, EOVERFLOW, 0);
	if (result == OK && mode == 7)
		broken("a private mapping of a session");
	if (result == OK && offset && prot & PROT_WRITE)
		broken("a writable mapping of records");
	/* A failed mmap() may have removed the mapping that was there. */
	if (result != OK)
		arena_clear(to, ARENA);
	close(fd);
	return result;
}

enum outcome op_unmap(struct args *a)
{
	size_t len;
	char *at = arena_range(a, &len);
	enum outcome got = judge(munmap(at, len), "munmap", EINVAL, ENOMEM, 0);

	arena_clear(at, len);
	return got;
}

enum outcome op_protect(struct args *a)
{
	size_t len;
	char *at = arena_range(a, &len);

	return judge(mprotect(at, len, (int)next_number(a)), "mprotect", EACCES, ENOMEM, EINVAL, 0);
}

/* Mappings of sessions can be moved and cut, but they never grow. */
enum outcome op_remap(struct args *a)
{
	unsigned int from = (unsigned int)next_number(a) % NR_MAPS, to = (unsigned int)next_number(a) % NR_MAPS;
	size_t at = next_number(a) % ARENA & ~((size_t)page - 1);
	size_t len = next_number(a) % (ARENA - at), new_len = next_number(a) % ARENA + 1;
	size_t all = (len + (size_t)page - 1) & ~((size_t)page - 1);
	void *got = mremap(arena[from] + at, len, new_len, MREMAP_MAYMOVE | MREMAP_FIXED, arena[to]);

	if (got != MAP_FAILED && from != to)
		arena_clear(arena[from] + at, all);
	else if (got == MAP_FAILED)
		arena_clear(arena[to], ARENA);
	return judge(got == MAP_FAILED ? -1 : 0, "mremap", EINVAL, EFAULT, ENOMEM, EAGAIN, 0);
}

/* The access is a system call, which returns an error if nothing is mapped there. */
enum outcome op_touch(struct args *a)
{
	char *at = arena[next_number(a) % NR_MAPS];
	uint64_t offset = next_number(a) % ARENA & ~7ULL, value;
	bool write_it = next_number(a);
	enum outcome got;
	int fds[2];

	value = next_number(a);
	if (pipe2(fds, O_CLOEXEC | O_NONBLOCK))
		return IDLE;
	if (!write_it) {
		got = judge(write(fds[1], at + offset % (1 << 17), 8), "touch", EFAULT, 0);
	} else {
		/* It is not known which session this mapping is of. */
		session_spoil_all();
		if (write(fds[1], &value, sizeof(value)) != sizeof(value))
			broken("pipe: %s", strerror(errno));
		got = judge(read(fds[0], at + offset % session_ctl_size(), 8), "touch", EFAULT, 0);
	}
	close(fds[0]);
	close(fds[1]);
	return got;
}
