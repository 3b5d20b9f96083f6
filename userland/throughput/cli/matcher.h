/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Counts units in what a program prints: lines are looked at as they come. */
#ifndef THROUGHPUT_MATCHER_H
#define THROUGHPUT_MATCHER_H

#include <regex.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum match_kind {
	MATCH_NUMBER, /* the first group is the number of units so far */
	MATCH_LINE,   /* each line that matches is a unit */
	MATCH_BYTES,  /* each byte is a unit; there is no pattern */
};

/* A line that is longer is looked at in pieces. */
#define MATCHER_LINE 4096

/**
 * struct matcher - a pattern
 * @last: number that was seen last
 * @matches: number of matches so far
 */
struct matcher {
	enum match_kind kind;
	regex_t regex;
	uint64_t last;
	uint64_t matches;
};

/** struct stream - an input, with its last line as far as it has come */
struct stream {
	size_t length;
	char line[MATCHER_LINE + 1];
};

/* Returns 0 or -EINVAL: the reason has been printed. */
int matcher_begin(struct matcher *m, enum match_kind kind, const char *pattern);
/* Returns the units in these bytes. "\r" ends a line, too, because progress is shown so. */
uint64_t matcher_take(struct matcher *m, struct stream *s, const char *bytes, size_t nr);
void matcher_end(struct matcher *m);

#endif /* THROUGHPUT_MATCHER_H */
