/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Replacing a file as a whole: its readers see the old text or the new one, never a part. */
#ifndef COMMON_REPLACE_H
#define COMMON_REPLACE_H

#include <stdio.h>

/* Both return 0 or a negative errno, and leave nothing behind but @path. */

/*
 * Check if the file can be replaced. -ENOTSUP: it exists, but is a device, a pipe, a link, …, not
 * a regular file.
 */
int replace_check(const char *path);
/* @print writes the new text. It need not check for failures to write to @out. */
int replace_file(const char *path, void (*print)(FILE *out, void *arg), void *arg);

#endif /* COMMON_REPLACE_H */
