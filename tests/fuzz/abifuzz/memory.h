/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The slots of mappings. Each is an arena: a range of addresses that always stays
 * mapped, so that nothing but mappings of sessions can ever be in it.
 */
#ifndef PMCT_ABIFUZZ_MEMORY_H
#define PMCT_ABIFUZZ_MEMORY_H

#include "args.h"

void memory_init(void);

/*
 * Remove all mappings of sessions. A forked child calls it first, because sessions are
 * not mapped there: it has holes where they were.
 */
void memory_clear(void);

/* Give the address space back, in a child that maps nothing. */
void memory_release(void);

/* An address that is never valid. */
void *memory_bad_address(void);

/* map SESSION MAPPING OFFSET LENGTH PROTECTION MODE: mode 7 is private, 6 locked */
enum outcome op_map(struct args *a);

enum outcome op_unmap(struct args *a);
enum outcome op_protect(struct args *a);

/* remap MAPPING TO OFFSET LENGTH NEW-LENGTH */
enum outcome op_remap(struct args *a);

/* touch MAPPING OFFSET WRITE VALUE */
enum outcome op_touch(struct args *a);

#endif /* PMCT_ABIFUZZ_MEMORY_H */
