/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Standard input, output and error at the beginning and at the end of a program. */
#ifndef COMMON_STANDARD_FILES_H
#define COMMON_STANDARD_FILES_H

/*
 * Open /dev/null where a standard descriptor (0 to 2) is closed, so that no file opened later gets
 * its number: what is printed would be written into that file. @flags is 0, or O_CLOEXEC: programs
 * started by this one find the descriptor closed. Call this first in main(). Returns 0 or a
 * negative errno.
 */
int standard_files_open(int flags);

/*
 * The exit status of a program that ends with @status. If what was printed on standard output
 * cannot be written, the user is told, and the status is @failure.
 */
int standard_output_end(int status, int failure);

#endif /* COMMON_STANDARD_FILES_H */
