// SPDX-License-Identifier: GPL-2.0-or-later
#include <stddef.h>
#include <string.h>

#include "utf8.h"

/* Length in bytes of the UTF-8 character at @text; 0: it is not valid. */
static size_t letter_at(const unsigned char *text)
{
	size_t more = text[0] >= 0xf0 && text[0] < 0xf5 ? 3 : text[0] >= 0xe0 && text[0] < 0xf0 ? 2 :
		      text[0] >= 0xc2 && text[0] < 0xe0 ? 1 : 0;

	if (!more)
		return text[0] < 0x80;
	/* Refuse overlong encodings, surrogates, and values above 0x10ffff. */
	if ((text[0] == 0xe0 && text[1] < 0xa0) || (text[0] == 0xed && text[1] > 0x9f) ||
	    (text[0] == 0xf0 && text[1] < 0x90) || (text[0] == 0xf4 && text[1] > 0x8f))
		return 0;
	for (size_t i = 1; i <= more; i++) {
		if ((text[i] & 0xc0) != 0x80)
			return 0;
	}
	return more + 1;
}

void utf8_make_printable(char *text)
{
	size_t len;

	for (char *c = text; *c; c += len ? len : 1) {
		len = letter_at((unsigned char *)c);
		/* Also the control characters above 0x7f, which are 0xc2 0x80 to 0xc2 0x9f. */
		if (!len || (unsigned char)*c < ' ' || *c == 127)
			*c = len ? '.' : '?';
		else if ((unsigned char)*c == 0xc2 && (unsigned char)c[1] < 0xa0)
			c[0] = c[1] = '.';
	}
}

char *utf8_mended(const char *text)
{
	char *mended = strdup(text);
	size_t len;

	for (char *c = mended; c && *c; c += len ? len : 1) {
		len = letter_at((unsigned char *)c);
		if (!len)
			*c = '?';
	}
	return mended;
}
