/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Messages to the user: one line on standard error, which begins with the program's name. */
#ifndef COMMON_COMPLAIN_H
#define COMMON_COMPLAIN_H

/* The program's name in messages. Call this first in main(); the name must stay valid. */
void complain_as(const char *program);

/* Print one line, after everything that was printed on standard output before. */
__attribute__((format(printf, 1, 2)))
void complain(const char *fmt, ...);

/*
 * Give messages to @print instead of standard error: for programs whose reader may be slow, or
 * whose screen is in use. @text has neither the program's name nor the end of the line, and is
 * valid during the call only.
 */
void complain_to(void (*print)(const char *program, const char *text));

#endif /* COMMON_COMPLAIN_H */
