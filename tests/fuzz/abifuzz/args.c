// SPDX-License-Identifier: GPL-2.0-or-later
#include "args.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *next_word(struct args *a)
{
	char *w;

	do {
		w = strsep(&a->at, " \n");
	} while (w && !*w);
	return w;
}

uint64_t next_number(struct args *a)
{
	const char *w = next_word(a);

	return w ? strtoull(w, NULL, 10) : 0;
}

size_t from_hex(const char *hex, uint8_t *bytes, size_t room)
{
	size_t len = 0;
	unsigned int byte;

	for (hex += hex && *hex == '-'; hex && len < room && sscanf(hex, "%2x", &byte) == 1; hex += 2)
		bytes[len++] = (uint8_t)byte;
	return len;
}
