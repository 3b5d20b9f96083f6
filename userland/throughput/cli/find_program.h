/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef THROUGHPUT_FIND_PROGRAM_H
#define THROUGHPUT_FIND_PROGRAM_H

#include <stddef.h>

/* Find the file of a program as execvp(3) does; links are resolved. Returns 0 or -ENOENT. */
int find_program(const char *name, char *path, size_t size);
/* Likewise for a library, in the folders in which ld.so(8) looks for our libraries. */
int find_library(const char *name, char *path, size_t size);

#endif /* THROUGHPUT_FIND_PROGRAM_H */
