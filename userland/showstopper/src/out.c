// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "complain.h"
#include "out.h"
#include "run.h"
#include "signals.h"
#include "trace.h"

/* The most bytes that are kept: hours of a log. */
#define MOST_KEPT	(1 << 20)

int out_open(const char *path)
{
	const int flags = O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC;
	struct stat st;
	int fd = -1;

	if (!strcmp(path, "-")) {
		fd = fcntl(1, F_DUPFD_CLOEXEC, 0);
		return fd < 0 ? -errno : fd;
	}
	if (!stat(path, &st) && S_ISFIFO(st.st_mode)) {
		fd = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC);
		if (fd < 0 && errno == ENXIO)
			complain("%s: nobody reads this FIFO: waiting for a reader; nothing has been started, Ctrl-C gives up",
				 path);
	}
	if (fd < 0)
		fd = open(path, flags, 0666);
	return fd < 0 ? -errno : fd;
}

bool out_is_ready(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLOUT };

	return poll(&p, 1, 0) > 0;
}

/*
 * Do one write(). Another process that writes to a pipe may have filled it since poll() said that
 * there is room. Signals of a timer, which repeats, then end the wait. alarm() is not used, because
 * the process that has started showstopper may have set it to end it.
 */
static ssize_t write_some(int fd, const char *text, size_t n)
{
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGNALS_TIMER };
	const struct itimerspec often = { { 0, 20 * NS_PER_MS }, { 0, 20 * NS_PER_MS } };
	timer_t timer;
	bool timed = !timer_create(CLOCK_MONOTONIC, &event, &timer);
	ssize_t done;

	if (timed)
		timer_settime(timer, 0, &often, NULL);
	done = write(fd, text, n);
	if (done < 0)
		done = errno == EINTR || errno == EAGAIN ? 0 : -errno;
	if (timed)
		timer_delete(timer);
	return done;
}

ssize_t out_write(int fd, const char *text, size_t n, int64_t patience)
{
	struct pollfd p = { .fd = fd, .events = POLLOUT };
	int64_t left = patience, until = run_now() + patience;
	size_t done = 0;
	ssize_t now;

	do {
		if (poll(&p, 1, left > 0 ? (int)(left / NS_PER_MS) + 1 : 0) > 0) {
			now = write_some(fd, text + done, n - done);
			if (now < 0)
				return now;
			done += now;
		}
		left = until - run_now();
	} while (done < n && left > 0);
	return done;
}

/* Make room for twice as much. */
static bool enlarge(struct out *o)
{
	size_t size = o->size ? 2 * o->size : 4096;
	char *text = size > MOST_KEPT ? NULL : realloc(o->text, size);

	if (!text)
		return false;
	o->text = text;
	o->size = size;
	return true;
}

void out_print(struct out *o, const char *fmt, ...)
{
	char line[512];
	va_list args;
	size_t n;

	va_start(args, fmt);
	vsnprintf(line, sizeof(line), fmt, args);
	va_end(args);
	n = strlen(line);
	if (o->n + n > o->size && !enlarge(o)) {
		o->full = true;
		return;
	}
	memcpy(o->text + o->n, line, n);
	o->n += n;
}

int out_flush(struct out *o, int64_t patience)
{
	ssize_t done;

	if (!o->n)
		return 0;
	done = out_write(o->fd, o->text, o->n, patience);
	if (done < 0) {
		/* Drop the text, because the write would fail again. */
		o->n = 0;
		return done;
	}
	o->n -= done;
	memmove(o->text, o->text + done, o->n);
	return o->n ? -EAGAIN : 0;
}

int out_close(struct out *o, int64_t patience)
{
	int err = out_flush(o, patience);

	if (err == -EAGAIN || (!err && o->full))
		err = -ETIMEDOUT;
	if (o->fd >= 0 && close(o->fd) && !err)
		err = -errno;
	free(o->text);
	*o = (struct out){ .fd = -1 };
	return err;
}

const char *out_error(int err)
{
	return err == -ETIMEDOUT ? "its reader does not read: lines are missing" : strerror(-err);
}
