// SPDX-License-Identifier: GPL-2.0-or-later
/* The reader. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "complain.h"
#include "proc.h"
#include "watch/published.h"

struct published {
	const struct pmctrack_quality_head *head;
	size_t size;
};

/* A hostile or broken file has no entries outside of it. */
static bool is_whole(const struct pmctrack_quality_head *head, size_t size)
{
	return size >= sizeof(*head) && head->magic == PMCTRACK_QUALITY_MAGIC &&
	       head->version == PMCTRACK_QUALITY_VERSION && head->head_size >= sizeof(*head) &&
	       head->head_size % 8 == 0 && head->entry_size % 8 == 0 &&
	       head->entry_size >= sizeof(struct pmctrack_quality_entry) && head->head_size <= size &&
	       head->nr_entries <= (size - head->head_size) / head->entry_size;
}

struct published *published_open(const char *path)
{
	struct published *p = calloc(1, sizeof(*p));
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;
	void *map = MAP_FAILED;

	if (p && fd >= 0 && !fstat(fd, &st) && st.st_size > 0) {
		p->size = (size_t)st.st_size;
		map = mmap(NULL, p->size, PROT_READ, MAP_SHARED, fd, 0);
	}
	if (fd < 0)
		complain("%s: %s; is qualityd(8) running, and may you read it?", path, strerror(errno));
	else if (map == MAP_FAILED || !p)
		complain("%s: cannot be mapped", path);
	else if (!is_whole(map, p->size))
		complain("%s: not a table of qualityd(8), or of another version", path);
	if (fd >= 0)
		close(fd);
	if (map != MAP_FAILED && is_whole(map, p->size)) {
		p->head = map;
		return p;
	}
	if (map != MAP_FAILED)
		munmap(map, p->size);
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

bool published_each(struct published *p, void (*fn)(const struct pmctrack_quality_entry *e, void *arg),
		    void *arg)
{
	struct pmctrack_quality_entry e;

	for (uint32_t i = 0; i < p->head->nr_entries; i++) {
		if (!pmctrack_quality_read(p->head, i, &e))
			continue;
		e.name[sizeof(e.name) - 1] = '\0';
		fn(&e, arg);
	}
	return proc_is(p->head->writer, p->head->writer_start);
}

uint32_t published_missing(const struct published *p)
{
	return p->head->missing;
}
