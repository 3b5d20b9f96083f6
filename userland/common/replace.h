/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Replacing a file as a whole: its readers see the old text or the new one, never a part. */
#ifndef COMMON_REPLACE_H
#define COMMON_REPLACE_H

#include <stdio.h>

/* Both return 0 or a negative errno, and leave nothing behind but @path. */

/*
 * Can the file be replaced? ENOTSUP: it is there and is not a file, but a device, a pipe,
 * a link, …
 */
int replace_check(const char *path);
/* @print writes the new text; a failure to write to @out need not be looked for. */
int replace_file(const char *path, void (*print)(FILE *out, void *arg), void *arg);

#endif /* COMMON_REPLACE_H */
