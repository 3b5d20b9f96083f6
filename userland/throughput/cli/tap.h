/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a program writes: to its descriptors, which goes on as it is, or to a log. */
#ifndef THROUGHPUT_TAP_H
#define THROUGHPUT_TAP_H

#include <sys/types.h>
#include <time.h>

#include "matcher.h"

/**
 * struct tap - one of the program's outputs
 * @fd: the program's
 * @counts: it is looked at
 * @from: what it writes; -1: it has closed that
 * @to: ours
 */
struct tap {
	int fd;
	bool counts;
	int from;
	int to;
	struct stream stream;
};

/* The program's descriptor becomes a pipe, as long as it is forked: until tap_forked(). */
int tap_open(struct tap *t);
void tap_forked(struct tap *t);
/* Read what there is, and write it on; units are ticked. */
void tap_take(struct tap *t, struct matcher *m);
/* The program has ended: what it has left there. */
void tap_end(struct tap *t, struct matcher *m);

/**
 * struct log_file - one that is read
 * @fd: -1: there is none
 * @at: what comes next
 */
struct log_file {
	int fd;
	off_t at;
	struct stream stream;
};

/**
 * struct tail - a log
 * @path: of the file, which need not be there yet; NULL: there is none
 * @file: of that name
 * @inode: of it
 * @old: the one before a rotation, which the program may write to until it is told of that
 * @rotated_s: when that was, CLOCK_MONOTONIC
 */
struct tail {
	const char *path;
	struct log_file file;
	ino_t inode;
	struct log_file old;
	time_t rotated_s;
};

void tail_begin(struct tail *t, const char *path);
/* At @first, from its end on; a new file, after a rotation, from its beginning. */
void tail_follow(struct tail *t, struct matcher *m, bool first);

#endif /* THROUGHPUT_TAP_H */
