/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Small text files, as /proc and /sys have them. */
#ifndef COMMON_TEXT_FILE_H
#define COMMON_TEXT_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* What one read() gives: the length of @text, or a negative errno. @text always has an end. */
ssize_t text_file_read(const char *path, char *text, size_t size);

/* The first line, without its end. Returns false if there is none. */
bool text_file_line(const char *path, char *line, size_t size);

/* True if a line contains @text. */
bool text_file_has(const char *path, const char *text);

/* The value in the first line "@name: value". Returns false if there is none; @value is "" then. */
bool text_file_value(const char *path, const char *name, char *value, size_t size);

#endif /* COMMON_TEXT_FILE_H */
