/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the fuzz targets share. */
#ifndef PMCT_FUZZ_H
#define PMCT_FUZZ_H

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Unlike assert(), this is never compiled out, and says what the values were. */
#define expect(cond, ...)						\
	do {								\
		if (!(cond)) {						\
			fprintf(stderr, "%s:%d: not true: %s: ",	\
				__FILE__, __LINE__, #cond);		\
			fprintf(stderr, __VA_ARGS__);			\
			fputc('\n', stderr);				\
			abort();					\
		}							\
	} while (0)

/* Returns the input as a string that ends where its memory ends. The caller frees it. */
static inline char *fuzz_text(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);

	expect(text, "no memory");
	if (size)
		memcpy(text, data, size);
	text[size] = '\0';
	return text;
}

#endif /* PMCT_FUZZ_H */
