// SPDX-License-Identifier: LGPL-2.1-or-later
/* The part of libthroughput for programs that read what others deliver. */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "monotonic.h"
#include "process.h"
#include "segment.h"

/* Looks that are remembered for rates: 10 s, if they are 10 ms apart. */
#define LOOKS 1024
/* Tries to read a head. A writer that stops in the middle of a change is not waited for. */
#define TRIES 16
#define HEAD_BYTES offsetof(struct segment, slot)

struct look {
	uint64_t ns;
	uint64_t count;
};

/*
 * @head: what the application said of itself last, as a writer left it, if @has_head
 * @unfinished: number of the change that was under way at the last look
 * @slots: number of slots that were in use at the last look
 * @count: the greatest count so far
 * @look: a ring of looks; @nr were written
 */
struct throughput_reader {
	int fd;
	pid_t pid;
	uid_t uid;
	uint64_t began;
	bool is_public;
	char head[HEAD_BYTES];
	bool has_head;
	uint32_t unfinished;
	uint64_t began_ns;
	uint32_t slots;
	uint64_t count;
	unsigned long nr;
	struct look look[LOOKS];
};

static int read_at(int fd, void *to, size_t bytes, size_t at)
{
	return pread(fd, to, bytes, (off_t)at) == (ssize_t)bytes ? 0 : -EPROTO;
}

/*
 * Read all but the slots, as one writer left it. Usually it is the same as before. If a writer has
 * died in the middle of a change, what it left is taken as it is, at the second look.
 */
static int read_head(struct throughput_reader *r, struct segment *head)
{
	unsigned int i;
	uint32_t changes;

	for (i = 0; i < TRIES; i++) {
		if (read_at(r->fd, head, HEAD_BYTES, 0))
			return -EPROTO;
		if (r->has_head && !memcmp(head, r->head, HEAD_BYTES))
			return 0;
		if (head->magic != SEGMENT_MAGIC || head->version != SEGMENT_VERSION ||
		    head->bytes != sizeof(*head))
			return -EPROTO;
		if (head->changes & 1 ||
		    read_at(r->fd, &changes, sizeof(changes), offsetof(struct segment, changes)))
			continue;
		if (changes == head->changes) {
			memcpy(r->head, head, HEAD_BYTES);
			r->has_head = true;
			return 0;
		}
	}
	/*
	 * A change is under way: the last head is used, but only at the first look with this
	 * change.
	 */
	if (r->has_head && r->unfinished != head->changes) {
		r->unfinished = head->changes;
		memcpy(head, r->head, HEAD_BYTES);
	}
	return 0;
}

/*
 * Make the text printable, because others have written it, and it is shown on terminals and is a
 * part of names.
 */
static void copy_text(char *to, const char *from)
{
	size_t i;

	for (i = 0; i < THROUGHPUT_NAME - 1 && from[i]; i++)
		to[i] = isascii((unsigned char)from[i]) && isprint((unsigned char)from[i]) ? from[i] : '?';
	to[i] = '\0';
}

static double goal_of(double goal)
{
	return isfinite(goal) && goal > 0 ? goal : 0;
}

/* Open a file that looks like one of an application. @st is filled in. */
static int open_file(const char *path, struct stat *st)
{
	int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);

	if (fd < 0)
		return errno == ELOOP ? -EPROTO : -errno;
	if (fstat(fd, st) || !S_ISREG(st->st_mode) || st->st_size != sizeof(struct segment)) {
		close(fd);
		return -EPROTO;
	}
	return fd;
}

/*
 * False if a file has the name of another user's process. If the process has ended, processes that
 * it forked may go on, and nobody can tell which they are.
 */
static bool is_of_process(pid_t pid, unsigned long long began, uid_t uid)
{
	unsigned long long now;
	char path[32];
	struct stat st;

	if (thr_process_began(pid, &now) || now != began)
		return true;
	snprintf(path, sizeof(path), "/proc/%d", (int)pid);
	return !stat(path, &st) && st.st_uid == uid;
}

/*
 * True if a process may still tick there. If a reader's lock hides that of the processes, it must
 * be the process that registered itself, and not one that it forked.
 */
