// SPDX-License-Identifier: GPL-2.0-or-later
/* The writer of the published table. The file is renamed last, so no reader sees half of it. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "complain.h"
#include "monotonic.h"
#include "proc.h"
#include "watch/published.h"

struct publisher {
	struct pmctrack_quality_head *head;
	struct pmctrack_quality_entry *entry;
	size_t size;
	unsigned int free;	/* where the search for an unused entry begins */
	bool full;
	int lock;
	unsigned int missing;
	char path[PATH_MAX];
};

/*
 * Take the lock, because two writers would take each other's readers. The lock is a separate file
 * beside @path, which is not removed. Returns -1 after printing the reason.
 */
static int lock(const char *path)
{
	char name[PATH_MAX + 8];
	int fd;

	snprintf(name, sizeof(name), "%s.lock", path);
	fd = open(name, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
	if (fd < 0) {
		complain("%s: %s", name, strerror(errno));
		return -1;
	}
	if (!flock(fd, LOCK_EX | LOCK_NB))
		return fd;
	complain("%s: another qualityd writes it", path);
	close(fd);
	return -1;
}

/* Create the directory of @path, if only the last one is missing. */
static void make_folder(const char *path)
{
	char folder[PATH_MAX], *slash;

	snprintf(folder, sizeof(folder), "%s", path);
	slash = strrchr(folder, '/');
	if (slash && slash != folder) {
		*slash = '\0';
		mkdir(folder, 0755);
	}
}

static int create(struct publisher *p, const char *new, mode_t mode, gid_t gid)
{
	int fd = open(new, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600), err;

	if (fd < 0)
		return -errno;
	if ((gid != (gid_t)-1 && fchown(fd, (uid_t)-1, gid)) || fchmod(fd, mode) ||
	    (errno = posix_fallocate(fd, 0, (off_t)p->size))) {
		err = -errno;
		close(fd);
		return err;
	}
	p->head = mmap(NULL, p->size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	return p->head == MAP_FAILED ? -errno : 0;
}

static void fill_head(struct publisher *p, unsigned int entries, unsigned int interval_ms)
{
	struct proc me = { .start = 0 };

	proc_read(getpid(), &me);
	*p->head = (struct pmctrack_quality_head){
		.magic = PMCTRACK_QUALITY_MAGIC,
		.version = PMCTRACK_QUALITY_VERSION,
		.head_size = sizeof(*p->head),
		.entry_size = sizeof(*p->entry),
		.nr_entries = entries,
		.interval_ms = interval_ms,
		.writer = getpid(),
		.writer_start = me.start,
		.updated_ns = monotonic_ns(),
	};
	p->entry = (struct pmctrack_quality_entry *)(p->head + 1);
}

struct publisher *publisher_open(const char *path, unsigned int entries, mode_t mode, gid_t gid,
				 unsigned int interval_ms)
{
	struct publisher *p = calloc(1, sizeof(*p));
	char new[PATH_MAX + 8];
	int err;

	if (!p || (size_t)snprintf(p->path, sizeof(p->path), "%s", path) >= sizeof(p->path)) {
		complain("%s: %s", path, p ? "too long" : "no memory");
		free(p);
		return NULL;
	}
	make_folder(path);
	snprintf(new, sizeof(new), "%s.new", path);
	p->size = sizeof(*p->head) + entries * sizeof(*p->entry);
	p->lock = lock(path);
	if (p->lock < 0) {
		free(p);
		return NULL;
	}
	/* Remove what a killed qualityd has left. */
	unlink(new);
	err = create(p, new, mode, gid);
	if (!err) {
		fill_head(p, entries, interval_ms);
		if (!rename(new, path))
			return p;
		err = -errno;
		munmap(p->head, p->size);
	}
	complain("%s: %s", path, strerror(-err));
	unlink(new);
	close(p->lock);
	free(p);
	return NULL;
}

/* Readers see the whole change, or read again. */
void publisher_write(struct pmctrack_quality_entry *to, const struct pmctrack_quality_entry *from)
{
	uint32_t seq = to->seq;
	const pmctrack_quality_word *words = (const pmctrack_quality_word *)from;
	volatile pmctrack_quality_word *out = (volatile pmctrack_quality_word *)to;

	__atomic_store_n(&to->seq, seq + 1, __ATOMIC_RELAXED);
	__atomic_thread_fence(__ATOMIC_RELEASE);
	/* The first word has the sequence count and the PID, so the PID is written separately. */
	__atomic_store_n(&to->pid, from->pid, __ATOMIC_RELAXED);
	for (unsigned int i = 1; i < sizeof(*to) / sizeof(*out); i++)
		out[i] = words[i];
	__atomic_store_n(&to->seq, seq + 2, __ATOMIC_RELEASE);
}

static int find_room(struct publisher *p)
{
	for (unsigned int n = 0; !p->full && n < p->head->nr_entries; n++) {
		unsigned int i = (p->free + n) % p->head->nr_entries;

		if (!p->entry[i].pid) {
			p->free = i + 1;
			return (int)i;
		}
	}
	p->full = true;
	return -1;
}

static bool publish(struct process *of, void *arg)
{
	struct publisher *p = arg;
	struct pmctrack_quality_entry e = {
		.pid = of->pid,
		.start = of->start,
		.cpu_ns = of->all.cpu_ns,
		.explained_ns = of->all.explained_ns,
		.quality_ns = of->all.quality_ns,
		.waited_ns = of->all.waited_ns,
		.instr = of->instr,
		.l1d_accesses = of->l1d_accesses,
		.updated_ns = of->updated_ns,
		.sample_age_ms = of->all.explained_ns ? (uint32_t)of->sample_age_ms : UINT32_MAX,
		.uid = of->uid,
		.cpu = of->cpu < 0 ? UINT32_MAX : (uint32_t)of->cpu,
	};
	const struct pmctrack_quality_entry none = { .pid = 0 };

	if (of->ended) {
		if (of->place >= 0)
			publisher_write(&p->entry[of->place], &none);
		p->full &= of->place < 0;
		return true;
	}
	if (of->place < 0)
		of->place = find_room(p);
	if (of->place < 0) {
		p->missing++;
		return false;
	}
	memcpy(e.name, of->name, sizeof(e.name));
	publisher_write(&p->entry[of->place], &e);
	return false;
}

void publisher_update(struct publisher *p, struct processes *processes, unsigned int refused)
{
	p->missing = refused;
	processes_each(processes, publish, p);
	p->head->missing = p->missing;
	__atomic_store_n(&p->head->updated_ns, monotonic_ns(), __ATOMIC_RELEASE);
}

void publisher_close(struct publisher *p)
{
	if (!p)
		return;
	unlink(p->path);
	munmap(p->head, p->size);
	close(p->lock);
	free(p);
}
