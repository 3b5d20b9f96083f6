/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where in a program's file is a function, or a mark that its author has left (USDT)? */
#ifndef THROUGHPUT_ELF_PLACE_H
#define THROUGHPUT_ELF_PLACE_H

#include <stdint.h>

/* Marks are compiled in several times where functions are inlined. */
#define ELF_PLACES 64

/**
 * struct elf_places - offsets in the file
 * @at: instructions, @nr of them
 * @semaphore: a counter of those who watch, which the program looks at; 0: there is none
 */
struct elf_places {
	uint64_t at[ELF_PLACES];
	uint64_t semaphore[ELF_PLACES];
	unsigned int nr;
};

/*
 * Both return 0; -ENOENT: the file has none of that name; -ENOEXEC: it is not ELF; -EOPNOTSUPP:
 * a function that is chosen when the program begins (IFUNC); -E2BIG: it is there too often; or
 * another negative errno.
 */
int elf_find_function(const char *path, const char *name, struct elf_places *p);
int elf_find_mark(const char *path, const char *provider, const char *name, struct elf_places *p);
/* Would the dynamic linker load further libraries (LD_PRELOAD)? 1, 0, or a negative errno. */
int elf_is_dynamic(const char *path);

#endif /* THROUGHPUT_ELF_PLACE_H */
