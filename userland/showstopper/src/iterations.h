/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A log of programs that ended, to which all executors append lines. */
#ifndef SHOWSTOPPER_ITERATIONS_H
#define SHOWSTOPPER_ITERATIONS_H

#include <stdint.h>

/* Open a new file, or "-", and write a line of names. Returns a descriptor or a negative errno. */
int iterations_open(const char *path);

/*
 * Log that @unit's @program ran from @began to @ended, in ns since the trace began, and ended with
 * @status, as of waitpid(). Returns 0 or a negative errno.
 */
int iterations_add(int fd, unsigned int unit, const char *program, int64_t began, int64_t ended,
		   int status);

#endif /* SHOWSTOPPER_ITERATIONS_H */
