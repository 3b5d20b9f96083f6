// SPDX-License-Identifier: GPL-2.0-or-later
#include "tap.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include "monotonic.h"
#include "throughput.h"

/* A pipe holds 1 MiB at most, of which a read takes 64 KiB. */
#define PIPE_READS 32
/* Seconds for which a log is still read after a new file has taken its name. */
#define OLD_S 60

int tap_open(struct tap *t)
{
	int ends[2];

	t->to = fcntl(t->fd, F_DUPFD_CLOEXEC, 3);
	if (t->to < 0 || pipe2(ends, O_CLOEXEC))
		return -errno;
	t->from = ends[0];
	if (dup2(ends[1], t->fd) < 0)
		return -errno;
	close(ends[1]);
	return 0;
}

void tap_forked(struct tap *t)
{
	if (t->to < 0)
		return;
	dup2(t->to, t->fd);
	close(t->to);
	t->to = t->fd;
}

static bool write_all(int fd, const char *bytes, size_t nr)
{
	ssize_t n;

	while (nr) {
		n = write(fd, bytes, nr);
		if (n < 0 && errno == EINTR)
			continue;
		/* The reader is slow, and somebody has made the descriptor non-blocking. */
		if (n < 0 && errno == EAGAIN) {
			struct pollfd room = {.fd = fd, .events = POLLOUT};

			poll(&room, 1, -1);
			continue;
		}
		if (n <= 0)
			return false;
		bytes += n;
		nr -= (size_t)n;
	}
	return true;
}

void tap_take(struct tap *t, struct matcher *m)
{
	char bytes[65536];
	ssize_t n = read(t->from, bytes, sizeof(bytes));

	if (n > 0 && t->counts)
		throughput_tick(matcher_take(m, &t->stream, bytes, (size_t)n));
	/* Nobody reads our output any more: the program is to learn that. */
	if (n > 0 && write_all(t->to, bytes, (size_t)n))
		return;
	if (n < 0 && errno == EINTR)
		return;
	close(t->from);
	t->from = -1;
}

void tap_end(struct tap *t, struct matcher *m)
{
	struct pollfd fd;
	int reads;

	/*
	 * Processes that the program has started may go on for ever, so only what was in the pipe
	 * counts.
	 */
	for (reads = 0; t->from >= 0 && reads < PIPE_READS; reads++) {
		fd = (struct pollfd){.fd = t->from, .events = POLLIN};
		if (poll(&fd, 1, 0) <= 0)
			break;
		tap_take(t, m);
	}
}

void tail_begin(struct tail *t, const char *path)
{
	*t = (struct tail){.path = path, .file = {.fd = -1}, .old = {.fd = -1}};
}

static void read_log(struct log_file *f, struct matcher *m)
{
	char bytes[65536];
	ssize_t n;

	while (f->fd >= 0 && (n = pread(f->fd, bytes, sizeof(bytes), f->at)) > 0) {
		f->at += n;
		throughput_tick(matcher_take(m, &f->stream, bytes, (size_t)n));
	}
}

static void close_log(struct log_file *f)
{
	if (f->fd >= 0)
		close(f->fd);
	f->fd = -1;
}

void tail_follow(struct tail *t, struct matcher *m, bool first)
{
	struct stat st;

	read_log(&t->old, m);
	if (t->old.fd >= 0 && monotonic_s() - t->rotated_s > OLD_S)
		close_log(&t->old);
	read_log(&t->file, m);
	if (stat(t->path, &st))
		return;
	if (t->file.fd >= 0 && st.st_ino == t->inode && st.st_size >= t->file.at)
		return;
	if (t->file.fd >= 0 && st.st_ino != t->inode) {
		close_log(&t->old);
		t->old = t->file;
		t->rotated_s = monotonic_s();
	} else {
		close_log(&t->file);
	}
	t->file = (struct log_file){
		.fd = open(t->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), .at = first ? st.st_size : 0,
	};
	t->inode = st.st_ino;
}
