/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Small text files, as /proc and /sys have them. */
#ifndef COMMON_TEXT_FILE_H
#define COMMON_TEXT_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Makes one read(). Returns the length or a negative errno. @text always ends with a byte 0. */
ssize_t text_file_read(const char *path, char *text, size_t size);

/* Reads the first line, without its end. Returns false if there is none. */
bool text_file_line(const char *path, char *line, size_t size);

/* True if a line contains @text. */
bool text_file_has(const char *path, const char *text);

/*
 * Reads the first line "@name: value", with a blank or a tab. Returns false if there is none;
 * @value is "" then.
 */
bool text_file_value(const char *path, const char *name, char *value, size_t size);

#endif /* COMMON_TEXT_FILE_H */
