/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Logs and messages whose reader may be slow, or hang: a full pipe, a terminal after Ctrl-S.
 * Nobody who controls programs, or looks after them, waits for such a reader.
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
 * A new file, or "-", standard output: a descriptor, or a negative errno. A FIFO without
 * a reader is waited for, after a message: call this before any program is started.
 */
int out_open(const char *path);

/* True if @fd takes something at once. */
bool out_is_ready(int fd);

/*
 * Write @text, and wait @patience ns at most for the reader. Returns how much of it is
 * written, or a negative errno.
 */
ssize_t out_write(int fd, const char *text, size_t n, int64_t patience);

/* Add to what is to be written. */
__attribute__((format(printf, 2, 3)))
void out_print(struct out *o, const char *fmt, ...);

/*
 * Write what there is, and wait @patience ns at most. 0, -EAGAIN: some of it is left;
 * or another negative errno.
 */
int out_flush(struct out *o, int64_t patience);

/* -ETIMEDOUT: the reader did not take all lines in time; or another negative errno. */
int out_close(struct out *o, int64_t patience);

/* What such an error means, for people. */
const char *out_error(int err);

#endif /* SHOWSTOPPER_OUT_H */
