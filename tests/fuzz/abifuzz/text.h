/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Building blocks of generated lines: text, bytes, and numbers that are worth a try. */
#ifndef PMCT_ABIFUZZ_TEXT_H
#define PMCT_ABIFUZZ_TEXT_H

#include <stddef.h>

#include "grammar.h"
#include "random.h"

/* A line that is being generated. */
struct line {
	char text[MAX_LINE];
	size_t len;
	int session;		/* all operations of the line use this slot; -1: any slot */
	bool quick;		/* leave out most of what takes long */
};

/* Append to @l. The process is aborted if there is no room. */
__attribute__((format(printf, 2, 3)))
void put(struct line *l, const char *fmt, ...);

/* Append @len bytes of @data in hexadecimal. */
void put_hex(struct line *l, const void *data, size_t len);

/* A slot of sessions: that of the line, or a random one. */
unsigned int gen_session(const struct line *l, struct rng *r);

/* A number near a value at which the kernel's behaviour changes, or any number. */
uint64_t gen_number(struct rng *r);

/* Change some bytes of @text. Returns the new length, which is at most @room. */
size_t gen_mutated(struct rng *r, char *text, size_t len, size_t room);

#endif /* PMCT_ABIFUZZ_TEXT_H */
