/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds a function in a program's file, or a mark that its author has left (USDT). */
#ifndef THROUGHPUT_ELF_PLACE_H
#define THROUGHPUT_ELF_PLACE_H

#include <stdint.h>

/* Most places of a mark: where functions are inlined, it is compiled in several times. */
#define ELF_PLACES 64

/**
 * struct elf_places - offsets in the file
 * @at: offsets of instructions, @nr of them
 * @semaphore: offset of a counter of watchers, which the program looks at; 0: there is none
 */
struct elf_places {
	uint64_t at[ELF_PLACES];
	uint64_t semaphore[ELF_PLACES];
	unsigned int nr;
};

/*
 * Both return 0; -ENOENT: the file has no such name; -ENOEXEC: it is not ELF; -EOPNOTSUPP: the
 * function is chosen when the program begins (IFUNC); -E2BIG: there are too many places; or another
 * negative errno.
 */
int elf_find_function(const char *path, const char *name, struct elf_places *p);
int elf_find_mark(const char *path, const char *provider, const char *name, struct elf_places *p);
/*
 * Returns 1 if the dynamic linker would load further libraries (LD_PRELOAD), 0, or a negative
 * errno.
 */
int elf_is_dynamic(const char *path);

#endif /* THROUGHPUT_ELF_PLACE_H */
