/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The file of -o. It is opened before anything else is done, so that a file that
 * cannot be written is refused, but emptied only when the run has begun: one
 * that is refused leaves the file as it was.
 */
#ifndef COMMON_OUT_FILE_H
#define COMMON_OUT_FILE_H

#include <stdbool.h>
#include <stdio.h>

/**
 * struct out_file - the file
 * @out: to write to; NULL: it is not open
 * @path: its name
 * @created: it was not there before, and the run has not begun
 */
struct out_file {
	FILE *out;
	const char *path;
	bool created;
};

/* 0 or a negative errno. @path must stay valid. */
int out_file_open(struct out_file *f, const char *path);
/* The run has begun: what was in the file before goes. 0 or a negative errno. */
int out_file_begin(struct out_file *f);
/* Whether or not the run has begun, and whether or not it is open. 0 or a negative errno. */
int out_file_close(struct out_file *f);

#endif /* COMMON_OUT_FILE_H */
