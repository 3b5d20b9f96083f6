// SPDX-License-Identifier: GPL-2.0-or-later
#include "text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void put(struct line *l, const char *fmt, ...)
{
	va_list args;
	int n;

	va_start(args, fmt);
	n = vsnprintf(l->text + l->len, sizeof(l->text) - l->len, fmt, args);
	va_end(args);
	if (n < 0 || l->len + (size_t)n >= sizeof(l->text))
		abort();
	l->len += (size_t)n;
}

void put_hex(struct line *l, const void *data, size_t len)
{
	put(l, "-");
	for (size_t i = 0; i < len; i++)
		put(l, "%02x", ((const uint8_t *)data)[i]);
}

unsigned int gen_session(const struct line *l, struct rng *r)
{
	return l->session >= 0 ? (unsigned int)l->session : below(r, NR_SESSIONS);
}

uint64_t gen_number(struct rng *r)
{
	uint64_t n = PICK(r, 0, 1, 8, 55, 56, 512, 4095, 4096, 65536, 1 << 20, INT32_MAX, UINT32_MAX,
			  INT64_MAX, UINT64_MAX, 1000000, 4000000);

	return percent(r, 30) ? any(r) >> below(r, 64) : n + PICK(r, 0, 0, 0, 1, -1);
}

size_t gen_mutated(struct rng *r, char *text, size_t len, size_t room)
{
	for (unsigned int n = 1 + below(r, 4); n; n--) {
		size_t at = len ? below(r, len) : 0;

		switch (below(r, 5)) {
		case 0:	/* change a byte */
			if (len)
				text[at] = (char)any(r);
			break;
		case 1:	/* insert a byte */
			if (len + 1 < room) {
				memmove(text + at + 1, text + at, len++ - at);
				text[at] = (char)PICK(r, ',', '=', '0', 'x', '9', '\n', 0, 0xe9, ' ');
			}
			break;
		case 2:	/* delete a byte */
			if (len)
				memmove(text + at, text + at + 1, --len - at);
			break;
		case 3:	/* repeat the end */
			if (len && len + (len - at) < room) {
				memcpy(text + len, text + at, len - at);
				len += len - at;
			}
			break;
		default:	/* cut the text off, at times */
			len = percent(r, 20) ? at : len;
		}
	}
	return len;
}
