/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The file of -o. It is opened before anything else is done, so that a file that cannot be written
 * is refused. It is emptied only when the run has begun, so that a refused run leaves it as it was.
 */
#ifndef COMMON_OUT_FILE_H
#define COMMON_OUT_FILE_H

#include <stdbool.h>
#include <stdio.h>

/**
 * struct out_file - the file
 * @out: stream to write to; NULL: the file is not open
 * @path: name of the file
 * @created: the file did not exist before, and the run has not begun
 */
struct out_file {
	FILE *out;
	const char *path;
	bool created;
};

/* Returns 0 or a negative errno. @path must stay valid. */
int out_file_open(struct out_file *f, const char *path);
/* Empty the file, because the run has begun. Returns 0 or a negative errno. */
int out_file_begin(struct out_file *f);
/* Close the file, if it is open; also before the run has begun. Returns 0 or a negative errno. */
int out_file_close(struct out_file *f);

#endif /* COMMON_OUT_FILE_H */
