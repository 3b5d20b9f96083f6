// SPDX-License-Identifier: GPL-2.0-or-later
/* The reader of the table that qualityd publishes. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "complain.h"
#include "monotonic.h"
#include "watch/published.h"

/* The table is stale if it was not written for this many intervals, and for this long. */
#define STALE_INTERVALS	8
#define STALE_LEAST_NS	2000000000

struct published {
	const struct pmctrack_quality_head *head;
	size_t size;
};

/* True if all entries are inside the file, which may be hostile or broken. */
static bool is_whole(const struct pmctrack_quality_head *head, size_t size)
{
	return size >= sizeof(*head) && head->magic == PMCTRACK_QUALITY_MAGIC &&
	       head->version == PMCTRACK_QUALITY_VERSION && head->head_size >= sizeof(*head) &&
	       head->head_size % 8 == 0 && head->entry_size % 8 == 0 &&
	       head->entry_size >= sizeof(struct pmctrack_quality_entry) && head->head_size <= size &&
	       head->nr_entries <= (size - head->head_size) / head->entry_size;
}

/* Map a regular file that only root or this user may write. Other kinds may wait for ever. */
static const void *map_file(const char *path, size_t *size, const char **why)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
	const void *map = NULL;
	struct stat st;

	if (fd < 0) {
		*why = strerror(errno);
		return NULL;
	}
	if (fstat(fd, &st) || !S_ISREG(st.st_mode))
		*why = "not a file";
	else if ((st.st_uid && st.st_uid != geteuid()) || st.st_mode & 022)
		*why = "others may have written it";
	else if (st.st_size < (off_t)sizeof(struct pmctrack_quality_head))
		*why = "not a table of qualityd(8)";
	else {
		*size = (size_t)st.st_size;
		map = mmap(NULL, *size, PROT_READ, MAP_SHARED, fd, 0);
		if (map == MAP_FAILED) {
			*why = strerror(errno);
			map = NULL;
		}
	}
	close(fd);
	if (map && !is_whole(map, *size)) {
		*why = "not a table of qualityd(8), or of another version";
		munmap((void *)map, *size);
		map = NULL;
	}
	return map;
}

struct published *published_open(const char *path)
{
	struct published *p = calloc(1, sizeof(*p));
	const char *why = "no memory";

	if (p)
		p->head = map_file(path, &p->size, &why);
	if (p && p->head)
		return p;
	complain("%s: %s; is qualityd(8) running, and may you read it?", path, why);
	free(p);
	return NULL;
}

void published_close(struct published *p)
{
	if (!p)
		return;
	munmap((void *)p->head, p->size);
	free(p);
}

void published_each(const struct published *p,
		    void (*fn)(const struct pmctrack_quality_entry *e, void *arg), void *arg)
{
	struct pmctrack_quality_entry e;

	for (uint32_t i = 0; i < p->head->nr_entries; i++) {
		if (!pmctrack_quality_read(p->head, i, &e))
			continue;
		e.name[sizeof(e.name) - 1] = '\0';
		fn(&e, arg);
	}
}

static bool is_stale(const struct pmctrack_quality_head *head)
{
	uint64_t updated = __atomic_load_n(&head->updated_ns, __ATOMIC_ACQUIRE), limit;

	limit = STALE_INTERVALS * (uint64_t)head->interval_ms * 1000000;
	if (limit < STALE_LEAST_NS)
		limit = STALE_LEAST_NS;
	return monotonic_ns() > updated + limit;
}

bool published_is_stale(const struct published *p)
{
	return is_stale(p->head);
}

bool published_reopen(struct published *p, const char *path)
{
	const struct pmctrack_quality_head *head;
	const char *why;
	size_t size;

	head = map_file(path, &size, &why);
	if (head && is_stale(head)) {
		munmap((void *)head, size);
		head = NULL;
	}
	if (!head)
		return false;
	munmap((void *)p->head, p->size);
	p->head = head;
	p->size = size;
	return true;
}

double published_interval_s(const struct published *p)
{
	return p->head->interval_ms / 1000.0;
}

uint32_t published_missing(const struct published *p)
{
	return p->head->missing;
}
