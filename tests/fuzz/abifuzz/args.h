/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Operations as run.c calls them, and the words of their arguments. */
#ifndef PMCT_ABIFUZZ_ARGS_H
#define PMCT_ABIFUZZ_ARGS_H

#include <stddef.h>
#include <stdint.h>

/* What became of an operation: done, refused with an error that is documented, or not tried. */
enum outcome { OK, REFUSED, IDLE };

/* The arguments of one operation that have not been read yet. */
struct args {
	char *at;
};

/* The next word; NULL if there is none. */
const char *next_word(struct args *a);

/* The next word as a number; 0 if there is none. */
uint64_t next_number(struct args *a);

/* The bytes of a text "-HEX", at most @room. Returns their number. */
size_t from_hex(const char *hex, uint8_t *bytes, size_t room);

#endif /* PMCT_ABIFUZZ_ARGS_H */