static bool is_alive(int fd, pid_t pid, unsigned long long began)
{
	enum thr_lock lock = thr_is_locked(fd);

	return lock == THR_LOCKED || (lock == THR_HIDDEN && thr_process_lives(pid, began));
}

/* Parse the name of a file in SEGMENT_FOLDER. */
static bool parse(const char *name, pid_t *pid, unsigned long long *began, int *number)
{
	int end = 0;

	return sscanf(name, SEGMENT_PREFIX "%d-%llu-%d%n", pid, began, number, &end) == 3 &&
	       !name[end] && *pid > 0 && *number >= 0;
}

/*
 * True if a process may still tick there. The file of a dead application is removed, if the caller
 * may. A file that is not locked yet, because it is being made, is not removed.
 */
static bool is_living(const char *path, pid_t pid, unsigned long long began)
{
	struct stat st;
	int fd = open_file(path, &st);
	bool alive;

	if (fd < 0)
		return false;
	alive = is_alive(fd, pid, began);
	close(fd);
	if (!alive && !thr_process_lives(pid, began))
		thr_remove_dead(path);
	return alive;
}

int throughput_some(unsigned long *first, unsigned long most, bool (*known)(pid_t pid, void *data),
		    int (*found)(pid_t pid, void *data), void *data)
{
	DIR *folder = opendir(SEGMENT_FOLDER);
	unsigned long number = 0, begin = *first;
	char path[300];
	unsigned long long began;
	struct dirent *entry;
	int err = 0, nr;
	pid_t pid;

	if (!folder)
		return -errno;
	*first = 0;
	while (!err && (entry = readdir(folder))) {
		if (!parse(entry->d_name, &pid, &began, &nr) || number++ < begin)
			continue;
		if (number - begin > most) {
			*first = begin + most;
			break;
		}
		if (known && known(pid, data))
			continue;
		snprintf(path, sizeof(path), SEGMENT_FOLDER "/%s", entry->d_name);
		if (is_living(path, pid, began))
			err = found(pid, data);
	}
	if (err)
		*first = number;
	closedir(folder);
	return err;
}

int throughput_each(int (*found)(pid_t pid, void *data), void *data)
{
	unsigned long first = 0;

	return throughput_some(&first, ULONG_MAX, NULL, found, data);
}

/* Open one of a process's files. */
static int open_of(const char *path, pid_t pid, unsigned long long began, struct throughput_reader *r)
{
	struct stat st;
	int fd = open_file(path, &st);

	if (fd >= 0 && !is_of_process(pid, began, st.st_uid)) {
		close(fd);
		return -ESRCH;
	}
	r->fd = fd;
	r->pid = pid;
	r->uid = st.st_uid;
	r->began = began;
	r->is_public = fd >= 0 && st.st_mode & S_IROTH;
	return fd < 0 ? fd : 0;
}

/*
 * Try the usual names of the process's file. Others can have made files of some of these names, so
 * an error only counts if no other file is the process's.
 */
static int find_living(pid_t pid, struct throughput_reader *r)
{
	unsigned long long began;
	int i, err, found = -ESRCH;
	char path[64];

	if (thr_process_began(pid, &began))
		return -ESRCH;
	for (i = 0; i < SEGMENT_NAMES; i++) {
		thr_segment_path(path, sizeof(path), pid, began, i);
		err = open_of(path, pid, began, r);
		if (!err)
			return 0;
		if (err != -ENOENT && err != -ESRCH)
			found = err;
	}
	return found;
}

/* Try all names: the process may have ended while processes that it forked go on. */
static int find_any(pid_t pid, struct throughput_reader *r)
{
	DIR *folder = opendir(SEGMENT_FOLDER);
	unsigned long long began, now;
	bool lives = !thr_process_began(pid, &now);
	int err = -ESRCH, one, number;
	struct dirent *entry;
	char path[300];
	pid_t of;

	if (!folder)
		return -errno;
	while (err && (entry = readdir(folder))) {
		/* A process that lives has files of no other one that had its PID. */
		if (!parse(entry->d_name, &of, &began, &number) || of != pid || (lives && began != now))
			continue;
		snprintf(path, sizeof(path), SEGMENT_FOLDER "/%s", entry->d_name);
		one = open_of(path, pid, began, r);
		if (one != -ENOENT && one != -ESRCH)
			err = one;
	}
	closedir(folder);
	return err;
}

