/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Texts of users, who may give programs, files and groups any name. */
#ifndef COMMON_UTF8_H
#define COMMON_UTF8_H

/* Replace control characters of terminals, and bytes that are not UTF-8. */
void utf8_make_printable(char *text);

/*
 * Returns a copy in which only bytes that are not UTF-8 are replaced, because JSON has no others.
 * NULL: no memory. The caller frees it.
 */
char *utf8_mended(const char *text);

#endif /* COMMON_UTF8_H */
