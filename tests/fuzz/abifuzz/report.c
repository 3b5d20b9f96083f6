// SPDX-License-Identifier: GPL-2.0-or-later
#include "report.h"

#include <err.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define MAX_BROKEN	10

static struct {
	unsigned int totals[NR_TOTALS];
	unsigned int broken;
} *shared;

static unsigned long line_nr;
static const char *line_text;

void *shared_alloc(size_t size)
{
	void *at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (at == MAP_FAILED)
		err(1, "shared memory");
	return at;
}

void report_init(void)
{
	shared = shared_alloc(sizeof(*shared));
}

void report_line(unsigned long nr, const char *text)
{
	line_nr = nr;
	line_text = text;
}

void broken(const char *fmt, ...)
{
	va_list args;

	fprintf(stderr, "abifuzz: line %lu: ", line_nr);
	va_start(args, fmt);
	vfprintf(stderr, fmt, args);
	va_end(args);
	fprintf(stderr, ", in: %.300s\n", line_text);
	if (__atomic_add_fetch(&shared->broken, 1, __ATOMIC_RELAXED) == MAX_BROKEN)
		fprintf(stderr, "abifuzz: further ones are not shown\n");
}

void report_no_operation(const char *name)
{
	fprintf(stderr, "abifuzz: line %lu: no operation '%s'\n", line_nr, name);
	exit(2);
}

bool report_is_broken(void)
{
	return shared->broken;
}

bool report_is_hopeless(void)
{
	return shared->broken >= MAX_BROKEN;
}

enum outcome judge(long ret, const char *what, ...)
{
	int err = errno, known;
	va_list args;

	if (ret >= 0)
		return OK;
	va_start(args, what);
	while ((known = va_arg(args, int)) && known != err)
		;
	va_end(args);
	if (!known && !report_is_hopeless())
		broken("%s: unexpected error %d (%s)", what, err, strerror(err));
	return REFUSED;
}

void count(unsigned int *n)
{
	__atomic_add_fetch(n, 1, __ATOMIC_RELAXED);
}

void report_count(enum total what)
{
	count(&shared->totals[what]);
}

unsigned int report_total(enum total what)
{
	return shared->totals[what];
}
