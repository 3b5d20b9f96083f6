/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef THROUGHPUT_FIND_PROGRAM_H
#define THROUGHPUT_FIND_PROGRAM_H

#include <stddef.h>

/* The file of a program, as execvp(3) finds it, without links. 0, or -ENOENT. */
int find_program(const char *name, char *path, size_t size);
/* Likewise that of a library, in the folders in which ld.so(8) looks for ours. */
int find_library(const char *name, char *path, size_t size);

#endif /* THROUGHPUT_FIND_PROGRAM_H */
