/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Output of programs that must not stop because nobody reads it: a pipe whose reader sleeps, or a
 * terminal after Ctrl-S. What cannot be written at once is dropped.
 */
#ifndef COMMON_NOWAIT_H
#define COMMON_NOWAIT_H

/* Print to standard output, at most a kilobyte at a time. */
__attribute__((format(printf, 1, 2)))
void nowait_printf(const char *fmt, ...);

/* For complain_to(). */
void nowait_complain(const char *program, const char *text);

#endif /* COMMON_NOWAIT_H */
