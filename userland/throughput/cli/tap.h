/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads what a program writes: to its descriptors (this is passed on unchanged), or to a log. */
#ifndef THROUGHPUT_TAP_H
#define THROUGHPUT_TAP_H

#include <sys/types.h>

#include "matcher.h"

/**
 * struct tap - one of the program's outputs
 * @fd: descriptor of the program
 * @counts: what it writes there is counted
 * @from: descriptor from which we read; -1: the program has closed its end
 * @to: descriptor to which we pass it on
 */
struct tap {
	int fd;
	bool counts;
	int from;
	int to;
	struct stream stream;
};

/* Make the program's descriptor a pipe while the program is forked, until tap_forked(). */
int tap_open(struct tap *t);
void tap_forked(struct tap *t);
/* Read what there is, tick its units, and pass it on. */
void tap_take(struct tap *t, struct matcher *m);
/* Take what the program has left there, after it has ended. */
void tap_end(struct tap *t, struct matcher *m);

/**
 * struct log_file - a log file that is read
 * @fd: -1: there is none
 * @at: offset of what comes next
 */
struct log_file {
	int fd;
	off_t at;
	struct stream stream;
};

/**
 * struct tail - a log
 * @path: path of the file, which need not be there yet; NULL: there is none
 * @file: the file of that name
 * @inode: inode of that file
 * @old: the file before a rotation, which the program may write to until it is told of that
 * @rotated_s: when the rotation was, as monotonic_s() says
 */
struct tail {
	const char *path;
	struct log_file file;
	ino_t inode;
	struct log_file old;
	double rotated_s;
};

void tail_begin(struct tail *t, const char *path);
/*
 * Read what was added. With @first, this begins at the end of the file. A new file, after a
 * rotation, is read from its beginning.
 */
void tail_follow(struct tail *t, struct matcher *m, bool first);

#endif /* THROUGHPUT_TAP_H */
