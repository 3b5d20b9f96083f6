// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Like the kernel's lib/ctype.c, which knows Latin-1: 0xa1 and above are letters or signs. The C
 * library's <ctype.h> would hide the effects of that.
 */
#ifndef PMCT_SHIM_CTYPE_H
#define PMCT_SHIM_CTYPE_H

static inline int shim_isdigit(unsigned char c)
{
	return c >= '0' && c <= '9';
}

static inline int shim_isxdigit(unsigned char c)
{
	return shim_isdigit(c) || ((c | 0x20) >= 'a' && (c | 0x20) <= 'f');
}

static inline int shim_isalpha(unsigned char c)
{
	return ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') || (c >= 0xc0 && c != 0xd7 && c != 0xf7);
}

static inline int shim_isgraph(unsigned char c)
{
	return (c > 0x20 && c < 0x7f) || c >= 0xa1;
}

#define isdigit(c)	shim_isdigit(c)
#define isxdigit(c)	shim_isxdigit(c)
#define isalpha(c)	shim_isalpha(c)
#define isalnum(c)	(shim_isalpha(c) || shim_isdigit(c))
#define isgraph(c)	shim_isgraph(c)
#define isascii(c)	((unsigned char)(c) < 0x80)

#endif /* PMCT_SHIM_CTYPE_H */
