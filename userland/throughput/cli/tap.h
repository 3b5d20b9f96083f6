/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a program writes: to its descriptors, which goes on as it is, or to a log. */
#ifndef THROUGHPUT_TAP_H
#define THROUGHPUT_TAP_H

#include <sys/types.h>

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
 * struct tail - a log
 * @path: of the file, which need not be there yet; NULL: there is none
 * @fd: -1: it is not there yet
 * @at: what comes next
 */
struct tail {
	const char *path;
	int fd;
	ino_t inode;
	off_t at;
	struct stream stream;
};

/* At @first, from its end on; a new file, after a rotation, from its beginning. */
void tail_follow(struct tail *t, struct matcher *m, bool first);

#endif /* THROUGHPUT_TAP_H */
