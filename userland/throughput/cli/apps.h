/* SPDX-License-Identifier: GPL-2.0-or-later */
/* All applications of the machine, for throughput list and top. */
#ifndef THROUGHPUT_APPS_H
#define THROUGHPUT_APPS_H

#include <stddef.h>

#include "throughput.h"

struct seen {
	struct throughput_info info;
	struct throughput_reader *reader;
	uint64_t count;
	double rate;
};

struct apps {
	struct seen *of;
	size_t nr;
};

/*
 * Find new applications, forget those that have gone, look at all. Returns 0 or a negative errno.
 */
int apps_look(struct apps *a, double window_s);
void apps_end(struct apps *a);
/* Write a line for people to @text, @size bytes, without the end of the line. */
void apps_line(const struct seen *s, char *text, size_t size);
extern const char apps_head[];

#endif /* THROUGHPUT_APPS_H */