static int look(struct throughput_reader *r)
{
	struct look *last = r->nr ? &r->look[(r->nr - 1) % LOOKS] : NULL;
	uint64_t ns = monotonic_ns(), count;

	if (last && ns - last->ns < THROUGHPUT_REFRESH_NS)
		return 0;
	if (throughput_read(r, &count))
		return -EPROTO;
	r->look[r->nr++ % LOOKS] = (struct look){.ns = ns, .count = count};
	return 0;
}

int throughput_open(pid_t pid, struct throughput_reader **reader)
{
	struct throughput_reader *r = calloc(1, sizeof(*r));
	struct segment head;
	int err;

	if (!r)
		return -ENOMEM;
	err = find_living(pid, r);
	if (err)
		err = find_any(pid, r);
	if (err) {
		free(r);
		return err;
	}
	err = read_head(r, &head);
	if (!err) {
		r->began_ns = head.began_ns;
		err = look(r);
	}
	if (err) {
		throughput_close(r);
		return err;
	}
	*reader = r;
	return 0;
}

void throughput_close(struct throughput_reader *reader)
{
	if (!reader)
		return;
	close(reader->fd);
	free(reader);
}

int throughput_info(struct throughput_reader *r, struct throughput_info *info)
{
	struct segment head;
	int err = read_head(r, &head);

	if (err)
		return err;
	*info = (struct throughput_info){
		.pid = r->pid,
		.uid = r->uid,
		.began = r->began,
		.is_public = r->is_public,
		.alive = is_alive(r->fd, r->pid, r->began),
		.goal_min = goal_of(head.goal_min),
		.goal_max = goal_of(head.goal_max),
		.weight = head.weight >= 1 && head.weight <= 1000 ? head.weight : 100,
		.began_ns = head.began_ns,
	};
	if (info->goal_max < info->goal_min)
		info->goal_max = info->goal_min;
	copy_text(info->name, head.name);
	copy_text(info->unit, head.unit);
	return 0;
}

int throughput_read(struct throughput_reader *r, uint64_t *count)
{
	struct segment s;
	uint64_t sum = 0;
	uint32_t next, i;

	/* Read as many slots as last time; there are seldom more. */
	next = r->slots ? r->slots : 1;
	do {
		r->slots = next;
		if (read_at(r->fd, &s, offsetof(struct segment, slot) + next * sizeof(s.slot[0]), 0))
			return -EPROTO;
		next = s.next < SEGMENT_SLOTS ? s.next : SEGMENT_SLOTS;
	} while (next > r->slots);
	for (i = 0; i < r->slots; i++)
		sum += s.slot[i].count;
	/*
	 * The count never decreases: slots are not read at one moment, and a hostile writer can
	 * lower them.
	 */
	if (sum > r->count)
		r->count = sum;
	*count = r->count;
	return 0;
}

/* Returns the last look that is at least as old as @from; the oldest one, if there is none. */
static const struct look *oldest_in(const struct throughput_reader *r, uint64_t from)
{
	unsigned long first = r->nr > LOOKS ? r->nr - LOOKS : 0, last = r->nr - 1, middle;

	while (first < last) {
		middle = first + (last - first + 1) / 2;
		if (r->look[middle % LOOKS].ns > from)
			last = middle - 1;
		else
			first = middle;
	}
	return &r->look[first % LOOKS];
}

static double rate_of(uint64_t units, uint64_t ns)
{
	return ns ? (double)units * 1e9 / (double)ns : 0;
}

int throughput_rate(struct throughput_reader *r, uint64_t window_ns, double *rate)
{
	const struct look *now, *then;

	if (look(r))
		return -EPROTO;
	now = &r->look[(r->nr - 1) % LOOKS];
	then = oldest_in(r, now->ns - (window_ns < now->ns ? window_ns : now->ns));
	if (then == now)
		*rate = now->ns > r->began_ns ? rate_of(now->count, now->ns - r->began_ns) : 0;
	else
		*rate = rate_of(now->count - then->count, now->ns - then->ns);
	return 0;
}
