/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Part of programs/abifuzz.c: mappings of sessions. Each slot has an arena of
 * address space that is always mapped, so that nothing else can come there.
 */
#ifndef PMCT_ABI_MEMORY_H
#define PMCT_ABI_MEMORY_H

/* Nothing is there, in @len bytes of an arena. */
static void arena_clear(char *at, size_t len)
{
	if (len && mmap(at, len, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0) != at)
		err(1, "arena");
}

/* A forked child has no mappings of sessions, but holes where they were. */
static void arenas_of_child(void)
{
	for (int i = 0; i < NR_MAPS; i++)
		arena_clear(arena[i], ARENA);
}

static void arenas_make(void)
{
	for (int i = 0; i < NR_MAPS; i++) {
		/* And a page behind it, for addresses that are never good. */
		arena[i] = mmap(NULL, ARENA + (size_t)page, PROT_NONE,
				MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
		if (arena[i] == MAP_FAILED)
			err(1, "arena");
	}
}

/* A range of whole pages in an arena. */
static char *arena_range(struct args *a, size_t *len)
{
	unsigned int slot = (unsigned int)next_number(a) % NR_MAPS;
	size_t at = next_number(a) % ARENA & ~((size_t)page - 1);

	*len = (next_number(a) + (size_t)page - 1) & ~((size_t)page - 1);
	if (*len > ARENA - at)
		*len = ARENA - at;
	return arena[slot] + at;
}

/* map SESSION MAPPING OFFSET LENGTH PROTECTION MODE: 7: private; 6: locked */
static enum outcome op_map(struct args *a)
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
	/* What does belong together, often. */
	if (mode < 3 && offset == 0)
		len = ctl_size();
	got = mmap(to, len, prot, flags, fd, (off_t)offset);
	result = judge(got == MAP_FAILED ? -1 : 0, "mmap", EINVAL, EPERM, EACCES, EAGAIN, ENOMEM, EOVERFLOW, 0);
	if (result == OK && mode == 7)
		broken("a private mapping of a session");
	if (result == OK && offset && prot & PROT_WRITE)
		broken("a writable mapping of records");
	/* A failure may have removed what was there. */
	if (result != OK)
		arena_clear(to, ARENA);
	close(fd);
	return result;
}

static enum outcome op_unmap(struct args *a)
{
	size_t len;
	char *at = arena_range(a, &len);
	enum outcome got = judge(munmap(at, len), "munmap", EINVAL, ENOMEM, 0);

	arena_clear(at, len);
	return got;
}

static enum outcome op_protect(struct args *a)
{
	size_t len;
	char *at = arena_range(a, &len);

	return judge(mprotect(at, len, (int)next_number(a)), "mprotect", EACCES, ENOMEM, EINVAL, 0);
}

/* remap MAPPING TO OFFSET LENGTH NEW: sessions' mappings can be moved and cut, but never grow */
static enum outcome op_remap(struct args *a)
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

/* touch MAPPING OFFSET WRITE VALUE: by a system call, which does not mind if nothing is there */
static enum outcome op_touch(struct args *a)
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
		/* Which session's it was, is not known: all have been spoilt. */
		for (int i = 0; i < NR_SESSIONS; i++) {
			if (sessions[i].fd >= 0)
				shared->spoilt[sessions[i].file] = true;
		}
		if (write(fds[1], &value, sizeof(value)) != sizeof(value))
			broken("pipe: %s", strerror(errno));
		got = judge(read(fds[0], at + offset % ctl_size(), 8), "touch", EFAULT, 0);
	}
	close(fds[0]);
	close(fds[1]);
	return got;
}

#endif /* PMCT_ABI_MEMORY_H */
