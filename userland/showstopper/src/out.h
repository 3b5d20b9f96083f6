/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Logs and messages whose reader may be slow, or hang: a full pipe, a terminal after Ctrl-S. A
 * process that controls programs, or looks after them, does not wait for such a reader.
 */
#ifndef SHOWSTOPPER_OUT_H
#define SHOWSTOPPER_OUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/**
 * struct out - lines for one file; those that its reader does not take are kept
 * @fd: -1: none
 * @text: what is not written yet, @n bytes; there is room for @size
 * @full: lines are missing, because too many were kept
 */
struct out {
	int fd;
	char *text;
	size_t n, size;
	bool full;
};

/*
 * Open a new file, or "-", standard output. Returns a descriptor or a negative errno. If a FIFO has
 * no reader, wait for one, after a message: call this before any program is started.
 */
int out_open(const char *path);

/* True if @fd takes something at once. */
bool out_is_ready(int fd);

/*
 * Write @text, and wait @patience ns at most for the reader. Returns how much of it is
 * written, or a negative errno.
 */
ssize_t out_write(int fd, const char *text, size_t n, int64_t patience);

/* Add text to what is to be written. */
__attribute__((format(printf, 2, 3)))
void out_print(struct out *o, const char *fmt, ...);

/*
 * Write what there is, and wait @patience ns at most. Returns 0, -EAGAIN if some of it is left, or
 * another negative errno.
 */
int out_flush(struct out *o, int64_t patience);

/*
 * Write the rest, and close. Returns 0, -ETIMEDOUT if the reader did not take all lines in time, or
 * another negative errno.
 */
int out_close(struct out *o, int64_t patience);

/* Returns what such an error means, for people. */
const char *out_error(int err);

#endif /* SHOWSTOPPER_OUT_H */
